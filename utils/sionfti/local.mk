if HAVE_FTIFF
bin_PROGRAMS += sionfti
sionfti_commands = \
	utils/sionfti/check.c utils/sionfti/commands.h utils/sionfti/container.c \
	utils/sionfti/container.h utils/sionfti/dump.c utils/sionfti/extract.c utils/sionfti/fail.c \
	utils/sionfti/fail.h utils/sionfti/files.c utils/sionfti/files.h utils/sionfti/items.c \
	utils/sionfti/items.h utils/sionfti/layout.c utils/sionfti/layout.h utils/sionfti/output.c utils/sionfti/output.h utils/sionfti/pack.c \
	utils/sionfti/ranks.c utils/sionfti/ranks.h utils/sionfti/rehash.c utils/sionfti/restore.c utils/sionfti/unpack.c
sionfti_SOURCES = $(sionfti_commands) utils/sionfti/sionfti.c
sionfti_LDADD = liblayer_ftiff_source.la liblayer_ftiff_codec.la $(tool_layers) $(NETTLE_LIBS)
endif
