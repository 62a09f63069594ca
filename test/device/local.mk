# Data in memory of devices.
EXTRA_DIST += test/device/calls.sh test/device/real.sh test/device/devices.h test/device/fake.h test/device/fake_control.h test/device/pointer.f90

# Drivers without hardware; built as libtest_yield is (test/local.mk).
check_LTLIBRARIES += test/device/libcuda.la test/device/libamdhip64.la
test_device_libcuda_la_SOURCES = test/device/fake_cuda.c
test_device_libcuda_la_LDFLAGS = -module -avoid-version -rpath $(abs_builddir)
test_device_libamdhip64_la_SOURCES = test/device/fake_hip.c
test_device_libamdhip64_la_LDFLAGS = -module -avoid-version -rpath $(abs_builddir)

check_PROGRAMS += test/device/calls test/device/real
TESTS += test/device/calls.sh test/device/real.sh
test_device_calls_LDADD = $(array_libraries)
test_device_real_LDADD = $(api_libraries)

if HAVE_OPENMP
check_PROGRAMS += test/device/team
test_device_team_CPPFLAGS = $(omp_cppflags)
test_device_team_CFLAGS = $(omp_cflags)
test_device_team_LDADD = $(omp_libraries) $(api_libraries)
endif
