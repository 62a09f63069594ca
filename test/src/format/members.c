/* Pieces in runs, and the record of members: it reads back, and what is damaged is refused. */
#include "check.h"

#include "sion_error.h"

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "format/cover.h"
#include "format/members.h"

enum { MOST = 400 };

/* ---- runs ---- */

/* Which bytes a list of pieces has, one after the other. */
struct bytes {
    sion_int64 at[4 * MOST];
    int n;
};

static void list_bytes(const struct scion_strides *strides, struct bytes *bytes)
{
    sion_int64 r, i, k;

    bytes->n = 0;
    for (r = 0; r < strides->n; r++)
        for (i = 0; i < strides->list[r].count; i++)
            for (k = 0; k < strides->list[r].size; k++)
                bytes->at[bytes->n++] =
                    strides->list[r].offset + i * strides->list[r].stride + k;
    CHECK_INT(strides->bytes, bytes->n);
}

static void equal_pieces_at_equal_distances_are_one_run(void)
{
    struct scion_strides strides = {0};
    int i;

    for (i = 0; i < 1000; i++)
        CHECK_INT(scion_strides_add_piece(&strides, 100 + 64 * i, 8), 0);
    CHECK_INT(strides.n, 1);
    CHECK_INT(strides.bytes, 8000);
    CHECK_INT(scion_strides_add_piece(&strides, 100 + 64 * 1001, 8), 0);
    CHECK_INT(strides.n, 2);
    CHECK_INT(scion_strides_add_piece(&strides, 108 + 64 * 1001, 20), 0);
    CHECK_INT(strides.n, 2);
    CHECK_INT(strides.list[1].size, 28);
    CHECK_INT(scion_strides_add_piece(&strides, 1000000, 0), 0);
    CHECK_INT(strides.n, 2);
    scion_strides_free(&strides);
}

/* Pieces of random sizes, many of them equal, with random gaps. */
static void add_random(struct scion_strides *strides, struct bytes *model)
{
    int n = (int)check_below(40), size = 1 + (int)check_below(5), gap = (int)check_below(4), i, k;
    sion_int64 at = (sion_int64)check_below(10);

    model->n = 0;
    for (i = 0; i < n; i++) {
        if (check_below(5) == 0)
            size = (int)check_below(6);
        if (check_below(5) == 0)
            gap = (int)check_below(4);
        CHECK_INT(scion_strides_add_piece(strides, at, size), 0);
        for (k = 0; k < size; k++)
            model->at[model->n++] = at + k;
        at += size + gap;
    }
}

static int are_equal(const struct scion_strides *strides, const struct bytes *model)
{
    static struct bytes found;

    list_bytes(strides, &found);
    return found.n == model->n &&
           memcmp(found.at, model->at, (size_t)model->n * sizeof model->at[0]) == 0;
}

static void random_pieces_are_kept_cut_and_taken(void)
{
    static struct bytes model, rest;
    int round;

    check_seed(20261125);
    for (round = 0; round < 3000; round++) {
        struct scion_strides strides = {0}, part = {0};
        struct scion_strides_cursor cursor = {.from = &strides};
        sion_int64 end;
        int taken = 0;

        add_random(&strides, &model);
        CHECK(are_equal(&strides, &model));
        while (taken < model.n) {
            int bytes = 1 + (int)check_below(12);

            CHECK_INT(scion_strides_take(&cursor, bytes, &part), 0);
            taken += bytes;
        }
        CHECK(are_equal(&part, &model));
        end = model.n > 0 ? model.at[check_below((size_t)model.n)] + (int)check_below(3) : 0;
        CHECK_INT(scion_strides_cut(&strides, end), 0);
        for (rest.n = 0; rest.n < model.n && model.at[rest.n] < end; rest.n++)
            rest.at[rest.n] = model.at[rest.n];
        CHECK(are_equal(&strides, &rest));
        scion_strides_free(&strides);
        scion_strides_free(&part);
    }
}

/* ---- the record ---- */

enum { TASKS = 5 };

/* Two groups, {0, 1, 2} and {3, 4}; task 2 has written by itself, too. */
static const sion_int64 bytes[TASKS] = {30, 0, 7, 12, 0};

