/* What tasks ask at an open, and what they are answered. */
#ifndef SCION_PARALLEL_REQUEST_H
#define SCION_PARALLEL_REQUEST_H

#include "parallel/consult.h"
#include "parallel/parallel.h"

/* Bits of a request's status. */
enum {
    SCION_ASKS_WRITING = 1,
    SCION_ASKS_SEAT = 2,        /* the application has chosen its file and place */
    SCION_ASKS_CAPABILITY = 4,  /* times enum scion_capability */
    SCION_ASKS_COPIES = 16,     /* times the copies of a buddy checkpoint */
    SCION_ASKS_APPEND = 1 << 20 /* _WRITING: on what a container has, if there is one */
};

/*
 * What every task sends at an open: to rank 0 of all, and in a set of files also to the file's
 * first task. 32 bytes, because rank 0 may get a million of them.
 */
struct scion_request {
    struct scion_request_head head; /* SCION_ASKS_*; files of equal shares, or by leader: minus the
                                       files that processes are divided over */
    sion_int64 chunksize;
    union {
        struct {
            uint32_t name; /* a hash of it */
            int32_t lsize; /* by leader: tasks of its local communicator */
        };
        sion_int64 node; /* of a second request: equal on the tasks of a node */
    };
    int32_t leader; /* rank in global; SCION_ASKS_SEAT: number of the file; in a file's own
                       communicator: the task's rank */
    int32_t lrank;  /* place in its file, as far as the task knows it */
};

/* Bits of a reply's status. */
enum {
    SCION_REPLY_AGAIN = 1,       /* no decision yet: send the request again, with the node */
    SCION_REPLY_SEAT = 2,        /* the task's file has its own communicator: ask its first task */
    SCION_REPLY_SEVERAL = 4,     /* reading: tasks have several chunks, or one is damaged; numbers
                                    follow */
    SCION_REPLY_GROUP = 8,       /* collective mode */
    SCION_REPLY_NAME = 16,       /* names differ: that of the file's first task counts */
    SCION_REPLY_BIG_ENDIAN = 32, /* _SEAT, reading: file 0 is */
    SCION_REPLY_COUNT = 64,      /* from rank 0 of all: make statistics */
    SCION_REPLY_CHECKSUM = 128,  /* checksums are made, or compared */
    SCION_REPLY_ATOMIC = 256,    /* writing: files get their names at the close */
    SCION_REPLY_MEMBERS = 512,   /* reading: merged streams are read by members */
    SCION_REPLY_STAGED = 1024,   /* writing: to folders of the nodes, at first */
    SCION_REPLY_AT_OPEN = 2048,  /* _CHECKSUM, reading: before the open ends */
    SCION_REPLY_APPEND = 4096,   /* writing: the container is there, and each task goes on */
    SCION_REPLY_KEEP = 16384,    /* writing: it has generations */
    SCION_REPLY_PUBLISH = 32768, /* writing: it is published by rank 0's clock */
    SCION_REPLY_SOUND = 1 << 16, /* reading: a generation, of which nothing may be damaged */
    SCION_REPLY_STATE = 8192     /* _SEAT: file 0 has a state with a number, which follows */
};

/* What differs between tasks. 32 bytes. */
struct scion_reply {
    struct scion_reply_head head; /* SCION_REPLY_*; its place in the file, or with _GROUP, where its
                                   place is the one that it knows, the first task of its group */
    union {
        struct {
            sion_int64 start, chunksize;
            sion_int64 used; /* reading: bytes in the only chunk; _SEVERAL: count of
                                scion_task_place; writing: flag2 of the file */
        };
        struct {
            int32_t file, nfiles, first_leader;
            int16_t format_version, keyval; /* reading: of file 0 */
            sion_int64 flag2;               /* of file 0; writing: of all files */
        };                                  /* _SEAT */
    };
};

/* What is equal on all tasks of a file: its header, and more. A multiple of 64-bit words. */
struct scion_facts {
    int32_t fsblksize, ntasks, nfiles, version, patch, format_version, swapped, big_endian;
    int32_t maxchunks;
    int32_t merge;  /* collective mode: records go to the collector's chunk; reading: they came
                       there, and there is no record of the members */
    int32_t at_end; /* reading these: the first group has no data */
    int32_t reads;  /* collective mode: collectors read for the others */
    sion_int64 flag1, flag2, globalskip;
    sion_int64 floor; /* writing: as in struct scion_place */
};

enum { SCION_FACTS_WORDS = sizeof(struct scion_facts) / sizeof(sion_int64) };

/* Both in one message, for tasks in several files. */
struct scion_full_reply {
    struct scion_reply reply;
    struct scion_facts facts;
};

/* Facts of a file, and a header made of facts. */
void scion_describe_file(const struct scion_physical *physical, struct scion_facts *facts);
struct scion_meta1 scion_head_of(const struct scion_facts *facts, int file);

#endif
