# Manual pages. Each tool has one in section 1; those of section 3 are made from the headers.
dist_man_MANS = \
	doc/man/fpartest.1 doc/man/ompi_partest.1 doc/man/partest.1 \
	doc/man/sion.5 doc/man/sioncat.1 doc/man/sionconfig.1 doc/man/siondefrag.1 \
	doc/man/siondump.1 doc/man/sionmerge.1 doc/man/sionsplit.1 doc/man/sionversion.1
if HAVE_FTIFF
dist_man_MANS += doc/man/sionfti.1
endif

EXTRA_DIST += doc/man/header2man.awk
noinst_DATA = doc/man/man3.stamp
CLEANFILES += doc/man/man3.stamp
MAN3_DATE = November 21, 2026

# All pages at once, because their number and names are in the headers.
doc/man/man3.stamp: doc/man/header2man.awk $(include_HEADERS)
	$(AM_V_GEN)rm -rf doc/man/man3 && $(MKDIR_P) doc/man/man3 && \
	for header in $(include_HEADERS); do \
		test -f $$header || header=$(srcdir)/$$header; \
		case $$header in *.h) echo $$header ;; esac; \
	done | LC_ALL=C xargs $(AWK) -v out=doc/man/man3 -v date='$(MAN3_DATE)' \
		-f $(srcdir)/doc/man/header2man.awk && touch $@

install-data-local: install-man3
install-man3: doc/man/man3.stamp
	$(MKDIR_P) '$(DESTDIR)$(mandir)/man3'
	$(INSTALL_DATA) doc/man/man3/*.3 '$(DESTDIR)$(mandir)/man3'

uninstall-local: uninstall-man3
uninstall-man3:
	cd doc/man/man3 && for page in *.3; do rm -f "$(DESTDIR)$(mandir)/man3/$$page"; done

clean-local: clean-man3
clean-man3:
	rm -rf doc/man/man3
.PHONY: install-man3 uninstall-man3 clean-man3
