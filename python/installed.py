"""Prints _installed.py, which tells the package where the libraries are.

Usage: installed.py PREFIX LIBDIR PACKAGE

Because an installation may be moved, it says where they are as seen from the package; if one of both
is outside of the installation, where they are.
"""

import os
import sys

prefix, libdir, package = map(os.path.normpath, sys.argv[1:])
are_inside = all(folder.startswith(prefix + os.sep) for folder in (libdir, package))
place = os.path.relpath(libdir, package) if are_inside else libdir
print(f'''"""Written by make install."""

import os

LIBDIR = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), {place!r}))''')
