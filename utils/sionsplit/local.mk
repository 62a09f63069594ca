bin_PROGRAMS += sionsplit
sionsplit_SOURCES = \
	utils/sionsplit/files.c utils/sionsplit/files.h utils/sionsplit/keys.c utils/sionsplit/keys.h utils/sionsplit/settings.h \
	utils/sionsplit/sionsplit.c
sionsplit_LDADD = $(tool_layers)
