# SPDX-License-Identifier: BSD-3-Clause

import os

from spack.package import *


class Scion(AutotoolsPackage):
    """The streams of a million tasks, in one container: parallel files with the interface and the
    format of SIONlib 1.7."""

    # The release is in the folder in which spack is called; a mirror works, too.
    manual_download = True
    url = f"file://{os.getcwd()}/scion-1.0.0.tar.xz"

    license("BSD-3-Clause")
    version("1.0.0")

    variant("mpi", default=True, description="MPI interface and benchmarks")
    variant("openmp", default=True, description="OpenMP interface")
    variant("fortran", default=True, description="Fortran interfaces")
    variant("cxx", default=True, description="C++ classes")
    variant("ftiff", default=True, description="checkpoints in the file format of FTI")
    variant("shared", default=True, description="shared libraries besides the archives")
    variant(
        "prefix",
        default="none",
        values=("none", "l"),
        description="prefix of all symbols, for use in performance tools",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cxx")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("uthash", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("zlib-api")
    depends_on("nettle", when="+ftiff")

    conflicts("+shared", when="prefix=l")

    def configure_args(self):
        # Nothing is taken from the system.
        args = ["--without-python", "--without-fuse", "--without-isal", "--without-zstd", "--without-zfp"]
        args += self.enable_or_disable("fortran")
        args += self.enable_or_disable("cxx")
        args += self.enable_or_disable("openmp")
        args += self.enable_or_disable("ftiff")
        args += self.enable_or_disable("shared")
        args += self.with_or_without("mpi")
        if self.spec.satisfies("+mpi"):
            args.append(f"MPICC={self.spec['mpi'].mpicc}")
            if self.spec.satisfies("+fortran"):
                args.append(f"MPIFC={self.spec['mpi'].mpifc}")
        if not self.spec.satisfies("prefix=none"):
            args.append(f"--with-symbol-prefix={self.spec.variants['prefix'].value}")
        return args
