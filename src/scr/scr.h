/*
 * What a user asks for: as the functions of sion_scr.h, but these return 0 or an error code, with
 * its reason in the error record, and print nothing. Options, and the map options in them, must not
 * be NULL. Tools call them.
 */
#ifndef SCION_SCR_SCR_H
#define SCION_SCR_SCR_H

#include "scr/public.h"

int scion_scr_export(const char *fname, const struct sion_scr_export_options *options);
/* status: 0, or an earlier failure of this process. */
int scion_scr_attach(int sid, int status, const struct sion_scr_export_options *options);
int scion_scr_fetch(struct scion_comm *comm, const char *folder, const char *out,
                    const struct sion_scr_fetch_options *options);
int scion_scr_check(const char *folder, const struct sion_scr_fetch_options *options);
int scion_scr_seal(struct scion_comm *comm, const char *folder,
                   const struct sion_scr_fetch_options *options);
int scion_scr_import(const char *folder, const char *fname,
                     const struct sion_scr_fetch_options *options);
int scion_scr_pack(struct scion_comm *comm, const char *folder, int n, const sion_int64 *ranks,
                   const char *const *paths, sion_int64 bytes,
                   const struct sion_scr_pack_options *options);
int scion_scr_index_build(const char *prefix, int dry_run,
                          void (*tell)(void *user, const char *name, int failed, const char *text),
                          void *user);
int scion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what,
                         void (*tell)(void *user, const char *name, int failed, const char *text),
                         void *user);

#endif
