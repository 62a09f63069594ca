/* The names that FTI gives to the files of a level. Pure. */
#ifndef SCION_FTIFF_NAMES_H
#define SCION_FTIFF_NAMES_H

#include <stddef.h>

enum scion_fti_kind {
    SCION_FTI_FOREIGN,      /* not a name of FTI's checkpoint files */
    SCION_FTI_RANK,         /* Ckpt<id>-Rank<rank>.fti */
    SCION_FTI_PARTNER,      /* Ckpt<id>-Pcof<rank>.fti: copy of another rank's file */
    SCION_FTI_ENCODED,      /* Ckpt<id>-RSed<rank>.fti: Reed-Solomon bytes */
    SCION_FTI_DIFFERENTIAL, /* dCPFile-Rank<rank>.fti */
    SCION_FTI_SHARED        /* Ckpt<id>-mpiio.fti, Ckpt<id>-sionlib.fti: other modes of FTI */
};

struct scion_fti_name {
    enum scion_fti_kind kind;
    int ckptid; /* -1: the name has none */
    int rank;   /* likewise */
};

/*
 * The last stream of a container, which has no rank, may list the names of the files that were
 * packed into the others: this line, and one line for each file.
 */
#define SCION_FTI_LIST "scion-fti-names 1\n"
enum { SCION_FTI_NAME_MOST = 255 }; /* bytes of a name in the list */

/* What a path's last component says. */
struct scion_fti_name scion_fti_name_parse(const char *path);

/* The name of a Rank file. */
void scion_fti_name_of_rank(int ckptid, int rank, char *name, size_t size);

#endif
