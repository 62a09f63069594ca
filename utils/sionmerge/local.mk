bin_PROGRAMS += sionmerge
sionmerge_SOURCES = utils/sionmerge/settings.h utils/sionmerge/sionmerge.c utils/sionmerge/tree.c
sionmerge_LDADD = $(world_layers) $(tool_layers) $(world_libraries)
