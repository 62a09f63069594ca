# Containers of every interface against one model of what they have to be, over random cases.
EXTRA_DIST += test/model/model.h test/model/layout.h test/model/generate.h test/model/image.h \
	test/model/write.h test/model/read.h test/model/keys.h test/model/run.h test/model/serial.h \
	test/model/mapped.h

model_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/test -I$(srcdir)/test/layers -I$(srcdir)/test/mpi \
	-I$(srcdir)/test/omp

check_PROGRAMS += test/model/serial
TESTS += test/model/serial
test_model_serial_SOURCES = test/model/serial.c
test_model_serial_CPPFLAGS = $(model_cppflags)
test_model_serial_LDADD = libsiongen_64.la $(api_libraries)

if HAVE_PTHREADS
check_PROGRAMS += test/model/generic
TESTS += test/model/generic
test_model_generic_SOURCES = test/model/generic.c
test_model_generic_CPPFLAGS = $(model_cppflags)
test_model_generic_LDADD = $(test_layers_generic_threads_LDADD)
endif
