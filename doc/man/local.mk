# Manual pages. Each tool has one in section 1; those of section 3 are made from the headers. sion(7) is
# the overview, and lists the environment variables.
dist_man_MANS = \
	doc/man/fpartest.1 doc/man/ompi_partest.1 doc/man/partest.1 \
	doc/man/sion.5 doc/man/sion.7 doc/man/sionarray.1 doc/man/sioncat.1 doc/man/sionconfig.1 doc/man/sioncp.1 doc/man/siondefrag.1 \
	doc/man/siondiff.1 doc/man/siondrain.1 doc/man/sionrun.1 doc/man/siondump.1 doc/man/sionls.1 doc/man/sionmerge.1 doc/man/sionmv.1 doc/man/sionrecover.1 doc/man/sionrm.1 doc/man/sionsplit.1 doc/man/sionverify.1 doc/man/sionversion.1
if HAVE_FTIFF
dist_man_MANS += doc/man/sionfti.1
endif
if HAVE_FUSE
dist_man_MANS += doc/man/sionmount.1
endif

man3_programs = doc/man/man3.awk doc/man/header2man.awk doc/man/fortran2man.awk doc/man/cxx2man.awk
EXTRA_DIST += doc/man/man3.sh $(man3_programs) doc/man/sion_f77.3
noinst_DATA = doc/man/man3.stamp
CLEANFILES += doc/man/man3.stamp
MAN3_DATE = November 22, 2026

# Makes all pages at once, because their number and names depend on the sources.
doc/man/man3.stamp: doc/man/man3.sh doc/man/sion_f77.3 $(man3_programs) $(include_HEADERS) $(built_modules) \
		src/fortran/forward.awk
	$(AM_V_GEN)rm -rf doc/man/man3 && $(MKDIR_P) doc/man/man3 && \
	AWK='$(AWK)' $(SHELL) $(srcdir)/doc/man/man3.sh doc/man/man3 '$(MAN3_DATE)' $(srcdir) \
		$(include_HEADERS) $(built_modules) && touch $@

install-data-local: install-man3
install-man3: doc/man/man3.stamp
	$(MKDIR_P) '$(DESTDIR)$(mandir)/man3'
	$(INSTALL_DATA) doc/man/man3/*.3 '$(DESTDIR)$(mandir)/man3'

uninstall-local: uninstall-man3
uninstall-man3: doc/man/man3.stamp
	cd doc/man/man3 && for page in *.3; do rm -f "$(DESTDIR)$(mandir)/man3/$$page"; done

clean-local: clean-man3
clean-man3:
	rm -rf doc/man/man3
.PHONY: install-man3 uninstall-man3 clean-man3
