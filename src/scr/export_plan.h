/* What export and attach share: options with all defaults filled in, and the names they make. */
#ifndef SCION_SCR_EXPORT_PLAN_H
#define SCION_SCR_EXPORT_PLAN_H

#include "scr/dataset/layout.h"
#include "scr/dataset/record.h"

struct scion_export_plan {
    struct sion_scr_place place; /* base points to `base`; id 0: not chosen yet */
    struct sion_scr_map_options map;
    struct scion_dataset_facts told;
    int crc;
    int native;         /* the physical files are the files of the map */
    const char *prefix; /* of names in segments */
    char base[SCION_PATH];
    char container[SCION_PATH]; /* relative to base */
    char name[SCION_PATH];      /* template */
};

/*
 * path: physical file 0 of the container, or another one: then `container` is the caller's to set.
 */
int scion_export_begin(const char *path, const struct sion_scr_export_options *options,
                       struct scion_export_plan *export);

/*
 * Before anything is written, on one process: choose number and name of the dataset if they were
 * not said, and refuse those of another dataset. Called again, it checks the same.
 */
int scion_export_claim(struct scion_export_plan *export);

/* Of the files of a map: only who may read the container may read what it is said to have. */
mode_t scion_export_permissions(const struct scion_export_plan *export);

/* The logical name of a rank's file, into name[SCION_PATH]; checked. */
int scion_export_name(const struct scion_export_plan *export, sion_int64 rank, char *name);

#endif
