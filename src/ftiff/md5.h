/* MD5 by nettle, whose interface has changed between its releases. */
#ifndef SCION_FTIFF_MD5_H
#define SCION_FTIFF_MD5_H

#include <nettle/md5.h>
#include <nettle/version.h>

enum { SCION_MD5_BYTES = MD5_DIGEST_SIZE };

static inline void scion_md5_final(struct md5_ctx *md5, unsigned char digest[SCION_MD5_BYTES])
{
#if NETTLE_VERSION_MAJOR >= 4
    md5_digest(md5, digest);
#else
    md5_digest(md5, SCION_MD5_BYTES, digest);
#endif
}

/* from may be NULL if there are no bytes. */
static inline void scion_md5(const void *from, size_t bytes, unsigned char digest[SCION_MD5_BYTES])
{
    struct md5_ctx md5;

    md5_init(&md5);
    if (bytes > 0)
        md5_update(&md5, bytes, from);
    scion_md5_final(&md5, digest);
}

#endif
