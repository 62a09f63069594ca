#include "vfs/view.h"

#include <string.h>

/* Small pieces that are close together are read by one call, with what is between them. */
enum { SIEVE = 1 << 16, SIEVE_GAP = 1 << 12 };

/* Bytes of a view that are in one part of the file. */
struct sieve {
    sion_int64 there; /* offset of that in the file */
    size_t span;      /* its bytes */
    size_t bytes;     /* bytes of the view in it */
    int pieces;
};

/* Up to `bytes` bytes of a view, from an offset on; fewer if more would not fit. */
static void fill_sieve(const struct scion_file_view *view, sion_int64 offset, size_t bytes,
                       struct sieve *sieve)
{
    sion_int64 there, run = view->find(view, offset, &there), end;

    *sieve = (struct sieve){.there = there};
    for (end = there; run > 0 && sieve->bytes < bytes && there >= end && there - end <= SIEVE_GAP;
         run = view->find(view, offset + (sion_int64)sieve->bytes, &there)) {
        sion_int64 left = (sion_int64)(bytes - sieve->bytes), part = run < left ? run : left;

        if (sieve->pieces > 0 && there + part - sieve->there > SIEVE)
            break;
        sieve->bytes += (size_t)part;
        sieve->pieces++;
        end = there + part;
        sieve->span = (size_t)(end - sieve->there);
    }
}

/* What was read of the part of the file goes to its places. */
static size_t empty_sieve(const struct scion_file_view *view, sion_int64 offset,
                          const struct sieve *sieve, const char *from, size_t got, char *to)
{
    size_t done = 0, part, at;
    sion_int64 there, run;

    for (; done < sieve->bytes; done += part) {
        run = view->find(view, offset + (sion_int64)done, &there);
        part = (size_t)run < sieve->bytes - done ? (size_t)run : sieve->bytes - done;
        at = (size_t)(there - sieve->there);
        if (at + part > got)
            break;
        memcpy(to + done, from + at, part);
    }
    return done;
}

int scion_file_view_read(const struct scion_file_view *view, scion_read_some *plain,
                         struct scion_file *file, char *to, size_t bytes, sion_int64 offset,
                         size_t *got)
{
    char span[SIEVE];
    struct sieve sieve;
    size_t done;
    int rc = 0;

    *got = 0;
    if (view->read)
        return view->read(view, plain, file, to, bytes, offset, got);
    while (rc == 0 && *got < bytes) {
        sion_int64 at = offset + (sion_int64)*got;

        fill_sieve(view, at, bytes - *got, &sieve);
        rc = plain(file, sieve.pieces > 1 ? span : to + *got, sieve.span, sieve.there, &done);
        if (rc == 0 && sieve.pieces > 1)
            done = empty_sieve(view, at, &sieve, span, done, to + *got);
        *got += rc == 0 ? done : 0;
        if (done < sieve.bytes || sieve.bytes == 0)
            break;
    }
    return rc;
}
