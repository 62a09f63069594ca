# A measurement to run by hand: make bench/scr_export && bench/scr_export 100000 4
if HAVE_ZLIB
EXTRA_PROGRAMS += bench/scr_export
bench_scr_export_SOURCES = bench/scr_export.c
bench_scr_export_LDADD = $(scr_libraries)
CLEANFILES += bench/scr_export
endif
