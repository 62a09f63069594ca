/*
 * The members of a file that was written merged: the record that says which bytes of a collector's
 * chunks are whose, and the file as if each task had its own bytes in a chunk of its own.
 */
#ifndef SCION_FILE_MEMBERS_H
#define SCION_FILE_MEMBERS_H

#include "file/physical.h"
#include "file/piece_view.h"
#include "format/members.h"

/* ---- the record ---- */

/*
 * After scion_physical_finish(), and what else was written behind the tables, without a failure:
 * write the record.
 */
int scion_members_write(struct scion_physical *physical, const struct scion_members *members);

/*
 * Of a file whose META2 ends at `end`: find this record, and that of a published state. Part of
 * reading the tables.
 */
int scion_physical_find_records(struct scion_physical *physical, sion_int64 end);

/*
 * Read the record of a file whose tables were read and that is open, and check that it is of these
 * data; warn of groups that are damaged. To be freed in any case; ntasks is 0 if there is none.
 */
int scion_members_read(struct scion_physical *physical, struct scion_members *members);

/* Why a task's bytes are not read: its own numbers are damaged, its collector's, or what the record
   says of its group. NULL: they are. */
const struct scion_damage *scion_members_damage(const struct scion_physical *physical,
                                                const struct scion_members *members, int task);

/* Append where a task's bytes are in the file, by the tables and the record; without a record,
   those of its own chunks. */
int scion_members_place(const struct scion_physical *physical, const struct scion_members *members,
                        int task, struct scion_strides *pieces);

/*
 * What a process is told of a member: the number of runs and these, or -1 and what is wrong.
 * Returns the words, which are written if row is not NULL.
 */
enum { SCION_STRIDE_WORDS = sizeof(struct scion_stride) / sizeof(sion_int64) };
sion_int64 scion_member_row(const struct scion_strides *pieces, const struct scion_damage *damage,
                            sion_int64 *row);

/* The reverse: the runs are appended, and *row goes to what is after it. *damage: NULL: none. */
int scion_member_at(const sion_int64 **row, struct scion_strides *pieces,
                    const struct scion_damage **damage);

/* Warn that a file is read as it is, if it has a record of several members. */
void scion_members_warn(const struct scion_physical *physical);

/* ---- reading by members ---- */

/*
 * Of a file that was read and is open, and that has a record of members: from now on the tables say
 * that each task has one chunk, which holds its own bytes, and that is what is read of the file.
 */
int scion_physical_show_members(struct scion_physical *physical);

#endif
