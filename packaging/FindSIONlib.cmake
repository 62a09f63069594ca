# FindSIONlib
# -----------
# Finds SIONlib, or Scion in its place, by sionconfig. For projects that have to work with both: copy this file
# into a folder of CMAKE_MODULE_PATH. Projects that need Scion only can do without, because Scion has a package.
#
#   find_package(SIONlib [1.7] [REQUIRED] [COMPONENTS ...])
#
# Components, in small or capital letters:
#
#   SER, OMP, MPI, OMPI, GEN   the interface. Without one: MPI if the project has looked for MPI before, else SER
#   C, CXX, F77, F90           the languages. Without one: C
#   THREADSAFE                 the library with locks
#
# Where it looks: SIONlib_ROOT, SIONLIB_ROOT, SIONLIB_ROOT_DIR, SIONLIB_DIR, SIONLIBBASE, as variables or in the
# environment, then CMAKE_PREFIX_PATH and PATH. SIONLIB_CONFIG names the program sionconfig itself.
#
# Result:
#
#   SIONlib::SIONlib        target with all of these; it links MPI::MPI_C and the like if the project has them
#   SIONLIB_FOUND, SIONLIB_VERSION
#   SIONLIB_INCLUDE_DIRS    also SIONLIB_INCLUDE_DIR, SIONLIB_INCLUDE
#   SIONLIB_DEFINITIONS     such as -DSION_MPI; also SIONLIB_CFLAGS
#   SIONLIB_LIBRARIES       also SIONLIB_LIBRARY, SIONLIB_LIBS; without the libraries of MPI
#
# and the same with SIONlib_ in place of SIONLIB_.
#
# SPDX-License-Identifier: BSD-3-Clause

set(_sionlib_hints "")
foreach(_sionlib_name IN ITEMS SIONlib_ROOT SIONLIB_ROOT SIONLIB_ROOT_DIR SIONLIB_DIR SIONLIBBASE)
  list(APPEND _sionlib_hints ${${_sionlib_name}} $ENV{${_sionlib_name}})
endforeach()
find_program(SIONLIB_CONFIG sionconfig HINTS ${_sionlib_hints} PATH_SUFFIXES bin)

# ---- the components ----

set(_sionlib_languages "")
set(_sionlib_interface "")
set(_sionlib_options "")
set(SIONLIB_UNKNOWN_COMPONENTS "")
foreach(_sionlib_component IN LISTS SIONlib_FIND_COMPONENTS)
  string(TOLOWER ${_sionlib_component} _sionlib_word)
  if(_sionlib_word MATCHES "^(c|cxx|f77|f90)$")
    list(APPEND _sionlib_languages ${_sionlib_word})
  elseif(_sionlib_word MATCHES "^(ser|serial)$")
    set(_sionlib_word ser)
  elseif(_sionlib_word STREQUAL "generic")
    set(_sionlib_word gen)
  elseif(_sionlib_word STREQUAL "threadsafe")
    set(_sionlib_options --threadsafe)
  elseif(NOT _sionlib_word MATCHES "^(omp|mpi|ompi|gen)$")
    list(APPEND SIONLIB_UNKNOWN_COMPONENTS ${_sionlib_component})
  endif()
  if("${_sionlib_interface} ${_sionlib_word}" MATCHES "^(mpi omp|omp mpi)$")
    set(_sionlib_interface ompi)
  elseif(_sionlib_word MATCHES "^(omp|mpi|ompi|gen)$" OR (_sionlib_word STREQUAL "ser" AND NOT _sionlib_interface))
    set(_sionlib_interface ${_sionlib_word})
  endif()
endforeach()
if(NOT _sionlib_languages)
  set(_sionlib_languages c)
endif()
if(NOT _sionlib_interface)
  set(_sionlib_interface ser)
  if(MPI_FOUND OR TARGET MPI::MPI_C OR TARGET MPI::MPI_CXX OR TARGET MPI::MPI_Fortran)
    set(_sionlib_interface mpi)
  endif()
endif()

# ---- what sionconfig says ----

