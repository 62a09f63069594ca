/**
 * @file sion_libversion_rep.h
 * Renamed builds map every sion_* name to a prefixed one here. This build renames nothing.
 */
#ifndef SION_LIBVERSION_REP_H
#define SION_LIBVERSION_REP_H

#endif
