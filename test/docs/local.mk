# The code in the documents, and the documents as HTML pages.
TESTS += test/docs/documents.sh test/docs/html.sh
EXTRA_DIST += test/docs/documents.sh test/docs/html.sh test/docs/blocks.awk test/docs/matches.awk \
	test/docs/frames/mpi.c test/docs/frames/restart.c
