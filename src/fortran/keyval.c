/* Routines for key-value records. */
#include "sion_common.h"

#include "fortran/names.h"

/* Fortran has no unsigned numbers: keys above 2^63 are negative. */
DEFINE_OUTPUT(fsion_fwrite_key, FSION_FWRITE_KEY,
              (const void *data, const sion_int64 *key, const sion_int64 *size,
               const sion_int64 *nitems, const int *sid, sion_int64 *rc),
              rc,
              (sion_int64)sion_fwrite_key(data, (uint64_t)*key, (size_t)*size, (size_t)*nitems,
                                          *sid))
DEFINE_OUTPUT(fsion_fread_key, FSION_FREAD_KEY,
              (void *data, const sion_int64 *key, const sion_int64 *size, const sion_int64 *nitems,
               const int *sid, sion_int64 *rc),
              rc,
              (sion_int64)sion_fread_key(data, (uint64_t)*key, (size_t)*size, (size_t)*nitems,
                                         *sid))
DEFINE_IERR(fsion_seek_key, FSION_SEEK_KEY,
            (const int *sid, const sion_int64 *key, const int *entrynum,
             const sion_int64 *posinentry, int *ierr),
            sion_seek_key(*sid, (uint64_t)*key, *entrynum, *posinentry))
DEFINE_IERR(fsion_fread_key_iterator_reset, FSION_FREAD_KEY_ITERATOR_RESET,
            (const int *sid, int *ierr), sion_fread_key_iterator_reset(*sid))

void ROUTINE(fsion_fread_key_iterator_next,
             FSION_FREAD_KEY_ITERATOR_NEXT)(const int *sid, sion_int64 *key, sion_int64 *size,
                                            int *ierr)
{
    uint64_t next;
    size_t bytes;
    int rc = sion_fread_key_iterator_next(*sid, &next, &bytes);

    if (rc == 1) {
        *key = (sion_int64)next;
        *size = (sion_int64)bytes;
    }
    STORE(ierr, rc);
}
