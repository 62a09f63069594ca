EXTRA_DIST += doc/format.md doc/architecture.md
