bin_PROGRAMS += siondump
siondump_SOURCES = \
	utils/siondump/json.c utils/siondump/keys.c utils/siondump/parts.h utils/siondump/siondump.c \
	utils/siondump/states.c utils/siondump/svg.c utils/siondump/svg_chunks.c utils/siondump/svg_chunks.h \
	utils/siondump/svg_density.c utils/siondump/svg_density.h utils/siondump/svg_frame.h \
	utils/siondump/tables.c utils/siondump/usage.c utils/siondump/zips.c utils/siondump/xml.c utils/siondump/xml.h
siondump_LDADD = $(tool_layers)
