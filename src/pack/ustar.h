/* Where the fields of a ustar header are. */
#ifndef SCION_PACK_USTAR_H
#define SCION_PACK_USTAR_H

enum {
    USTAR_NAME = 0,
    USTAR_NAME_BYTES = 100,
    USTAR_MODE = 100,
    USTAR_UID = 108,
    USTAR_GID = 116,
    USTAR_NUMBER_BYTES = 8, /* of mode, uid, gid, checksum */
    USTAR_SIZE = 124,
    USTAR_MTIME = 136,
    USTAR_LONG_BYTES = 12, /* of size, mtime */
    USTAR_CHECKSUM = 148,
    USTAR_TYPE = 156,
    USTAR_TARGET = 157,
    USTAR_MAGIC = 257, /* ustar, NUL, 00; GNU's: ustar, two blanks, NUL */
    USTAR_PREFIX = 345,
    USTAR_PREFIX_BYTES = 155
};

#endif
