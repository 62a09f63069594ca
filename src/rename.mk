# --with-symbol-prefix: config.h includes rename.h, which renames every symbol. Installed headers
# include the part of it that applications need. Archives and modules get the prefix when they are
# installed.
EXTRA_DIST += src/rename.sh
if RENAMED
BUILT_SOURCES = rename.h
CLEANFILES += rename.h
rename.h: src/rename.sh
	$(AM_V_GEN)$(SHELL) $(srcdir)/src/rename.sh $(srcdir) $(symbol_prefix) all >$@

rename_headers = install-renamed-headers
install-renamed-headers: install-includeHEADERS
	$(SHELL) $(srcdir)/src/rename.sh $(srcdir) $(symbol_prefix) public \
		>'$(DESTDIR)$(includedir)/sion_rename.h'
	cd '$(DESTDIR)$(includedir)' && for path in $(include_HEADERS); do \
		header=$${path##*/}; \
		case $$header in sion_f77.[hH]) continue ;; esac; \
		{ echo '#include "sion_rename.h"'; cat $$header; } >$$header.new && \
			mv $$header.new $$header || exit 1; \
	done
uninstall_renamed = uninstall-renamed
uninstall-renamed:
	rm -f '$(DESTDIR)$(includedir)/sion_rename.h'
endif