static void make(struct scion_members *members)
{
    static const int collectors[TASKS] = {0, 0, 0, 3, 3};

    CHECK_INT(scion_members_make(members, TASKS), 0);
    memcpy(members->collectors, collectors, sizeof collectors);
    scion_strides_add_piece(&members->pieces[0], 0, 4);
    scion_strides_add_piece(&members->pieces[0], 10, 4);
    scion_strides_add_piece(&members->pieces[0], 20, 4);
    scion_strides_add_piece(&members->pieces[1], 4, 5);
    scion_strides_add_piece(&members->pieces[1], 24, 6);
    scion_strides_add_piece(&members->pieces[2], 9, 1);
    scion_strides_add_piece(&members->pieces[2], 0 | SCION_MEMBER_OWN, 7);
    scion_strides_add_piece(&members->pieces[2], 14, 6);
    scion_strides_add_piece(&members->pieces[3], 0, 12);
}

struct record {
    unsigned char head[SCION_MEMBERS_HEAD];
    sion_int64 words[MOST];
    sion_int64 n;
};

static void encode(struct record *record)
{
    struct scion_members members;

    make(&members);
    record->n = scion_members_words(&members);
    scion_members_encode(&members, record->head, record->words);
    scion_members_free(&members);
}

/* 0, an error, or the kind of the first damage. */
static int check(struct scion_members *members, const sion_int64 *of)
{
    int rc = scion_members_check(members, of);

    return rc != 0 || members->damages.n == 0 ? rc : (int)members->damages.list[0].kind;
}

/* A copy is decoded, because the words are changed. */
static int decode(const struct record *record, int swapped, const sion_int64 *of)
{
    struct record copy = *record;
    struct scion_members_head head;
    struct scion_members members = {0};
    int rc = scion_members_decode_head(copy.head, sizeof copy.head, swapped, 8 * copy.n, &head);

    if (rc == 0)
        rc = scion_members_decode(&head, copy.words, swapped, &members);
    if (rc == 0)
        rc = check(&members, of);
    scion_members_free(&members);
    return rc;
}

static void a_record_reads_back(void)
{
    struct record record;
    struct scion_members_head head;
    struct scion_members found = {0}, members;
    int t;

    encode(&record);
    CHECK(scion_members_is_head(record.head, 8));
    CHECK(!scion_members_is_head(record.head, 7));
    CHECK_INT(record.n, 2 * TASKS + 4 * 7);
    CHECK_INT(scion_members_decode_head(record.head, 32, 0, 8 * record.n, &head), 0);
    CHECK_INT(head.ntasks, TASKS);
    CHECK_INT(head.words, record.n);
    CHECK_INT(scion_members_decode(&head, record.words, 0, &found), 0);
    make(&members);
    for (t = 0; t < TASKS; t++) {
        CHECK_INT(found.collectors[t], members.collectors[t]);
        CHECK_INT(found.pieces[t].n, members.pieces[t].n);
        CHECK_INT(found.pieces[t].bytes, members.pieces[t].bytes);
    }
    CHECK_INT(check(&found, bytes), 0);
    scion_members_free(&members);
    scion_members_free(&found);
}

static void put_turned(unsigned char *to, uint32_t value)
{
    scion_swap_copy(to, &value, 4, 1);
}

/* As a machine of the other byte order writes it. */
static void the_other_byte_order_is_read(void)
{
    struct record record;

    encode(&record);
    scion_swap_copy(record.words, record.words, 8, (size_t)record.n);
    scion_swap_copy(record.head + 8, record.head + 8, 4, 2);
    scion_swap_copy(record.head + 16, record.head + 16, 8, 1);
    put_turned(record.head + 24, scion_crc32c(0, record.words, 8 * (size_t)record.n));
    put_turned(record.head + 28, scion_crc32c(0, record.head, 28));
    CHECK_INT(decode(&record, 1, bytes), 0);
    CHECK_INT(decode(&record, 0, bytes), SION_ERR_DAMAGED);
}

static void each_changed_bit_is_noticed(void)
{
    struct record record;
    size_t size, i;

    encode(&record);
    CHECK_INT(decode(&record, 0, bytes), 0);
    size = SCION_MEMBERS_HEAD + 8 * (size_t)record.n;
    for (i = 8; i < size; i++) {
        struct record damaged = record;
        unsigned char *at = i < SCION_MEMBERS_HEAD
                                ? damaged.head + i
                                : (unsigned char *)damaged.words + (i - SCION_MEMBERS_HEAD);

        *at ^= (unsigned char)(1u << check_below(8));
        CHECK_INT(decode(&damaged, 0, bytes), SION_ERR_DAMAGED);
    }
}

