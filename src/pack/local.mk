# Packed files: tars in the streams of tasks, and their index. Only the tools use it.
noinst_LTLIBRARIES += liblayer_pack.la
liblayer_pack_la_SOURCES = \
	src/pack/entry.c src/pack/entry.h src/pack/extract.c src/pack/extract.h src/pack/index.c src/pack/index.h src/pack/index_bytes.c src/pack/index_bytes.h src/pack/index_cursor.c src/pack/index_private.h src/pack/read.c src/pack/read.h \
	src/pack/tar.h src/pack/tar_read.c src/pack/tar_write.c src/pack/tree.c src/pack/tree.h src/pack/ustar.h \
	src/pack/write.c src/pack/write.h src/pack/write_index.c
