bin_PROGRAMS += sionrun
sionrun_SOURCES = \
	utils/sionrun/child.c utils/sionrun/child.h utils/sionrun/done.c utils/sionrun/done.h utils/sionrun/drains.c utils/sionrun/drains.h utils/sionrun/folder.c utils/sionrun/folder.h utils/sionrun/folder_members.c utils/sionrun/folder_remove.c utils/sionrun/later.c \
	utils/sionrun/later.h utils/sionrun/launcher.c utils/sionrun/launcher.h utils/sionrun/inputs.c utils/sionrun/inputs.h \
	utils/sionrun/load.c utils/sionrun/load.h utils/sionrun/merged.c utils/sionrun/merged.h utils/sionrun/namespace.c utils/sionrun/namespace.h utils/sionrun/nodes.c utils/sionrun/nodes.h \
	utils/sionrun/notes.c utils/sionrun/notes.h utils/sionrun/pack.c utils/sionrun/pack.h utils/sionrun/preload.c \
	utils/sionrun/preload.h utils/sionrun/program.c utils/sionrun/settings.h utils/sionrun/sionrun.c \
	utils/sionrun/stages.c utils/sionrun/stages.h utils/sionrun/workers.c utils/sionrun/workers.h
sionrun_CPPFLAGS = $(AM_CPPFLAGS) -DSCION_BINDIR='"$(bindir)"' -DSCION_PKGLIBDIR='"$(pkglibdir)"'
sionrun_LDADD = liblayer_run.la liblayer_pack.la liblayer_comm.la $(tool_layers)
