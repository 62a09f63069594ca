bin_PROGRAMS += sionverify
sionverify_SOURCES = \
	utils/sionverify/report.c utils/sionverify/report.h utils/sionverify/sionverify.c
sionverify_LDADD = $(tool_layers)
if HAVE_CHECKSUM
sionverify_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
