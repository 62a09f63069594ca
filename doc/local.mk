# The texts are installed into a folder doc/, so that the links in README.md work there, too.
dist_doc_DATA = README.md NEWS LICENSE CONTRIBUTING.md SECURITY.md PACKAGERS.md
EXTRA_DIST += RELEASING.md
textsdir = $(docdir)/doc
dist_texts_DATA = doc/guide.md doc/guide-first.md doc/guide-fast.md doc/guide-safe.md doc/guide-data.md \
	doc/guide-reading.md doc/guide-unchanged.md doc/install.md doc/arrays.md doc/architecture.md doc/parallel.md doc/format.md doc/scr.md \
	doc/fti-ff.md doc/performance.md doc/reliability.md doc/stdio.md doc/tools.md
dist_texts_DATA += doc/python.md doc/testing.md
resultsdir = $(docdir)/bench/results
dist_results_DATA = bench/results/2026-11.md
picturesdir = $(textsdir)/pictures
schemes = doc/pictures/layers.svg doc/pictures/container.svg
kept = doc/pictures/lanes.svg doc/pictures/recovered.svg doc/pictures/arrays.png doc/pictures/bench-growth.svg doc/pictures/bench-read.svg doc/pictures/bench-write.svg doc/pictures/heat.png \
	doc/pictures/staging.svg
drawn = doc/pictures/example.svg doc/pictures/chunks-small.svg doc/pictures/chunks-right.svg \
	doc/pictures/chunks-large.svg doc/pictures/blocks-large.svg
dist_pictures_DATA = $(schemes) $(drawn) $(kept)
EXTRA_DIST += $(schemes:.svg=.dot) doc/pictures/layout.c doc/pictures/draw.sh doc/pictures/layers.sh \
	doc/pictures/million.c doc/pictures/recovered.sh doc/pictures/recovered.awk \
	doc/pictures/lanes.txt doc/pictures/lanes.awk doc/pictures/staging.awk

# The pictures are in the tree. "make pictures" makes them anew: with Graphviz from their sources, of
# which the layers are those that the linker sees; with siondump from containers that a program writes;
# and with sionrecover from one whose writer is killed.
EXTRA_PROGRAMS += layout million
layout_SOURCES = doc/pictures/layout.c
layout_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la
million_SOURCES = doc/pictures/million.c
million_LDADD = $(layout_LDADD)
pictures: all layout$(EXEEXT) million$(EXEEXT)
	$(SHELL) $(srcdir)/doc/pictures/layers.sh $(srcdir) . >layers.new && \
		mv layers.new $(srcdir)/doc/pictures/layers.dot
	for picture in $(schemes:.svg=); do \
		dot -Tsvg $(srcdir)/$$picture.dot -o $(srcdir)/$$picture.svg || exit 1; \
	done
	tred $(srcdir)/doc/pictures/layers.dot | dot -Tsvg -o $(srcdir)/doc/pictures/layers.svg
	$(SHELL) $(srcdir)/doc/pictures/draw.sh "`pwd`" $(srcdir)/doc/pictures
	$(AWK) -f $(srcdir)/doc/pictures/lanes.awk $(srcdir)/doc/pictures/lanes.txt >$(srcdir)/doc/pictures/lanes.svg
	$(AWK) -f $(srcdir)/doc/pictures/staging.awk $(srcdir)/bench/results/2026-11-staging.dat \
		>$(srcdir)/doc/pictures/staging.svg
	for direction in read write; do \
		$(srcdir)/bench/plot.sh $(srcdir)/bench/results/2026-11-$$direction.dat \
			$(srcdir)/doc/pictures/bench-$$direction.svg "$$direction: 2 tasks, records of 1 MiB" || exit 1; \
	done
	$(SHELL) $(srcdir)/doc/pictures/recovered.sh "`pwd`" $(srcdir)/doc/pictures/recovered.svg
CLEANFILES += layout$(EXEEXT) million$(EXEEXT)
.PHONY: pictures

# The texts as HTML pages, which pandoc makes; this build draws the pictures of containers. The
# pages link to each other, and to the files installed in the folder above.
html_texts = README.md CONTRIBUTING.md SECURITY.md PACKAGERS.md $(dist_texts_DATA)
html-local: layout$(EXEEXT) siondump$(EXEEXT) $(html_texts)
	rm -rf doc/html && $(MKDIR_P) doc/html/pictures
	for picture in $(schemes) $(kept); do cp $(srcdir)/$$picture doc/html/pictures || exit 1; done
	$(SHELL) $(srcdir)/doc/pictures/draw.sh "`pwd`" doc/html/pictures
	PANDOC='$(PANDOC)' $(SHELL) $(srcdir)/doc/html.sh $(srcdir) doc/html $(html_texts)

pagesdir = $(docdir)/html
install-html-local: html-local
	$(MKDIR_P) '$(DESTDIR)$(pagesdir)/pictures'
	$(INSTALL_DATA) doc/html/*.html '$(DESTDIR)$(pagesdir)'
	$(INSTALL_DATA) doc/html/pictures/*.* '$(DESTDIR)$(pagesdir)/pictures'
uninstall-local: uninstall-html
uninstall-html:
	for text in $(html_texts); do \
		page=`basename $$text .md`.html; rm -f "$(DESTDIR)$(pagesdir)/$$page"; \
	done
	for picture in $(dist_pictures_DATA); do \
		rm -f "$(DESTDIR)$(pagesdir)/pictures/$${picture##*/}"; \
	done
clean-local: clean-html
clean-html:
	rm -rf doc/html
.PHONY: clean-html uninstall-html
EXTRA_DIST += doc/html.sh doc/html.css doc/html.lua

schemadir = $(datadir)/scion
schema_DATA = doc/siondump.schema.json doc/sionrecover.schema.json doc/sionverify.schema.json
EXTRA_DIST += $(schema_DATA)

include $(srcdir)/doc/man/local.mk
