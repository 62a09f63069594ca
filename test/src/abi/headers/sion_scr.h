/* As a program would have that was compiled before the last members were added. */
#ifndef SION_SCR_H
#define SION_SCR_H

#include <stddef.h>

#include "sion_datatypes.h"

typedef struct scion_comm sion_scr_comm;

struct sion_scr_place {
    size_t size;
    int layout;
    const char *base;
};

struct sion_scr_dataset {
    size_t size;
    int id;
    const char *name;
    sion_int64 created;
};

struct sion_scr_indexed {
    size_t size;
    int form;
    int id;
    const char *name;
};

struct sion_scr_map_options {
    size_t size;
    sion_int64 segment;
};

struct sion_scr_export_options {
    size_t size;
    int layout;
    const char *base;
};

struct sion_scr_drop {
    size_t size;
    const char *name;
    int keep;
};

int sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name);
int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset);
int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset);
int sion_scr_index_visit(const char *prefix,
                         int (*visit)(void *user, const struct sion_scr_indexed *dataset),
                         void *user);
int sion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what,
                        void (*tell)(void *user, const char *name, int failed, const char *text),
                        void *user);
int sion_scr_export(const char *fname, const struct sion_scr_export_options *options);

#endif
