# The texts keep their folder, so that the links of README.md work where it is installed.
dist_doc_DATA = README.md NEWS LICENSE CONTRIBUTING.md
textsdir = $(docdir)/doc
dist_texts_DATA = doc/format.md doc/architecture.md doc/scr.md doc/fti-ff.md

schemadir = $(datadir)/scion
schema_DATA = doc/siondump.schema.json
EXTRA_DIST += $(schema_DATA)

include $(srcdir)/doc/man/local.mk
