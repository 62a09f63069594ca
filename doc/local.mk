# The texts keep their folder, so that the links of README.md work where it is installed.
dist_doc_DATA = README.md NEWS LICENSE CONTRIBUTING.md SECURITY.md
textsdir = $(docdir)/doc
dist_texts_DATA = doc/install.md doc/arrays.md doc/architecture.md doc/parallel.md doc/format.md doc/scr.md \
	doc/fti-ff.md doc/reliability.md
dist_texts_DATA += doc/python.md
picturesdir = $(textsdir)/pictures
drawn_pictures = doc/pictures/layers.svg doc/pictures/container.svg doc/pictures/open.svg
dist_pictures_DATA = $(drawn_pictures) doc/pictures/example.svg
EXTRA_DIST += $(drawn_pictures:.svg=.dot) doc/pictures/example.c

# The pictures are in the tree. This makes them anew from their sources, with Graphviz, and with a
# container that an example program writes.
EXTRA_PROGRAMS += picture_example
picture_example_SOURCES = doc/pictures/example.c
picture_example_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la
pictures: picture_example$(EXEEXT) siondump$(EXEEXT)
	for picture in $(drawn_pictures:.svg=); do \
		dot -Tsvg $(srcdir)/$$picture.dot -o $(srcdir)/$$picture.svg || exit 1; \
	done
	./picture_example$(EXEEXT) && ./siondump$(EXEEXT) --svg=$(srcdir)/doc/pictures/example.svg example.sion
	rm -f example.sion
CLEANFILES += picture_example$(EXEEXT)
.PHONY: pictures

schemadir = $(datadir)/scion
schema_DATA = doc/siondump.schema.json
EXTRA_DIST += $(schema_DATA)

include $(srcdir)/doc/man/local.mk
