# Command line tools. They see the library's insides, so they are linked with its layers.
noinst_LTLIBRARIES += liblayer_tools.la
liblayer_tools_la_SOURCES = \
	utils/input.c utils/input.h utils/output.c utils/output.h \
	utils/progress.c utils/progress.h utils/tool.c utils/tool.h

tool_layers = \
	liblayer_tools.la liblayer_api_serial.la liblayer_api_common.la $(core_layers) $(lock_layer)

bin_PROGRAMS += siondump sioncat sionsplit sionversion
siondump_SOURCES = \
	utils/siondump.c utils/siondump.h utils/siondump_keys.c utils/siondump_tables.c \
	utils/siondump_usage.c
siondump_LDADD = $(tool_layers)
sioncat_SOURCES = utils/sioncat.c
sioncat_LDADD = $(tool_layers)
sionsplit_SOURCES = utils/sionsplit.c utils/sionsplit.h utils/sionsplit_keys.c
sionsplit_LDADD = $(tool_layers)
sionversion_SOURCES = utils/sionversion.c
sionversion_CPPFLAGS = $(AM_CPPFLAGS) -DGIT_REV='"$(GIT_REV)"'
sionversion_LDADD = liblayer_tools.la

bin_SCRIPTS += utils/sionconfig
