/* Compares checks of META2 and the mapping table with naive ones in wide integers. */
#include "check.h"

#include <limits.h>

#include "format/meta2.h"
#include "base/error.h"
#include "bytes.h"
#include "wide.h"

enum { MAX_TASKS = 6, MAX_CHUNKS = 5, FSBLKSIZE = 512 };

/* A file with right metadata, which tests damage. */
struct file {
    struct scion_chunk_plan plan;
    sion_int64 starts[MAX_TASKS], sizes[MAX_TASKS];
    sion_int64 counts[MAX_TASKS], used[MAX_TASKS * MAX_CHUNKS];
    int maxchunks;
    sion_int64 start_of_varheader, size;
};

static sion_int64 up(sion_int64 value, sion_int64 block)
{
    return (value + block - 1) / block * block;
}

static void place_tasks(struct file *f, int ntasks, int grain)
{
    sion_int64 next = up(1088 + 16 * ntasks, FSBLKSIZE), first = next;
    int t;

    f->plan = (struct scion_chunk_plan){.ntasks = ntasks,
                                        .starts = f->starts,
                                        .sizes = f->sizes,
                                        .grain = grain,
                                        .start_of_data = first};
    for (t = 0; t < ntasks; t++) {
        f->sizes[t] = (sion_int64)check_below(1000);
        f->starts[t] = next;
        next += up(f->sizes[t], grain);
    }
    f->plan.globalskip = next - first;
    f->start_of_varheader = first + f->maxchunks * f->plan.globalskip;
    f->size = f->start_of_varheader + 8 * ntasks * (1 + f->maxchunks);
}

static void make_file(struct file *f)
{
    int t, b, ntasks = 1 + (int)check_below(MAX_TASKS);
    int grain = check_below(2) ? FSBLKSIZE : 1;

    memset(f, 0, sizeof *f);
    f->maxchunks = 1 + (int)check_below(MAX_CHUNKS);
    place_tasks(f, ntasks, grain);
    for (t = 0; t < ntasks; t++) {
        f->counts[t] = 1 + (sion_int64)check_below((size_t)f->maxchunks);
        if (t == 0)
            f->counts[t] = f->maxchunks;
        for (b = 0; b < f->maxchunks; b++)
            f->used[b * ntasks + t] =
                b < f->counts[t] ? (sion_int64)check_below((size_t)up(f->sizes[t], grain) + 1)
                                 : -(sion_int64)check_below(2);
    }
}

static int check_place(struct scion_chunk_plan *plan, int maxchunks, sion_int64 start,
                       sion_int64 file_size, sion_int64 *end)
{
    plan->maxchunks = maxchunks;
    return scion_meta2_check_place(plan, start, file_size, end);
}

static int check_file(struct file *f, struct scion_damages *damages)
{
    sion_int64 end;
    int rc = check_place(&f->plan, f->maxchunks, f->start_of_varheader, f->size, &end);

    *damages = (struct scion_damages){0};
    return rc != 0
               ? rc
               : scion_meta2_check(&f->plan, f->start_of_varheader, f->counts, f->used, damages);
}

/* The invariants one by one, in integers that cannot overflow. */
static int is_at_its_place(const struct file *f)
{
    wide n = f->plan.ntasks, start = f->start_of_varheader;
    wide end = start + 8 * n * (1 + (wide)f->maxchunks);

    return f->maxchunks >= 1 && end <= f->size &&
           (start == f->plan.start_of_data + (wide)f->maxchunks * f->plan.globalskip ||
            (start == 1088 + 16 * n && end <= f->plan.start_of_data));
}

static int is_sound(const struct file *f, int t)
{
    int b;

    if (f->counts[t] < 1 || f->counts[t] > f->maxchunks)
        return 0;
    for (b = 0; b < f->counts[t]; b++) {
        wide used = f->used[b * f->plan.ntasks + t];
        wide chunk = f->starts[t] + (wide)b * f->plan.globalskip;

        if (used < -1 || used > up(f->sizes[t], f->plan.grain) ||
            (used > 0 && chunk + used > f->start_of_varheader))
            return 0;
    }
    return 1;
}

/* No task has as many chunks as the header says, which may be the fault of each with bytes behind.
 */
static int is_too_short(const struct file *f, int t)
{
    int b, i;

    for (i = 0; i < f->plan.ntasks; i++) {
        if (f->counts[i] < 1 || f->counts[i] >= f->maxchunks)
            return 0;
    }
    for (b = (int)f->counts[t]; b < f->maxchunks; b++) {
        if (f->used[b * f->plan.ntasks + t] != 0 && f->used[b * f->plan.ntasks + t] != -1)
            return 1;
    }
    return 0;
}

