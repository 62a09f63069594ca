# Arrays: a library of its own next to the core, for every kind of container.
include_HEADERS += include/sion_array.h

noinst_LTLIBRARIES += liblayer_array_codec.la liblayer_array.la
liblayer_array_codec_la_SOURCES = \
	src/array/codec.c src/array/codec.h src/array/codecs.c src/array/codecs.h src/array/convert.c src/array/convert.h src/array/index.c src/array/index.h src/array/merge.c \
	src/array/order.c src/array/payload.c src/array/payload.h src/array/public.h src/array/types.c src/array/types.h
liblayer_array_la_SOURCES = \
	src/array/before.c src/array/bindings.h src/array/definitions.c src/array/end.c src/array/load.c src/array/numbers.h src/array/pack.c src/array/pack.h src/array/put.c src/array/reader.c src/array/reader.h src/array/record.c \
	src/array/slab.c src/array/slab_as.c src/array/streams.c src/array/streams.h src/array/unpack.c src/array/whole.c src/array/writer.c src/array/writer.h
array_layers = liblayer_array.la liblayer_array_codec.la

lib_LTLIBRARIES += libsionarray_64.la
libsionarray_64_la_SOURCES =
libsionarray_64_la_LIBADD = $(array_layers)
libsionarray_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if BUILD_SHARED
lib_LTLIBRARIES += libsion_array.la
libsion_array_la_SOURCES =
libsion_array_la_LIBADD = \
	$(array_layers) liblayer_beside.la liblayer_beside_memory.la liblayer_beside_zip.la libsion.la
libsion_array_la_LDFLAGS = $(AM_LDFLAGS) -shared -no-undefined -Wl,--no-undefined \
	-version-info $(LIBSION_ARRAY_VERSION) $(VERSION_SCRIPT)src/abi/libsion_array.map
EXTRA_libsion_array_la_DEPENDENCIES = src/abi/libsion_array.map
endif
