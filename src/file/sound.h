/*
 * An open for reading that takes the newest generation that is not damaged (mode word
 * `generation=latest`, the default). It is made again for an older one, until one is sound: first
 * for those of the newest state, then, as its tables may be damaged, for those of the state before.
 */
#ifndef SCION_FILE_SOUND_H
#define SCION_FILE_SOUND_H

#include "base/error.h"
#include "base/mode.h"
#include "file/physical.h"

struct scion_sound {
    int tries;         /* opens that have failed */
    int changes;       /* of these, because the container was published meanwhile: not counted */
    int warnings;      /* that there were before the first one */
    sion_int64 newest; /* the generation that it was for; SCION_SOUND_UNKNOWN */
    char reason[SCION_ERROR_TEXT];
};

/* What an attempt was for. */
struct scion_seen {
    sion_int64 generation; /* 0: a container without generations, or one that could not be read */
    int has_changed; /* it has failed, and its state is not the newest one any more: data may be
                        gone */
};

enum { SCION_SOUND_UNKNOWN = -1 /* a generation: their record is damaged */ };

/* What the next attempt is for, which all tasks have to know. 64-bit words. */
struct scion_sound_next {
    sion_int64 again;   /* 0: there is none */
    sion_int64 is_same; /* the container has changed meanwhile: the same as before */
    sion_int64 generation, states_back;
    sion_int64 newest; /* as in struct scion_sound */
};

void scion_sound_begin(struct scion_sound *sound);

/* File 0 of a container has been read: go back to the state that the mode says, and show the
   generation. */
int scion_sound_choose(struct scion_physical *physical, const struct scion_mode *mode,
                       struct scion_seen *seen);

/* Whether this file is opened so: then no task may be damaged. */
int scion_sound_is_wanted(const struct scion_physical *physical, const struct scion_mode *mode);

/* When such an open compares (SCION_COMPARES_*), as the mode alone would say `compares`. */
int scion_sound_compares(const struct scion_physical *physical, int compares);

/* Fail if the tables say that a task is damaged, or other bytes than the record of generations.
   Where the tables are not in memory, that is not known. */
int scion_sound_check(const struct scion_physical *physical);

/* An attempt fails, and file 0 is still open: whether it has changed. */
void scion_sound_look(struct scion_physical *physical, const struct scion_mode *mode,
                      struct scion_seen *seen);

/* An attempt has failed (rc, on all tasks): what is next. On the task that has read file 0. */
void scion_sound_decide(const struct scion_sound *sound, int rc, const struct scion_seen *seen,
                        const struct scion_mode *mode, struct scion_sound_next *next);

/* On all tasks: prepare the next attempt, for which 0 is returned, or fail: with the failure of the
   only attempt, or because no generation is sound. */
int scion_sound_go_on(struct scion_sound *sound, int rc, const struct scion_sound_next *next,
                      struct scion_mode *mode);

/* An open has succeeded: warn, on one of the tasks, if others have failed before. */
void scion_sound_end(const struct scion_sound *sound, const struct scion_seen *seen,
                     const struct scion_mode *mode, int warns);

#endif