/* A damaged task is empty, and what is known of the others has not changed. */
static int is_as_before(const struct file *f, const struct file *before, int t, int is_damaged)
{
    int b, same = f->counts[t] == (is_damaged ? 1 : before->counts[t]);

    for (b = 0; b < f->maxchunks; b++) {
        int at = b * f->plan.ntasks + t;

        same = same && f->used[at] == (is_damaged ? 0 : before->used[at]);
    }
    return same;
}

static void sizes_follow_the_formula(void)
{
    sion_int64 size;

    CHECK_INT(scion_meta2_size(3, 4, &size), 0);
    CHECK_INT(size, 8 * 3 * 5);
    CHECK_INT(scion_meta2_size(INT_MAX, 1, &size), 0);
    CHECK_INT(size, 16LL * INT_MAX);
    CHECK_INT(scion_meta2_size(1LL << 31, 1LL << 31, &size), 1);
    CHECK_INT(scion_meta2_size(1, LLONG_MAX, &size), 1);
    CHECK_INT(scion_meta2_size(2, LLONG_MAX / 8, &size), 1);
}

static void valid_files_are_accepted(void)
{
    struct scion_damages damages;
    struct file f;
    int i;

    for (i = 0; i < 2000; i++) {
        make_file(&f);
        CHECK_INT(check_file(&f, &damages), 0);
        CHECK_INT(damages.n, 0);
    }
}

static void the_end_is_where_a_mapping_begins(void)
{
    struct file f;
    sion_int64 end = 0;

    make_file(&f);
    CHECK_INT(check_place(&f.plan, f.maxchunks, f.start_of_varheader, f.size + 100, &end), 0);
    CHECK_INT(end, f.size);
}

static void a_container_that_was_never_closed_is_recognized(void)
{
    struct file f;
    sion_int64 end;

    make_file(&f);
    CHECK_INT(check_place(&f.plan, 0, 0, f.size, &end), SION_ERR_NOT_CLOSED);
    CHECK_CONTAINS(scion_error_text(), "never closed");
}

static int place_is_refused(struct file *f, int maxchunks, sion_int64 start, sion_int64 file_size)
{
    sion_int64 end;

    return check_place(&f->plan, maxchunks, start, file_size, &end) == SION_ERR_DAMAGED;
}

static void impossible_places_are_refused(void)
{
    struct file f;
    sion_int64 start;

    make_file(&f);
    start = f.start_of_varheader;
    CHECK(place_is_refused(&f, 0, start, f.size));
    CHECK(place_is_refused(&f, -1, start, f.size));
    CHECK(place_is_refused(&f, INT_MIN, start, f.size));
    CHECK(place_is_refused(&f, f.maxchunks + 1, start, f.size));
    CHECK(place_is_refused(&f, INT_MAX, start, f.size));
    CHECK(place_is_refused(&f, f.maxchunks, -1, f.size));
    CHECK(place_is_refused(&f, f.maxchunks, LLONG_MIN, f.size));
    CHECK(place_is_refused(&f, f.maxchunks, LLONG_MAX, f.size));
    CHECK(place_is_refused(&f, f.maxchunks, 1088 + 16 * f.plan.ntasks - 1, LLONG_MAX));
    CHECK(place_is_refused(&f, f.maxchunks, start + 1, f.size));
    CHECK(place_is_refused(&f, f.maxchunks, start, f.size - 1));
    CHECK(place_is_refused(&f, f.maxchunks, start, 0));
}

/* There is nothing between them, whatever the other numbers are. */
static void tables_are_after_the_blocks_or_in_the_gap(void)
{
    struct file f;
    sion_int64 in_gap, end;

    make_file(&f);
    CHECK(place_is_refused(&f, f.maxchunks, f.start_of_varheader + 8, f.size + 8));
    CHECK(place_is_refused(&f, f.maxchunks, f.plan.start_of_data, f.size) ||
          f.plan.globalskip == 0);
    f.plan.globalskip++;
    CHECK(place_is_refused(&f, f.maxchunks, f.start_of_varheader, f.size));
    f.plan.globalskip = LLONG_MAX;
    CHECK(place_is_refused(&f, f.maxchunks, f.start_of_varheader, f.size));

    in_gap = 1088 + 16 * f.plan.ntasks;
    f.plan.start_of_data = in_gap + 8 * f.plan.ntasks * (1 + f.maxchunks);
    CHECK_INT(check_place(&f.plan, f.maxchunks, in_gap, LLONG_MAX, &end), 0);
    CHECK_INT(end, f.plan.start_of_data);
    CHECK(place_is_refused(&f, f.maxchunks, in_gap + 1, LLONG_MAX));
    f.plan.start_of_data--;
    CHECK(place_is_refused(&f, f.maxchunks, in_gap, LLONG_MAX));
}

