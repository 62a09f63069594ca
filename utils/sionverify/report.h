/* The report of sionverify on each container. */
#ifndef UTILS_SIONVERIFY_REPORT_H
#define UTILS_SIONVERIFY_REPORT_H

#include "file/checksum.h"

enum sums { SUMS_NONE, SUMS_SOME, SUMS_GOOD };

/* Of one container. */
struct verdict {
    const char *name;
    const char *reason; /* why the container is damaged; NULL: it is not */
    int part, parts;    /* which share of the tasks this process has looked at; else parts is 1 */
    int ntasks, nfiles;
    sion_int64 bytes;
    enum sums sums; /* which of its files have checksums */
    sion_int64 pieces, bad;
};

struct report {
    int json;
    int count;      /* of containers */
    sion_int64 bad; /* pieces of the present one */
};

void report_begin(const struct report *report);

void report_container(struct report *report, const char *name);

/* A piece of a task of a physical file is damaged. offset: in that file. */
void report_piece(struct report *report, const struct scion_physical *file, int task,
                  const struct scion_bad_piece *piece, sion_int64 offset);

void report_verdict(struct report *report, const struct verdict *verdict);

void report_end(const struct report *report);

#endif
