bin_PROGRAMS += sionls
sionls_SOURCES = utils/sionls/advice.c utils/sionls/advice.h utils/sionls/files.c utils/sionls/files.h utils/sionls/sionls.c
sionls_LDADD = $(tool_layers)
