/* What a node says of its drain to the others: a small file beside the container's new one. */
#ifndef SCION_STAGE_REPORT_H
#define SCION_STAGE_REPORT_H

#include "stage/part.h"

struct scion_report {
    int state;                       /* enum scion_stage_state, but not _OPEN */
    unsigned beat;                   /* it is another one each time */
    char reason[SCION_STAGE_REASON]; /* of a failure */
};

/* Of this part's node. */
int scion_report_write(const struct scion_stage_part *part);

/*
 * The same, so that the others see that the node goes on, if some seconds have passed since *last,
 * which is then now. patience: that of the drain.
 */
void scion_report_beat(const struct scion_stage_part *part, int patience, double *last);

/* Of any node. 0, or -1: it has said nothing; the error record stays. */
int scion_report_read(const struct scion_stage_part *part, int node, struct scion_report *report);

void scion_report_remove(const struct scion_stage_part *part, int node);

#endif
