if HAVE_FTIFF
bin_PROGRAMS += sionfti
sionfti_SOURCES = \
	utils/sionfti.c utils/sionfti.h utils/sionfti_check.c utils/sionfti_container.c utils/sionfti_dump.c \
	utils/sionfti_extract.c utils/sionfti_files.c utils/sionfti_pack.c utils/sionfti_rehash.c \
	utils/sionfti_unpack.c \
	utils/text.c utils/text.h
sionfti_LDADD = liblayer_ftiff_source.la liblayer_ftiff_codec.la $(tool_layers) $(NETTLE_LIBS)
endif