static void a_record_that_is_cut_off_is_damaged(void)
{
    struct scion_members_head head;
    struct record record;

    encode(&record);
    CHECK_INT(scion_members_decode_head(record.head, 31, 0, 8 * record.n, &head),
              SION_ERR_DAMAGED);
    CHECK_INT(scion_members_decode_head(record.head, 32, 0, 8 * record.n - 1, &head),
              SION_ERR_DAMAGED);
}

static void it_must_be_of_the_data(void)
{
    struct record record;
    int t;

    encode(&record);
    for (t = 0; t < TASKS; t++) {
        sion_int64 other[TASKS];

        memcpy(other, bytes, sizeof other);
        other[t]++;
        CHECK_INT(decode(&record, 0, other), SCION_DAMAGE_MEMBERS);
        other[t] = -1; /* not known */
        CHECK_INT(decode(&record, 0, other), 0);
    }
}

/* ---- good CRCs, and numbers that no writer makes ---- */

/* As a record says that was changed and sealed again. */
static int decode_sealed(struct record *record, struct scion_members *members)
{
    struct scion_members_head head;

    CHECK_INT(scion_members_decode_head(record->head, 32, 0, 8 * record->n, &head), 0);
    head.crc = scion_crc32c(0, record->words, 8 * (size_t)record->n);
    return scion_members_decode(&head, record->words, 0, members);
}

/* Run r of the record, as make() makes it: three tasks have the first six. */
static sion_int64 *run_of(struct record *record, int r)
{
    return record->words + 2 * (size_t)TASKS + 4 * r;
}

/* The group is not read, and the other one is. */
static void is_damaged(struct record *record, int kind)
{
    struct scion_members members = {0};
    char text[SCION_DAMAGE_TEXT];
    int t;

    CHECK_INT(decode_sealed(record, &members), 0);
    CHECK_INT(check(&members, bytes), kind);
    CHECK_INT(members.damages.n, 1);
    CHECK(scion_damages_find(&members.damages, 0) != NULL);
    CHECK(scion_damages_find(&members.damages, 3) == NULL);
    for (t = 0; t < members.damages.n; t++) {
        scion_damage_describe(&members.damages.list[t], text);
        printf("# %s\n", text);
    }
    scion_members_free(&members);
}

/* Bytes 4 .. 8 are of task 1, 9 is of task 2; the sums stay as they are. */
static void bytes_of_two_members_are_damage(void)
{
    struct record record;

    encode(&record);
    CHECK_INT(run_of(&record, 1)[0], 4);
    run_of(&record, 1)[0] = 3;
    is_damaged(&record, SCION_DAMAGE_MEMBERS);
    encode(&record);
    run_of(&record, 1)[0] = 5;
    is_damaged(&record, SCION_DAMAGE_MEMBERS);
    encode(&record);
    CHECK_INT(run_of(&record, 0)[3], 3);
    run_of(&record, 0)[2]--;
    is_damaged(&record, SCION_DAMAGE_MEMBERS);
}

/* Of the collector's stream, of 30 bytes, and of that of task 2, of 7. */
static void pieces_behind_the_end_are_damage(void)
{
    struct record record;

    encode(&record);
    CHECK_INT(run_of(&record, 2)[0], 24);
    run_of(&record, 2)[0]++;
    is_damaged(&record, SCION_DAMAGE_MEMBERS);
    encode(&record);
    CHECK_INT(run_of(&record, 4)[0], SCION_MEMBER_OWN);
    run_of(&record, 4)[0]++;
    is_damaged(&record, SCION_DAMAGE_MEMBERS);
    encode(&record);
    run_of(&record, 4)[1]--;
    is_damaged(&record, SCION_DAMAGE_MEMBERS);
}

static void runs_that_are_not_valid_are_damage_of_their_group(void)
{
    struct record record;

    encode(&record);
    run_of(&record, 2)[0] = 8; /* within the piece before it */
    is_damaged(&record, SCION_DAMAGE_RUN);
    encode(&record);
    run_of(&record, 0)[2] = 3; /* its pieces overlap */
    is_damaged(&record, SCION_DAMAGE_RUN);
    encode(&record);
    run_of(&record, 0)[0] |= SCION_MEMBER_OWN; /* of a collector */
    is_damaged(&record, SCION_DAMAGE_RUN);
}