# _sionlib_ask(RESULT WORD...): the words that it prints; sionconfig fails for parts that were not built
function(_sionlib_ask result)
  execute_process(COMMAND ${SIONLIB_CONFIG} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text
    ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(SIONLIB_MISSING_PART "${SIONLIB_CONFIG} ${ARGN} fails: ${errors}" PARENT_SCOPE)
    set(text "")
  endif()
  separate_arguments(words UNIX_COMMAND "${text}")
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

set(SIONLIB_INCLUDE_DIRS "")
set(SIONLIB_DEFINITIONS "")
set(SIONLIB_LIBRARIES "")
set(SIONLIB_VERSION "")
set(SIONLIB_MISSING_PART "")
if(SIONLIB_CONFIG)
  _sionlib_ask(_sionlib_words --version)
  if("${_sionlib_words}" MATCHES "Version;([0-9]+\\.[0-9]+\\.?[0-9]*)")
    set(SIONLIB_VERSION ${CMAKE_MATCH_1})
  endif()
  foreach(_sionlib_language IN LISTS _sionlib_languages)
    _sionlib_ask(_sionlib_flags --${_sionlib_interface} --${_sionlib_language} ${_sionlib_options} --cflags)
    _sionlib_ask(_sionlib_words --${_sionlib_interface} --${_sionlib_language} ${_sionlib_options} --libs)
    foreach(_sionlib_word IN LISTS _sionlib_flags _sionlib_words)
      if(_sionlib_word MATCHES "^-I(.*)")
        list(APPEND SIONLIB_INCLUDE_DIRS "${CMAKE_MATCH_1}")
      elseif(_sionlib_word MATCHES "^-D")
        list(APPEND SIONLIB_DEFINITIONS ${_sionlib_word})
      elseif(_sionlib_word MATCHES "^-L(.*)")
        set(_sionlib_folder "${CMAKE_MATCH_1}")
      elseif(_sionlib_word MATCHES "^-l(.*sion.*)")
        find_library(SIONLIB_LIBRARY_${CMAKE_MATCH_1} ${CMAKE_MATCH_1} HINTS "${_sionlib_folder}" NO_DEFAULT_PATH)
        mark_as_advanced(SIONLIB_LIBRARY_${CMAKE_MATCH_1})
        list(APPEND SIONLIB_LIBRARIES "${SIONLIB_LIBRARY_${CMAKE_MATCH_1}}")
      else()
        list(APPEND SIONLIB_LIBRARIES ${_sionlib_word})
      endif()
    endforeach()
  endforeach()
endif()
foreach(_sionlib_name IN ITEMS INCLUDE_DIRS DEFINITIONS)
  if(SIONLIB_${_sionlib_name})
    list(REMOVE_DUPLICATES SIONLIB_${_sionlib_name})
  endif()
endforeach()
set(SIONLIB_INCLUDE_DIR "")
if(SIONLIB_INCLUDE_DIRS)
  list(GET SIONLIB_INCLUDE_DIRS 0 SIONLIB_INCLUDE_DIR)
endif()

# ---- the result ----

set(SIONLIB_HEADER "")
if(EXISTS "${SIONLIB_INCLUDE_DIR}/sion.h")
  set(SIONLIB_HEADER "${SIONLIB_INCLUDE_DIR}/sion.h")
endif()
set(_sionlib_complete TRUE)
if(SIONLIB_UNKNOWN_COMPONENTS)
  set(SIONLIB_MISSING_PART "unknown components: ${SIONLIB_UNKNOWN_COMPONENTS}")
endif()
if(SIONLIB_MISSING_PART OR "${SIONLIB_LIBRARIES}" MATCHES "NOTFOUND")
  set(_sionlib_complete FALSE)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SIONlib
  REQUIRED_VARS SIONLIB_CONFIG SIONLIB_HEADER SIONLIB_LIBRARIES _sionlib_complete
  VERSION_VAR SIONLIB_VERSION FAIL_MESSAGE "SIONlib was not found. ${SIONLIB_MISSING_PART}")
set(SIONLIB_FOUND ${SIONlib_FOUND})
mark_as_advanced(SIONLIB_CONFIG)

if(SIONlib_FOUND AND NOT TARGET SIONlib::SIONlib)
  string(REGEX REPLACE "(^|;)-D" "\\1" _sionlib_words "${SIONLIB_DEFINITIONS}")
  set(_sionlib_further "")
  foreach(_sionlib_name IN ITEMS MPI::MPI_Fortran MPI::MPI_CXX MPI::MPI_C)
    if(_sionlib_interface MATCHES "mpi" AND TARGET ${_sionlib_name})
      list(APPEND _sionlib_further ${_sionlib_name})
    endif()
  endforeach()
  add_library(SIONlib::SIONlib INTERFACE IMPORTED)
  set_target_properties(SIONlib::SIONlib PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${SIONLIB_INCLUDE_DIRS}"
    INTERFACE_COMPILE_DEFINITIONS "${_sionlib_words}"
    INTERFACE_LINK_LIBRARIES "${SIONLIB_LIBRARIES};${_sionlib_further}")
endif()
set(SIONLIB_LIBRARY ${SIONLIB_LIBRARIES})
set(SIONLIB_LIBS ${SIONLIB_LIBRARIES})
set(SIONLIB_INCLUDE ${SIONLIB_INCLUDE_DIRS})
set(SIONLIB_CFLAGS ${SIONLIB_DEFINITIONS})
foreach(_sionlib_name IN ITEMS VERSION INCLUDE INCLUDE_DIR INCLUDE_DIRS DEFINITIONS CFLAGS LIBRARY LIBRARIES LIBS)
  set(SIONlib_${_sionlib_name} ${SIONLIB_${_sionlib_name}})
endforeach()
