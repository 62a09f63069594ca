# The CRC of checksums: a library of its own, so that the core needs no other library.
include_HEADERS += include/sion_checksum.h
if HAVE_CHECKSUM
lib_LTLIBRARIES += libsionchecksum_64.la
libsionchecksum_64_la_SOURCES = src/crc/crc32.c
libsionchecksum_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if BUILD_SHARED
lib_LTLIBRARIES += libsion_checksum.la
libsion_checksum_la_SOURCES = src/crc/crc32.c
libsion_checksum_la_LIBADD = $(CHECKSUM_LIBS)
libsion_checksum_la_LDFLAGS = $(AM_LDFLAGS) -shared -no-undefined -Wl,--no-undefined \
	-version-info $(LIBSION_CHECKSUM_VERSION) $(VERSION_SCRIPT)src/abi/libsion_checksum.map
EXTRA_libsion_checksum_la_DEPENDENCIES = src/abi/libsion_checksum.map
endif
endif
