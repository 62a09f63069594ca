/*
 * The files of containers that a session shows in its tree: a map of them, read in place, and for
 * each a byte that says whether it is there yet.
 *
 * An entry is at first in the map only. When a name in its folder is looked up, or the folder is
 * listed, all entries of the folder are made in the tree: folders, links, and empty files of the
 * right size. The bytes of a file are filled in when it is opened.
 */
#ifndef SCION_RUN_INPUT_H
#define SCION_RUN_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* So many bytes of a file are in a physical file of a container. Bytes in no extent are zeros. */
struct scion_input_extent {
    uint64_t at;     /* in the file */
    uint64_t offset; /* in the physical file */
    uint64_t bytes;
    uint32_t source; /* number of the physical file */
    uint32_t unused;
};

struct scion_input_entry {
    const char *path;             /* relative to the root, without detours */
    const char *target;           /* of a link: hard links name an entry of the list; else "" */
    char type;                    /* 'f', 'd', 'l' symbolic, 'h' hard link, 'p' FIFO */
    uint32_t mode;                /* permissions */
    int64_t seconds, nanoseconds; /* of the last change */
    uint64_t size;
    const struct scion_input_extent *extents; /* in ascending order of `at` */
    uint32_t nextents;
    uint32_t end; /* number of the entry behind the last one beneath this folder; set by the map */
};

/* What stands in `filled` for an entry. */
enum scion_input_state {
    SCION_INPUT_EMPTY = 0,  /* not filled; of a folder: its entries are not made */
    SCION_INPUT_MADE = 1,   /* of a folder: all its entries have been made in the tree */
    SCION_INPUT_FILLED = 2, /* the file has its bytes */
    SCION_INPUT_GONE = 3    /* the program has removed, replaced or cut it */
};

/*
 * Make `input` and `filled` in the folder of a session. `sources` are absolute paths. The entries
 * are sorted by path, where '/' is lower than all other characters, each path once. Folders that
 * are missing in the list are added. Returns 0, or -1 with errno; EINVAL: not such a list.
 */
int scion_input_make(const char *folder, const char *const *sources, uint32_t nsources,
                     const struct scion_input_entry *entries, uint32_t n);

struct scion_input {
    const struct scion_input_head *head; /* of the mapped file */
    size_t size;
    unsigned char *filled; /* shared; number n stands for the root */
    uint32_t n;
};

/* 0, or -1 with errno. */
int scion_input_open(const char *folder, struct scion_input *input);
void scion_input_close(struct scion_input *input);

/* Number of the entry with this path; `n` for the root, ""; UINT32_MAX: there is none. */
uint32_t scion_input_find(const struct scion_input *input, const char *path);

/* An entry; its strings and extents are in the map. */
void scion_input_get(const struct scion_input *input, uint32_t number,
                     struct scion_input_entry *entry);

/* Name of a physical file. */
const char *scion_input_source(const struct scion_input *input, uint32_t number);

/* The entries of a folder itself: the first one and those behind it, until UINT32_MAX. */
uint32_t scion_input_first(const struct scion_input *input, uint32_t folder);
uint32_t scion_input_next(const struct scion_input *input, uint32_t folder, uint32_t number);

/* Compare two paths: '/' is lower than all other characters. */
int scion_input_compare(const char *left, const char *right);

#endif
