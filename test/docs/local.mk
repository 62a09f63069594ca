# The code in the documents, and the documents as HTML pages.
EXTRA_DIST += test/docs/blocks.awk test/docs/documents.sh test/docs/frames/mpi.c \
	test/docs/frames/restart.c test/docs/html.sh test/docs/matches.awk

TESTS += test/docs/documents.sh test/docs/html.sh
