# Command line tools. They see the library's insides, so they are linked with its layers.
noinst_LTLIBRARIES += liblayer_tools.la
liblayer_tools_la_SOURCES = \
	utils/builder.c utils/builder.h utils/input.c utils/input.h utils/keys.c utils/keys.h utils/output.c utils/output.h \
	utils/progress.c utils/progress.h utils/records.c utils/records.h utils/replace.c utils/replace.h \
	utils/tool.c utils/tool.h

tool_layers = \
	liblayer_tools.la liblayer_api_serial.la liblayer_api_common.la $(core_layers) $(lock_layer)

bin_PROGRAMS += siondump sioncat sionsplit siondefrag sionmerge sionversion
siondump_SOURCES = \
	utils/siondump.c utils/siondump.h utils/siondump_json.c utils/siondump_keys.c \
	utils/siondump_svg.c utils/siondump_svg.h utils/siondump_svg_density.c \
	utils/siondump_tables.c utils/siondump_usage.c utils/text.c utils/text.h
siondump_LDADD = $(tool_layers)
sioncat_SOURCES = utils/sioncat.c
sioncat_LDADD = $(tool_layers)
sionsplit_SOURCES = utils/sionsplit.c utils/sionsplit.h utils/sionsplit_keys.c
sionsplit_LDADD = $(tool_layers)
siondefrag_SOURCES = utils/siondefrag.c
siondefrag_LDADD = $(tool_layers)
sionmerge_SOURCES = utils/names.c utils/names.h utils/sionmerge.c
sionmerge_LDADD = $(tool_layers)
sionversion_SOURCES = utils/sionversion.c
sionversion_CPPFLAGS = $(AM_CPPFLAGS) -DGIT_REV='"$(GIT_REV)"'
sionversion_LDADD = liblayer_tools.la
# The revision is in there.
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

include $(srcdir)/utils/sionfti.mk
include $(srcdir)/utils/sionscr.mk
