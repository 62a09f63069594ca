# What the tools share.
noinst_LTLIBRARIES += liblayer_tools.la liblayer_world.la
liblayer_tools_la_SOURCES = \
	utils/lib/builder.c utils/lib/builder.h utils/lib/builder_private.h utils/lib/builder_sums.c utils/lib/commands.c utils/lib/commands.h utils/lib/follow.c utils/lib/follow.h utils/lib/help.c utils/lib/help.h utils/lib/input.c utils/lib/input.h \
	utils/lib/keys.c utils/lib/keys.h utils/lib/members.c utils/lib/members.h utils/lib/message.c utils/lib/message.h utils/lib/names.c utils/lib/names.h \
	utils/lib/numbers.c utils/lib/numbers.h utils/lib/output.c utils/lib/output.h utils/lib/packed.c utils/lib/packed.h utils/lib/progress.c \
	utils/lib/progress.h utils/lib/records.c utils/lib/records.h utils/lib/rescue.c utils/lib/rescue.h utils/lib/replace.c \
	utils/lib/replace.h utils/lib/share.c utils/lib/share.h utils/lib/staged.c utils/lib/staged.h utils/lib/team.c utils/lib/team.h utils/lib/text.c utils/lib/text.h utils/lib/tool.c utils/lib/tool.h \
	utils/lib/zips.c utils/lib/zips.h

tool_layers = \
	liblayer_tools.la liblayer_pack.la liblayer_api_serial.la liblayer_api_common.la liblayer_comm.la $(core_layers) $(lock_layer)

# What needs MPI, of tools whose processes speak with each other.
liblayer_world_la_SOURCES = utils/lib/world.c utils/lib/world.h
liblayer_world_la_CPPFLAGS = $(AM_CPPFLAGS)
world_layers = liblayer_world.la
if HAVE_MPI
liblayer_world_la_CPPFLAGS += $(MPI_CFLAGS)
world_layers += liblayer_comm_mpi.la
world_libraries = $(MPI_LIBS)
endif