static void words_too_many_are_damage(void)
{
    struct scion_members members = {0};
    struct record record;

    encode(&record);
    CHECK_INT(record.words[2 * (size_t)TASKS - 3], 1); /* the runs of task 3, the last ones */
    record.words[2 * (size_t)TASKS - 3] = 0;
    CHECK_INT(decode_sealed(&record, &members), SION_ERR_DAMAGED);
    scion_members_free(&members);
}

/* ---- covering ---- */

/* Pieces of a random stream, in runs of one to three bytes at any distance that is free. */
static int add_free_run(struct scion_cover *cover, unsigned char *taken, int size, int at)
{
    struct scion_stride run = {at, 1 + (sion_int64)check_below(3), 0, 0};
    int k;

    run.stride = run.size + (sion_int64)check_below(6);
    for (; run.count < 5; run.count++) {
        int to = at + (int)(run.count * run.stride);

        for (k = 0; k < run.size && to + k < size && !taken[to + k]; k++)
            ;
        if (k < run.size)
            break;
        memset(taken + to, 1, (size_t)run.size);
    }
    if (run.count == 1)
        run.stride = 0;
    if (run.count > 0)
        scion_cover_add(cover, &run);
    return run.count > 0;
}

static void each_byte_must_be_covered_once(void)
{
    int round;

    for (round = 0; round < 300; round++) {
        int size = 1 + (int)check_below(200), at;
        unsigned char taken[200] = {0};
        struct scion_cover cover = {0}, twice;
        struct scion_stride one = {0, 1, 0, 1};

        for (at = 0; at < size; at++) {
            while (!taken[at] && !add_free_run(&cover, taken, size, at))
                ;
        }
        CHECK(scion_cover_is_whole(&cover, size));
        CHECK(!scion_cover_is_whole(&cover, size + 1));
        CHECK(!scion_cover_is_whole(&cover, size - 1));
        one.offset = (sion_int64)check_below((size_t)size);
        twice = cover;
        scion_cover_add(&twice, &one);
        twice.bytes--;
        CHECK(!scion_cover_is_whole(&twice, size));
    }
}

/* It takes no time, though there are more pieces than anybody could count. */
static void large_streams_are_covered(void)
{
    const sion_int64 half = (sion_int64)1 << 59;
    const struct scion_stride even = {0, 1, 2, half}, odd = {1, 1, 2, half},
                              high = {half, half, 0, 1};
    struct scion_cover cover = {0}, other = {0};

    scion_cover_add(&cover, &even);
    other = cover;
    scion_cover_add(&cover, &odd);
    CHECK(scion_cover_is_whole(&cover, 2 * half));
    scion_cover_add(&other, &high);
    CHECK(!scion_cover_is_whole(&other, 2 * half));
}

static void hostile_numbers_are_refused(void)
{
    static const sion_int64 values[] = {-1, 0, 1, 5, 1000, INT64_MAX, INT64_MIN,
                                        (sion_int64)1 << 62, ((sion_int64)1 << 62) - 1};
    struct record record;
    int i, good = 0;
    size_t v;

    encode(&record);
    for (i = 0; i < record.n; i++) {
        for (v = 0; v < sizeof values / sizeof values[0]; v++) {
            struct record changed = record;
            struct scion_members members = {0};
            int rc;

            changed.words[i] = values[v];
            rc = decode_sealed(&changed, &members);
            CHECK(rc == 0 || rc == SION_ERR_DAMAGED);
            if (rc == 0)
                rc = check(&members, bytes);
            good += rc == 0;
            if (rc == 0)
                CHECK_INT(changed.words[i], record.words[i]);
            scion_members_free(&members);
        }
    }
    CHECK(good < 40); /* the same number */
}

int main(void)
{
    RUN(equal_pieces_at_equal_distances_are_one_run);
    RUN(random_pieces_are_kept_cut_and_taken);
    RUN(a_record_reads_back);
    RUN(the_other_byte_order_is_read);
    RUN(each_changed_bit_is_noticed);
    RUN(a_record_that_is_cut_off_is_damaged);
    RUN(it_must_be_of_the_data);
    RUN(bytes_of_two_members_are_damage);
    RUN(pieces_behind_the_end_are_damage);
    RUN(runs_that_are_not_valid_are_damage_of_their_group);
    RUN(words_too_many_are_damage);
    RUN(hostile_numbers_are_refused);
    RUN(each_byte_must_be_covered_once);
    RUN(large_streams_are_covered);
    return check_done();
}
