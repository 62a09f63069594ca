/*
 * Append to a copy of the sample mpi/m03_cmerge.sion the record of its members that this library
 * would have written, and write what each task has passed to its two collective writes to files
 * called task.0 and so on. Arguments: the copy; nothing, or the offset in the record of a byte
 * that will be wrong, or "overlap": a byte of task 0 is given to task 1, too, by good CRCs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "format/members.h"

enum { TASKS = 8, FIRST = 5 }; /* the first task of the second group */

static const int sizes[TASKS][2] = {{10, 20},  {200, 100},  {600, 500}, {1, 2},
                                    {500, 20}, {1000, 24}, {1, 1},     {0, 700}};

static void fill(struct scion_members *members)
{
    sion_int64 at[2] = {0, 0};
    int call, t;

    for (call = 0; call < 2; call++) {
        for (t = 0; t < TASKS; t++) {
            int group = t >= FIRST;

            members->collectors[t] = group ? FIRST : 0;
            scion_strides_add_piece(&members->pieces[t], at[group], sizes[t][call]);
            at[group] += sizes[t][call];
        }
    }
}

/* The first piece of task 1, which begins after that of task 0. */
static void make_overlap(struct scion_members *members)
{
    members->pieces[1].list[0].offset--;
}

static void write_task(int t)
{
    static unsigned char data[2000];
    int bytes = sizes[t][0] + sizes[t][1];
    char name[20];
    FILE *file;

    snprintf(name, sizeof name, "task.%d", t);
    file = fopen(name, "wb");
    check_fill(data, t, 0, (size_t)bytes);
    if (!file || fwrite(data, 1, (size_t)bytes, file) != (size_t)bytes || fclose(file) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    unsigned char bytes[4096];
    struct scion_members members;
    FILE *file = argc > 1 ? fopen(argv[1], "ab") : NULL;
    size_t size;
    int t;

    if (!file || scion_members_make(&members, TASKS) != 0)
        return 1;
    fill(&members);
    if (argc > 2 && strcmp(argv[2], "overlap") == 0)
        make_overlap(&members);
    size = SCION_MEMBERS_HEAD + 8 * (size_t)scion_members_words(&members);
    scion_members_encode(&members, bytes, (sion_int64 *)(void *)(bytes + SCION_MEMBERS_HEAD));
    if (argc > 2 && atoi(argv[2]) > 0)
        bytes[atoi(argv[2])] ^= 1;
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        return 1;
    for (t = 0; t < TASKS; t++)
        write_task(t);
    scion_members_free(&members);
    return 0;
}
