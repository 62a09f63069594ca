# sionmount mounts containers. It needs libfuse.
if HAVE_FUSE
bin_PROGRAMS += sionmount
sionmount_SOURCES = \
	utils/sionmount/caller.c utils/sionmount/caller.h utils/sionmount/files.c utils/sionmount/files.h utils/sionmount/index.c utils/sionmount/index.h utils/sionmount/reader.c \
	utils/sionmount/reader.h utils/sionmount/serve.c utils/sionmount/serve.h \
	utils/sionmount/sionmount.c utils/sionmount/tree.c utils/sionmount/tree.h
sionmount_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS)
sionmount_LDADD = $(tool_layers) $(FUSE_LIBS)
endif
