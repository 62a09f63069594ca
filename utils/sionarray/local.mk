bin_PROGRAMS += sionarray
sionarray_SOURCES = \
	utils/sionarray/commands.h utils/sionarray/copy.c utils/sionarray/copy.h utils/sionarray/dump.c utils/sionarray/list.c utils/sionarray/plot.c utils/sionarray/recode.c \
	utils/sionarray/refs.c utils/sionarray/refs.h utils/sionarray/refs_metadata.c utils/sionarray/refs_names.c \
	utils/sionarray/refs_values.c utils/sionarray/refs_values.h utils/sionarray/shared.c \
	utils/sionarray/sionarray.c utils/sionarray/xdmf.c
sionarray_LDADD = $(array_layers) $(parallel_layers) $(tool_layers) -lm
