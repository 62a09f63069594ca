bin_PROGRAMS += siondefrag
siondefrag_SOURCES = utils/siondefrag/move.c utils/siondefrag/move.h utils/siondefrag/siondefrag.c \
	utils/siondefrag/spool.c utils/siondefrag/spool.h
siondefrag_LDADD = $(world_layers) $(tool_layers) $(world_libraries)
