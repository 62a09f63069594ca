# Command line tools. They call internal functions of the library, so they link its layers.
include $(srcdir)/utils/lib/local.mk
include $(srcdir)/utils/sionarray/local.mk
include $(srcdir)/utils/siondefrag/local.mk
include $(srcdir)/utils/siondiff/local.mk
include $(srcdir)/utils/siondump/local.mk
include $(srcdir)/utils/siondrain/local.mk
include $(srcdir)/utils/sionfti/local.mk
include $(srcdir)/utils/sionls/local.mk
include $(srcdir)/utils/sionsplit/local.mk
include $(srcdir)/utils/sionscr/local.mk
include $(srcdir)/utils/sionverify/local.mk
include $(srcdir)/utils/sionmerge/local.mk
include $(srcdir)/utils/sionmount/local.mk
include $(srcdir)/utils/sionmv/local.mk
include $(srcdir)/utils/sionrun/local.mk

bin_PROGRAMS += sioncat sionrecover sionversion
sioncat_SOURCES = utils/sioncat/follow.c utils/sioncat/follow.h utils/sioncat/sioncat.c \
	utils/sioncat/unshuffle.c utils/sioncat/unshuffle.h
sioncat_LDADD = $(tool_layers)
sionrecover_SOURCES = utils/sionrecover.c
sionrecover_LDADD = $(tool_layers)
sionversion_SOURCES = utils/sionversion.c
sionversion_CPPFLAGS = $(AM_CPPFLAGS) -DGIT_REV='"$(GIT_REV)"'
sionversion_LDADD = liblayer_tools.la liblayer_vfs.la liblayer_base.la $(lock_layer)
# The Makefile defines the revision.
utils/sionversion-sionversion.$(OBJEXT): Makefile

bin_SCRIPTS += utils/sionconfig

# bash finds the completion of a command by its name.
EXTRA_DIST += utils/completion/sion-tools.bash
completions = $(DESTDIR)$(datadir)/bash-completion/completions

install-data-local: install-completions
install-completions:
	$(MKDIR_P) '$(completions)'
	for tool in $(bin_PROGRAMS) $(bin_SCRIPTS); do \
		$(INSTALL_DATA) $(srcdir)/utils/completion/sion-tools.bash \
			"$(completions)/$${tool##*/}" || exit 1; \
	done

uninstall-local: uninstall-completions
uninstall-completions:
	for tool in $(bin_PROGRAMS) $(bin_SCRIPTS); do rm -f "$(completions)/$${tool##*/}"; done
.PHONY: install-completions uninstall-completions
