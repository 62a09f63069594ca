bin_PROGRAMS += siondiff
siondiff_SOURCES = utils/siondiff/files.c utils/siondiff/files.h utils/siondiff/settings.h \
	utils/siondiff/siondiff.c utils/siondiff/tree.c utils/siondiff/tree.h
siondiff_LDADD = $(tool_layers)
