"""The XDMF 3 library (in Debian: libxdmf3), used by its functions for C."""
import ctypes

import numpy as np

library = ctypes.CDLL("libXdmf.so.3")
TYPES = {"Int8": "i1", "Int16": "i2", "Int32": "i4", "Int64": "i8", "UInt8": "u1", "UInt16": "u2",
         "UInt32": "u4", "Float32": "f4", "Float64": "f8"}


def call(name, *arguments, result=ctypes.c_void_p):
    """Call the function Xdmf<name>; texts and numbers as they are, objects as pointers."""
    function = getattr(library, "Xdmf" + name)
    function.restype = result
    value = function(*arguments)
    return ctypes.c_void_p(value) if result == ctypes.c_void_p else value


def status():
    return ctypes.byref(ctypes.c_int())


def numbers(array, dtype="f8"):
    text = call("ArrayGetValuesString", array, result=ctypes.c_char_p).decode()
    return np.array(text.split(), dtype)


def read_attribute(attribute):
    """Return the name, and the values with the type that the library takes them for."""
    names = {call("ArrayType" + name, result=ctypes.c_int): dtype for name, dtype in TYPES.items()}
    call("AttributeRead", attribute, status())
    dtype = names[call("AttributeGetArrayType", attribute, status(), result=ctypes.c_int)]
    text = call("AttributeGetValuesString", attribute, result=ctypes.c_char_p).decode()
    shape = call("AttributeGetDimensionsString", attribute, result=ctypes.c_char_p).decode()
    name = call("AttributeGetName", attribute, result=ctypes.c_char_p).decode()
    return name, np.array(text.split(), dtype).reshape([int(n) for n in shape.split()])


def read(path):
    """Yield time, origin, spacing and the attributes of each grid."""
    reader = call("ReaderNew")
    domain = call("ReaderRead", reader, path.encode(), status())
    steps = call("DomainGetGridCollection", domain, 0)
    for s in range(call("GridCollectionGetNumberGridCollections", steps, result=ctypes.c_uint)):
        step = call("GridCollectionGetGridCollection", steps, s)
        time = call("TimeGetValue", call("GridCollectionGetTime", step), result=ctypes.c_double)
        for g in range(call("GridCollectionGetNumberRegularGrids", step, result=ctypes.c_uint)):
            grid = call("GridCollectionGetRegularGrid", step, g)
            n = call("RegularGridGetNumberAttributes", grid, result=ctypes.c_uint)
            yield (time, numbers(call("RegularGridGetOrigin", grid, status())),
                   numbers(call("RegularGridGetBrickSize", grid, status())),
                   dict(read_attribute(call("RegularGridGetAttribute", grid, a)) for a in range(n)))
