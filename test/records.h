/* Reads containers of keys. */
#ifndef TEST_RECORDS_H
#define TEST_RECORDS_H

#include "check.h"
#include "sion.h"

/* The data of the next records, of any keys, as many as there are and as fit. */
static inline sion_int64 records_read(int sid, unsigned char *data, sion_int64 most)
{
    sion_int64 done = 0;
    uint64_t key;
    size_t bytes;

    while (sion_fread_key_iterator_next(sid, &key, &bytes) == SION_SUCCESS &&
           done + (sion_int64)bytes <= most) {
        CHECK_INT(sion_fread_key(data + done, key, 1, bytes, sid), bytes);
        done += (sion_int64)bytes;
    }
    return done;
}

#endif
