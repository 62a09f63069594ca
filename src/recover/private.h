/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_RECOVER_PRIVATE_H
#define SCION_RECOVER_PRIVATE_H

#include "format/slot.h"
#include "recover/recover.h"

/* The part of chunk `chunk` of a task that can hold data: *begin, and its bytes. 1 on overflow. */
int scion_salvage_chunk(const struct scion_salvaged_file *file, int task, sion_int64 chunk,
                        sion_int64 *begin, sion_int64 *room);

/* The newest slot in that chunk after a sequence. 1, 0: none, or an error code. */
int scion_salvage_slot(const struct scion_salvaged_file *file, int task, sion_int64 chunk,
                       sion_int64 behind, struct scion_slot *slot);

/* Fill file->tasks with what is certain according to the slots; or one of them. */
int scion_salvage_follow_slots(struct scion_salvaged_file *file);
int scion_salvage_follow_task(struct scion_salvaged_file *file, int task);

/*
 * List the tasks of the files: of a set in global order, without the place-holders of a buddy set.
 * has_gaps: one file has such, too.
 */
int scion_salvage_list_places(struct scion_salvage *salvage, int has_gaps);

/* What is possible or lost after that; without slots, all that is possible. */
int scion_salvage_walk_data(struct scion_salvaged_file *file);

/* Key-value streams end with a whole record, but not before the last flush. */
int scion_salvage_cut_records(struct scion_salvaged_file *file);

/* Read bytes of a task's stream. */
int scion_salvage_read_task(const struct scion_salvaged_file *file, int task, sion_int64 offset,
                            void *to, size_t bytes);

/* A closed file with damaged tasks: count what they have but for the damaged chunks. */
int scion_salvage_mend(struct scion_salvaged_file *file);

/* Write that into the file, and wait for the disk. */
int scion_salvage_write_mended(struct scion_salvaged_file *file);

/* Forget what is known of the tasks. */
void scion_salvage_free_tasks(struct scion_salvaged_file *file);

#endif
