EXTRA_DIST += doc/format.md doc/architecture.md doc/scr.md

schemadir = $(datadir)/scion
schema_DATA = doc/siondump.schema.json
EXTRA_DIST += $(schema_DATA)