static sion_int64 wild_number(void)
{
    static const sion_int64 corners[] = {0, -1, 1, LLONG_MAX, LLONG_MIN, 1LL << 62, INT_MAX};

    switch (check_below(3)) {
    case 0:
        return corners[check_below(7)];
    case 1:
        return (sion_int64)check_random();
    default:
        return (sion_int64)check_below(2000) - 500;
    }
}

static void damage(struct file *f)
{
    size_t n = (size_t)f->plan.ntasks;

    switch (check_below(5)) {
    case 0:
        f->counts[check_below(n)] = wild_number();
        break;
    case 1:
        f->maxchunks = 1 + (int)check_below(MAX_CHUNKS);
        break;
    case 2:
        f->start_of_varheader += (sion_int64)check_below(300) - 150;
        break;
    case 3:
        f->start_of_varheader = 1 + ((sion_int64)check_random() & LLONG_MAX) / 4;
        break;
    default:
        f->used[check_below(n * (size_t)f->maxchunks)] = wild_number();
    }
}

/* The number of tasks of which it is not known rightly whether they can be read. */
static int count_misjudged(const struct file *f, const struct file *before,
                           const struct scion_damages *damages)
{
    int t, wrong = 0;

    for (t = 0; t < f->plan.ntasks; t++) {
        const struct scion_damage *damage = scion_damages_find(damages, t);
        int is_damaged = !is_sound(before, t) || is_too_short(before, t);

        wrong += is_damaged != (damage != NULL) || !is_as_before(f, before, t, is_damaged) ||
                 (damage && damage->task != t);
    }
    return wrong;
}

static void checks_of_damaged_files_agree_with_the_model(void)
{
    int round, bad = 0, refused = 0, locked = 0;

    for (round = 0; round < 100000; round++) {
        struct scion_damages damages;
        struct file f, before;
        int rc;

        make_file(&f);
        damage(&f);
        before = f;
        before.plan.sizes = before.sizes;
        rc = check_file(&f, &damages);
        bad += (rc == 0) != is_at_its_place(&before);
        if (rc == 0)
            bad += count_misjudged(&f, &before, &damages);
        refused += rc != 0;
        locked += damages.n;
        scion_damages_free(&damages);
    }
    CHECK_INT(bad, 0);
    CHECK(refused > 1000);
    CHECK(locked > 1000);
}

/* What is wrong with task 0, in words; "" if nothing is. The tables stay as they are. */
static const char *trouble(const struct scion_chunk_plan *plan, sion_int64 limit, sion_int64 count,
                           const sion_int64 *used)
{
    static char text[SCION_DAMAGE_TEXT];
    struct scion_damage damage;

    text[0] = '\0';
    if (!scion_meta2_is_sound(plan, 0, limit, count, used, &damage))
        scion_damage_describe(&damage, text);
    return text;
}

static void used_bytes_near_the_largest_offset_do_not_wrap(void)
{
    sion_int64 starts[1] = {4096}, sizes[1] = {1LL << 62}, used[3] = {0, 0, 1};
    struct scion_chunk_plan plan = {.ntasks = 1,
                                    .starts = starts,
                                    .sizes = sizes,
                                    .grain = 1,
                                    .globalskip = 1LL << 62,
                                    .start_of_data = 4096,
                                    .maxchunks = 3};

    CHECK_CONTAINS(trouble(&plan, LLONG_MAX, 3, used), "chunk 2 of task 0");
    used[2] = 0;
    CHECK_STR(trouble(&plan, LLONG_MAX, 3, used), "");
    used[1] = 1LL << 62;
    CHECK_CONTAINS(trouble(&plan, LLONG_MAX, 3, used), "chunk 1 of task 0");
}

static void inner_chunks_of_a_keyval_file_are_full(void)
{
    sion_int64 starts[2] = {4096, 4196}, sizes[2] = {100, 50};
    sion_int64 used[6] = {100, 7, 100, 0, 30, 0};
    struct scion_chunk_plan plan = {.ntasks = 2,
                                    .starts = starts,
                                    .sizes = sizes,
                                    .grain = 1,
                                    .globalskip = 150,
                                    .start_of_data = 4096,
                                    .maxchunks = 3,
                                    .is_keyval = 1};

    CHECK_STR(trouble(&plan, LLONG_MAX, 3, used), "");
    used[2] = 99;
    CHECK_CONTAINS(trouble(&plan, LLONG_MAX, 3, used), "chunk 1 of task 0");
    used[2] = 100;
    used[0] = 0; /* older tables may be there */
    CHECK_STR(trouble(&plan, LLONG_MAX, 3, used), "");
    used[0] = 1;
    CHECK_CONTAINS(trouble(&plan, LLONG_MAX, 3, used), "chunk 0 of task 0");
    plan.is_keyval = 0;
    CHECK_STR(trouble(&plan, LLONG_MAX, 3, used), "");
}

