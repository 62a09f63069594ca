#include "file/survey.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/mapping.h"
#include "file/physical_read.h"
#include "file/private.h"
#include "format/meta1.h"
#include "vfs/vfs.h"

enum { PIECE = 1 << 16 }; /* numbers that are read at a time */

/* A column of the tables, which is read from front to back. */
struct pass {
    struct scion_physical *physical;
    sion_int64 *numbers; /* [PIECE] */
    sion_int64 next, most;
    scion_ranks_function *look; /* at ranks */
    void *user;
};

/* Looks at the numbers of the tasks first to first + n; other than 1: it does not go on. */
typedef int look_function(struct pass *pass, int first, int n);

/* A column of one number for each task. Returns 1 if all numbers were as they should be. */
static int go_through(struct pass *pass, sion_int64 at, look_function *look)
{
    const struct scion_meta1 *head = &pass->physical->head;
    int first, n, is_sound = 1;

    for (first = 0; first < head->ntasks && is_sound; first += n) {
        n = head->ntasks - first < PIECE ? head->ntasks - first : PIECE;
        is_sound =
            scion_file_read(pass->physical->file, pass->numbers, (size_t)n * sizeof *pass->numbers,
                            at + (sion_int64)sizeof *pass->numbers * first) == 0;
        if (!is_sound)
            break;
        scion_array_decode(pass->numbers, (size_t)n, head->swapped);
        is_sound = look(pass, first, n);
    }
    return is_sound;
}

static int are_in_order(struct pass *pass, int first, int n)
{
    int t;

    for (t = 0; t < n && pass->numbers[t] == first + t; t++)
        ;
    return t == n;
}

static int add_sizes(struct pass *pass, int first, int n)
{
    return scion_layout_append(pass->numbers, first, n, pass->physical->grain, NULL, &pass->next) ==
           0;
}

static int compare_counts(struct pass *pass, int first, int n)
{
    int t;

    (void)first;
    for (t = 0; t < n && pass->numbers[t] >= 1 && pass->numbers[t] <= pass->physical->maxchunks;
         t++) {
        if (pass->numbers[t] > pass->most)
            pass->most = pass->numbers[t];
    }
    return t == n;
}

/* in_order: task t has global rank t. */
static int read_layout(struct pass *pass, int in_order)
{
    struct scion_physical *physical = pass->physical;
    const struct scion_meta1 *head = &physical->head;
    sion_int64 ranks = (sion_int64)scion_meta1_fixed_size(head), column = 8;

    column *= head->ntasks;
    if (scion_layout_begin(scion_meta1_size(head->ntasks), head->fsblksize, &pass->next) != 0)
        return 0;
    physical->layout.start_of_data = pass->next;
    if ((in_order && !go_through(pass, ranks, are_in_order)) ||
        !go_through(pass, ranks + column, add_sizes))
        return 0;
    physical->layout.globalskip = pass->next - physical->layout.start_of_data;
    return 1;
}

/* Some task has as many chunks as the header says: then a wrong number of another one cannot hide
   data behind its last chunk without a sign. */
static int check_counts(struct pass *pass)
{
    struct scion_chunk_plan plan = scion_physical_plan(pass->physical);
    sion_int64 start = pass->physical->start_of_varheader, end;

    return scion_meta2_check_place(&plan, start, pass->physical->size, &end) == 0 &&
           go_through(pass, start, compare_counts) && pass->most == plan.maxchunks;
}

int scion_survey(struct scion_physical *physical, int in_order)
{
    struct pass pass = {.physical = physical, .numbers = scion_array(PIECE, sizeof *pass.numbers)};
    int is_sound = pass.numbers && read_layout(&pass, in_order) && check_counts(&pass);

    free(pass.numbers);
    return is_sound;
}

static int look_at_ranks(struct pass *pass, int first, int n)
{
    (void)first;
    return pass->look(pass->user, pass->numbers, n) == 0;
}

int scion_survey_ranks(struct scion_physical *physical, scion_ranks_function *look, void *user)
{
    struct pass pass = {.physical = physical,
                        .numbers = scion_array(PIECE, sizeof *pass.numbers),
                        .look = look,
                        .user = user};
    sion_int64 at = (sion_int64)scion_meta1_fixed_size(&physical->head);
    int is_sound = pass.numbers && go_through(&pass, at, look_at_ranks);

    free(pass.numbers);
    return is_sound;
}

int scion_survey_pairs(struct scion_physical *physical, scion_pairs_function *look, void *user)
{
    int *pairs = scion_array(PIECE, 2 * sizeof *pairs), first, n, t, is_sound = pairs != NULL;
    sion_int64 size, at = physical->start_of_varheader + 4;

    scion_meta2_size(physical->head.ntasks, physical->maxchunks, &size); /* was checked */
    for (first = 0; first < physical->mapping.size && is_sound; first += n) {
        struct scion_mapping piece = {.pairs = pairs};

        n = physical->mapping.size - first < PIECE ? physical->mapping.size - first : PIECE;
        piece.size = n;
        is_sound = scion_file_read(physical->file, pairs, 8 * (size_t)n,
                                   at + size + 8 * (sion_int64)first) == 0;
        if (!is_sound)
            break;
        scion_mapping_decode_pairs(&piece, physical->head.swapped);
        for (t = 0; t < n && is_sound; t++)
            is_sound = scion_mapping_has_file(pairs + 2 * (size_t)t, physical->head.nfiles);
        is_sound = is_sound && look(user, pairs, n) == 0;
    }
    free(pairs);
    return is_sound;
}

int scion_survey_enter(const char *path, const struct scion_physical *known,
                       struct scion_physical **physical)
{
    struct scion_physical *new = scion_physical_new(path);
    int rc = new ? scion_file_open(path, SCION_OPEN_READ, 0, &new->file) : SION_ERR_MEMORY;

    if (rc != 0) {
        scion_physical_close(new);
        return rc;
    }
    new->head = known->head;
    new->layout = known->layout;
    new->grain = known->grain;
    new->maxchunks = known->maxchunks;
    new->start_of_varheader = known->start_of_varheader;
    new->size = known->size;
    *physical = new;
    return 0;
}
