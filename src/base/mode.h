/* The mode string of every open: comma-separated words, `key` or `key=value`. */
#ifndef SCION_BASE_MODE_H
#define SCION_BASE_MODE_H

enum scion_access { SCION_ACCESS_NONE, SCION_ACCESS_READ, SCION_ACCESS_WRITE };

enum { SCION_SYNC_NONE, SCION_SYNC_CLOSE, SCION_SYNC_FLUSH };
/* Numbers of files that the library chooses. */
enum { SCION_FILES_NODE = -1, SCION_FILES_WRITERS = -2, SCION_FILES_AUTO = -3 };
enum {
    SCION_STAGE_FOLDER = 512, /* bytes of its name with its NUL */
    SCION_STAGE_MOST = 7      /* of stage_keep */
};
enum { SCION_CHECKSUM_OFF, SCION_CHECKSUM_BY_SITE, SCION_CHECKSUM_ON };
/* Reading: when data are compared with their checksums. Writing, the last two are the same. */
enum { SCION_COMPARES_NOTHING, SCION_COMPARES_READS, SCION_COMPARES_AT_OPEN };
/* Who asks that a container is published by the clock; what only the environment asks for is left
   out where it cannot be. */
enum { SCION_PUBLISH_NOT, SCION_PUBLISH_BY_SITE, SCION_PUBLISH_BY_WORD };
/* Streams of a container that is written, or read as they are stored. */
enum { SCION_COMPRESS_NONE, SCION_COMPRESS_ZSTD, SCION_COMPRESS_STORED };

struct scion_mode {
    enum scion_access access;
    int append;     /* writing: behind what a container has, if there is one */
    int posix;      /* 1: no buffer, unless buffered, and no FILE*; 0: ansi */
    int keyval;     /* SION_KEYVAL_*, SION_KEYVAL_NOTSET if the string does not say */
    int buffered;   /* in posix mode: small records are buffered anyway */
    int big_endian; /* of the user's data: 1 big, if it is said at all; 0 little; else the host's */
    int collective;
    int merge;
    int node_aware; /* collmsa */
    int collsize;   /* tasks per collector, 0 if not said */
    int collread;   /* collectors read for the others, too */
    int buddies;    /* copies asked for, 0 if none */
    int sync;       /* SCION_SYNC_*: waits for the disk */
    int atomic;     /* writing: files get their names at the close; 1 yes, -1 no, 0 not said */
    int unlocked;   /* lock=no: several jobs may write the container at the same time */
    int checksum;   /* SCION_CHECKSUM_* */
    int at_open;    /* reading: checksums are compared at the open */
    int files;      /* writing: physical files, or SCION_FILES_*; 0: as the open's argument says */
    char stage[SCION_STAGE_FOLDER]; /* writing: the node's folder where it is staged; "": none */
    int stage_asked;                /* the string says it, not the environment */
    int stage_keep; /* how many older ones may wait there for their drains, while it is written */
    int publish;    /* writing: SCION_PUBLISH_*: it is published when so many seconds have passed */
    int publish_seconds;
    int keep;             /* writing: generations that are kept; 0 if not said */
    int generation;       /* reading: its number; 0 the newest, -1 the one before, ... */
    int all_generations;  /* reading: all of them, as one stream */
    int sound;            /* reading: the newest one that is not damaged */
    int states_back;      /* reading: 1: of the state before the newest one (file/sound.h) */
    int recover;          /* writing: commit records; 1 yes, -1 no, 0 not said */
    int compress;         /* SCION_COMPRESS_* */
    int compress_by_site; /* the environment says it, not the string */
    int compress_level, compress_frame, compress_threads;
    int shuffle; /* bytes of an element; 1: no */
};

/*
 * Parse text. Unknown words are accepted with one warning that lists them. Words for reading and
 * for writing together, and words for what this library cannot do, are errors.
 */
int scion_mode_parse(const char *text, struct scion_mode *mode);

/*
 * Of a mode string: a word about compression; what the environment says before it is parsed; and
 * at its end, whether the rest of the mode and the key-value mode go with that, and there is a
 * libzstd.
 */
int scion_mode_set_compress(struct scion_mode *mode, const char *word, const char *value);
void scion_mode_default_compress(struct scion_mode *mode);
int scion_mode_settle_compress(struct scion_mode *mode, const char *text, int keyval);

/*
 * What a text says as SION_COMPRESS does: how to compress, or "none". Sets these members of the
 * mode, all of them, or fails.
 */
int scion_mode_read_compress(const char *text, struct scion_mode *mode);

/* Writing: whether the streams are those of a compressed container. */
int scion_mode_zips(const struct scion_mode *mode);

/* The level of zstd, also where only the container that is written on says that it is compressed.
 */
int scion_mode_level(const struct scion_mode *mode);

/* Writing: whether the files are made next to those of the same name, and renamed at the close. */
int scion_mode_is_atomic(const struct scion_mode *mode);

/*
 * The key-value mode of a container to be written: the mode string's, or else that of the
 * environment variable SION_KEYVALUE_MODE, or else none. Modes that cannot be written are errors.
 */
int scion_mode_keyval_for_writing(const struct scion_mode *mode, int *keyval);

/*
 * When reading, the file's key-value mode always applies; if the mode string or the environment
 * asks for another one, there is a warning.
 */
void scion_mode_compare_keyval(const struct scion_mode *mode, int keyval_of_file);

/*
 * SCION_COMPARES_*: whether checksums are to be made or compared: if they are asked for, and there
 * is a function for them. A missing function is an error if the mode string asks for checksums, and
 * a warning if only the environment does.
 */
int scion_mode_find_checksum(const struct scion_mode *mode, int *wanted);

/* "SION_KEYVAL_NONE", ...; "unknown" for any other number. Static strings. */
const char *scion_keyval_name(int keyval);

#endif