/* A recovered file may end before chunks without data. */
static void with_trailers_chunks_are_full_up_to_these(void)
{
    sion_int64 starts[1] = {4096}, sizes[1] = {400}, used[4] = {272, 272, 7, 0};
    struct scion_chunk_plan plan = {.ntasks = 1,
                                    .starts = starts,
                                    .sizes = sizes,
                                    .grain = 1,
                                    .globalskip = 400,
                                    .start_of_data = 4096,
                                    .trailer = 128,
                                    .maxchunks = 4,
                                    .is_keyval = 1};

    CHECK_STR(trouble(&plan, LLONG_MAX, 4, used), "");
    used[3] = 1;
    CHECK_CONTAINS(trouble(&plan, LLONG_MAX, 4, used), "partly filled");
    used[2] = 272;
    CHECK_STR(trouble(&plan, LLONG_MAX, 4, used), "");
    used[1] = 400;
    CHECK_CONTAINS(trouble(&plan, LLONG_MAX, 4, used), "partly filled");
    used[1] = 0; /* older tables may be there */
    CHECK_STR(trouble(&plan, LLONG_MAX, 4, used), "");
}

/* In the gap nothing else says where the tables end, so the header's number must be that of a task.
 */
static void a_number_of_chunks_that_no_task_has_is_refused_in_the_gap(void)
{
    sion_int64 starts[1] = {4096}, sizes[1] = {400}, used[3] = {400, 400, 0}, count = 2;
    struct scion_chunk_plan plan = {.ntasks = 1,
                                    .starts = starts,
                                    .sizes = sizes,
                                    .grain = 1,
                                    .globalskip = 400,
                                    .start_of_data = 4096,
                                    .maxchunks = 3};
    struct scion_damages damages = {0};

    CHECK_INT(scion_meta2_check(&plan, LLONG_MAX, &count, used, &damages), 0);
    CHECK_INT(damages.n, 0);
    plan.is_in_gap = 1;
    CHECK_INT(scion_meta2_check(&plan, LLONG_MAX, &count, used, &damages), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "header says 3 chunks, but no task has more than 2");
}

