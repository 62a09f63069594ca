/*
 * Writes containers of some files with two tasks each, and never closes them. Task t writes three
 * records of 300 + t bytes in chunks of 400, which are flushed, and one of 50, which is not; with
 * keys, the key is the number of the record. A set is written as single files, whose headers are
 * changed.
 */
#ifndef TEST_RECOVER_UNCLOSED_H
#define TEST_RECOVER_UNCLOSED_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "sion_common.h"
#include "sion_serial.h"

#include "base/crc32c.h"
#include "format/slot.h"

enum { AT_NFILES = 28, AT_FLAG2 = 44, TASKS = 2, RECORDS = 3, BYTES = 300, MORE = 50 };

static inline int unclosed_write_record(int sid, int has_keys, int task, int record, int bytes)
{
    unsigned char data[BYTES + 100];

    check_fill(data, task, record * 1000L, (size_t)bytes);
    return has_keys ? sion_fwrite_key(data, (uint64_t)record, (size_t)bytes, 1, sid) == 1
                    : sion_fwrite(data, 1, (size_t)bytes, sid) == (size_t)bytes;
}

static inline int unclosed_write_file(char *name, const char *mode, int first)
{
    int n = TASKS, nfiles = 1, ranks[TASKS], *r = ranks, has_keys = strstr(mode, "keyval") != NULL;
    sion_int64 sizes[TASKS], *s = sizes;
    sion_int32 fsblksize = 512;
    int sid, t, i, done = 1;

    for (t = 0; t < TASKS; t++) {
        sizes[t] = 400;
        ranks[t] = first + t;
    }
    sid = sion_open(name, mode, &n, &nfiles, &s, &fsblksize, &r, NULL);
    for (t = 0; sid >= 0 && t < TASKS; t++) {
        done &= sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
        for (i = 0; i < RECORDS; i++)
            done &= unclosed_write_record(sid, has_keys, first + t, i, BYTES + first + t);
    }
    done &= sid >= 0 && sion_flush(sid) == 1;
    for (t = 0; sid >= 0 && t < TASKS; t++) {
        done &= sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
        done &= unclosed_write_record(sid, has_keys, first + t, RECORDS, MORE);
    }
    /* The last record goes to the file, as from a full buffer, but it is not committed. */
    return done && sion_seek(sid, 0, SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
}

/* Give the slots of a file another nonce. */
static inline int unclosed_mark_slots(int fd, uint32_t nonce)
{
    static unsigned char bytes[1 << 20];
    ssize_t size = pread(fd, bytes, sizeof bytes, 0), at;
    uint32_t crc;

    for (at = 0; at + SCION_SLOT_SIZE <= size; at++) {
        if (memcmp(bytes + at, "slot", 4) != 0)
            continue;
        memcpy(bytes + at + 4, &nonce, sizeof nonce);
        crc = scion_crc32c(0, bytes + at, SCION_SLOT_SIZE - 4);
        memcpy(bytes + at + SCION_SLOT_SIZE - 4, &crc, sizeof crc);
    }
    return pwrite(fd, bytes, (size_t)size, 0) == size;
}

/* flag2: of file 0, and then the same in all files. */
static inline int unclosed_make_member(const char *name, int number, int nfiles, sion_int64 *flag2)
{
    const int numbers[2] = {nfiles, number};
    int fd = open(name, O_RDWR), done = fd >= 0;

    if (number == 0)
        done &= pread(fd, flag2, sizeof *flag2, AT_FLAG2) == (ssize_t)sizeof *flag2;
    done &= unclosed_mark_slots(fd, (uint32_t)*flag2) &&
            pwrite(fd, numbers, sizeof numbers, AT_NFILES) == (ssize_t)sizeof numbers &&
            pwrite(fd, flag2, sizeof *flag2, AT_FLAG2) == (ssize_t)sizeof *flag2;
    return done && close(fd) == 0;
}

/* The containers stay open until the process ends. */
static inline int unclosed_write(const char *name, const char *mode, int nfiles)
{
    int f, done = 1;
    sion_int64 flag2 = 0;

    for (f = 0; f < nfiles && done; f++) {
        char path[1000];

        snprintf(path, sizeof path, f > 0 ? "%s.%06d" : "%s", name, f);
        done = unclosed_write_file(path, mode, TASKS * f) &&
               (nfiles == 1 || unclosed_make_member(path, f, nfiles, &flag2));
    }
    return done;
}

#endif
