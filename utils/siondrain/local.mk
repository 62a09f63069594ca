# siondrain drains what is staged in a node's folders.
bin_PROGRAMS += siondrain
siondrain_SOURCES = utils/siondrain/parts.c utils/siondrain/parts.h utils/siondrain/reduced.c \
	utils/siondrain/reduced.h utils/siondrain/siondrain.c
siondrain_LDADD = $(tool_layers)