/* Whatever the order in which they are found. */
static void damaged_tasks_are_found_by_their_number(void)
{
    struct scion_damages damages = {0};
    int task, wrong = 0;

    CHECK(!scion_damages_find(&damages, 5));
    for (task = 999; task >= 0; task -= 3) {
        const struct scion_damage damage = {SCION_DAMAGE_USED, task, 0, 7 * task, 0};

        wrong += scion_damages_add(&damages, 1000, &damage) != 0;
    }
    for (task = 0; task < 1000; task++) {
        const struct scion_damage *found = scion_damages_find(&damages, task);

        wrong += (found != NULL) != (task % 3 == 0) || (found && found->found != 7 * task);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(damages.n, 334);
    scion_damages_free(&damages);
}

static void a_mapping_is_read_in_both_byte_orders(void)
{
    int swapped, i, size;

    for (swapped = 0; swapped < 2; swapped++) {
        int pairs[6], big = bytes_host_is_big() ^ swapped;
        struct scion_mapping mapping = {.size = 3, .pairs = pairs};
        unsigned char bytes[28];

        bytes_put_i32(bytes, 3, big);
        for (i = 0; i < 6; i++)
            bytes_put_i32(bytes + 4 + 4 * i, 1000 + i, big);
        CHECK_INT(scion_mapping_bytes(3), 28);
        CHECK_INT(scion_mapping_decode_size(bytes, swapped, 28, &size), 0);
        CHECK_INT(size, 3);
        memcpy(pairs, bytes + 4, 24);
        scion_mapping_decode_pairs(&mapping, swapped);
        for (i = 0; i < 6; i++)
            CHECK_INT(pairs[i], 1000 + i);
    }
}

static void unknown_lengths_of_chunks_become_0(void)
{
    const sion_int64 starts[2] = {0, 100}, sizes[2] = {100, 100};
    sion_int64 counts[2] = {3, 1};
    const struct scion_chunk_plan plan = {.ntasks = 2,
                                          .maxchunks = 3,
                                          .is_keyval = 1,
                                          .starts = starts,
                                          .sizes = sizes,
                                          .grain = 1,
                                          .globalskip = 200,
                                          .start_of_data = 1000};
    sion_int64 used[6] = {100, 7, -1, -1, -1, -1};
    struct scion_meta2_odd odd;
    struct scion_damages damages = {0};

    CHECK_INT(scion_meta2_check(&plan, 1000, counts, used, &damages), 0);
    CHECK_INT(damages.n, 0);
    scion_meta2_mend(&plan, counts, used, &odd);
    CHECK(odd.unknown.number == 2 && odd.unknown.chunk == 1 && odd.unknown.task == 0);
    CHECK(used[0] == 100 && used[1] == 7 && used[2] == 0 && used[4] == 0);
    CHECK(used[3] == -1 && used[5] == -1); /* SIONlib's own value, in no chunk */
    scion_meta2_mend(&plan, counts, used, &odd);
    CHECK(odd.unknown.number == 0 && odd.behind.number == 0);
}

/* As if the number of chunks had been larger. */
static void lengths_behind_the_last_chunk_are_found(void)
{
    const sion_int64 counts[2] = {3, 1};
    const struct scion_chunk_plan plan = {.ntasks = 2, .maxchunks = 3, .first = 10};
    sion_int64 used[6] = {100, 7, 50, 0, 100, 5};
    struct scion_meta2_odd odd;

    scion_meta2_mend(&plan, counts, used, &odd);
    CHECK(odd.unknown.number == 0 && odd.behind.number == 1);
    CHECK(odd.behind.chunk == 2 && odd.behind.task == 11 && odd.behind.bytes == 5);
    CHECK_INT(used[5], 5);
}

static void a_mapping_size_must_fit_into_the_file(void)
{
    static const int refused[] = {0, -1, 4, INT_MAX, INT_MIN};
    unsigned char bytes[4];
    int i, size;

    for (i = 0; i < 5; i++) {
        bytes_put_i32(bytes, refused[i], bytes_host_is_big());
        CHECK_INT(scion_mapping_decode_size(bytes, 0, 4 + 3 * 8 + 7, &size), SION_ERR_DAMAGED);
    }
    bytes_put_i32(bytes, 3, bytes_host_is_big());
    CHECK_INT(scion_mapping_decode_size(bytes, 0, 4 + 3 * 8, &size), 0);
    CHECK_INT(scion_mapping_decode_size(bytes, 0, 4 + 3 * 8 - 1, &size), SION_ERR_DAMAGED);
    CHECK_INT(scion_mapping_decode_size(bytes, 0, 4, &size), SION_ERR_DAMAGED);
}

static void mapping_pairs_must_be_in_range(void)
{
    static const int good[][2] = {{0, 0}, {1, INT_MAX}, {2, 5}};
    static const int bad[][2] = {{3, 0}, {-1, 0}, {2, -1}, {INT_MAX, 0}, {0, INT_MIN}};
    const struct scion_mapping mapping = {.size = 3};
    int i;

    CHECK_INT(scion_mapping_check(&mapping, 3), 0);
    CHECK_INT(scion_mapping_check(&mapping, 4), SION_ERR_DAMAGED);
    for (i = 0; i < 3; i++)
        CHECK_INT(scion_mapping_check_pair(good[i], i, 3), 0);
    for (i = 0; i < 5; i++)
        CHECK_INT(scion_mapping_check_pair(bad[i], i, 3), SION_ERR_DAMAGED);
}

int main(void)
{
    RUN(unknown_lengths_of_chunks_become_0);
    RUN(lengths_behind_the_last_chunk_are_found);
    check_seed(4);
    RUN(sizes_follow_the_formula);
    RUN(valid_files_are_accepted);
    RUN(the_end_is_where_a_mapping_begins);
    RUN(a_container_that_was_never_closed_is_recognized);
    RUN(impossible_places_are_refused);
    RUN(tables_are_after_the_blocks_or_in_the_gap);
    RUN(checks_of_damaged_files_agree_with_the_model);
    RUN(used_bytes_near_the_largest_offset_do_not_wrap);
    RUN(inner_chunks_of_a_keyval_file_are_full);
    RUN(with_trailers_chunks_are_full_up_to_these);
    RUN(a_number_of_chunks_that_no_task_has_is_refused_in_the_gap);
    RUN(damaged_tasks_are_found_by_their_number);
    RUN(a_mapping_is_read_in_both_byte_orders);
    RUN(a_mapping_size_must_fit_into_the_file);
    RUN(mapping_pairs_must_be_in_range);
    return check_done();
}
