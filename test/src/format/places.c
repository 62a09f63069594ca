/* Places of tasks as bytes, and which tasks get one. */
#include "format/places.h"

#include "sion_const.h"

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "check.h"

enum { TASKS = 100000 };

static unsigned char fixed[SCION_META1_FIXED];

static struct scion_meta1 head_of(int ntasks, size_t name)
{
    struct scion_meta1 head;

    scion_meta1_init(&head, SION_KEYVAL_NONE, 0);
    head.fsblksize = 1;
    head.ntasks = ntasks;
    head.nfiles = 1;
    memset(head.prefix, 'x', name);
    return head;
}

/* The size of a task's chunk. */
static sion_int64 size_of(int task)
{
    return task % 7 + 1;
}

/* Pass the sizes, so many at once. */
static void pass(struct scion_places *places, int ntasks, int at_once)
{
    sion_int64 sizes[4096], before = 0, next;
    int first, n, i;

    for (first = 0; first < ntasks; first += n, before = next) {
        n = ntasks - first < at_once ? ntasks - first : at_once;
        next = before;
        for (i = 0; i < n; i++)
            next += sizes[i] = size_of(first + i);
        scion_places_pass(places, sizes, first, n, before);
    }
    places->globalskip = before;
}

/* Back from bytes. */
static int decode(const struct scion_places *places, struct scion_meta1 *head,
                  struct scion_places *back)
{
    struct scion_meta1 there;

    scion_meta1_encode(head, fixed);
    scion_places_encode(places, fixed);
    CHECK_INT(scion_meta1_decode(fixed, sizeof fixed, 1 << 30, &there), 0);
    CHECK(strcmp(there.prefix, head->prefix) == 0);
    return scion_places_decode(&there, back);
}

static void few_tasks_have_none(void)
{
    struct scion_meta1 head = head_of(SCION_PLACES_LEAST - 1, 10);
    struct scion_places places, back;
    unsigned char plain[SCION_META1_FIXED];

    scion_places_plan(&head, &places);
    CHECK_INT(places.n, 0);
    CHECK_INT(decode(&places, &head, &back), 0);
    scion_meta1_encode(&head, plain);
    CHECK(memcmp(plain, fixed, sizeof plain) == 0);
}

/* However many are passed at once. */
static void places_are_sums(void)
{
    static const int at_once[] = {1, 997, 1000, 1024, 4096};
    struct scion_meta1 head = head_of(TASKS, 10);
    struct scion_places places, back;
    size_t i;

    for (i = 0; i < sizeof at_once / sizeof *at_once; i++) {
        sion_int64 sum = 0;
        int task;

        scion_places_plan(&head, &places);
        CHECK_INT(places.step, 991);
        CHECK_INT(places.n, 100);
        pass(&places, TASKS, at_once[i]);
        CHECK_INT(decode(&places, &head, &back), 1);
        CHECK(memcmp(&places, &back, sizeof back) == 0);
        for (task = 0; task < TASKS; sum += size_of(task++)) {
            if (task % places.step == 0 && task > 0)
                CHECK_INT(places.at[task / places.step - 1], sum);
        }
    }
}

/* The name and a zero byte stay. */
static void long_names_leave_room_for_fewer(void)
{
    static const struct {
        size_t name;
        int n;
    } cases[] = {{0, 100}, {191, 100}, {192, 99}, {983, 1}, {984, 0}, {1016, 0}, {1024, 0}};
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scion_meta1 head = head_of(SCION_PLACES_LEAST, cases[i].name);
        struct scion_places places, back;

        scion_places_plan(&head, &places);
        CHECK(places.n <= cases[i].n && places.n >= cases[i].n - 1);
        CHECK((places.n == 0) == (cases[i].n == 0));
        pass(&places, SCION_PLACES_LEAST, 4096);
        CHECK_INT(decode(&places, &head, &back), places.n > 0);
    }
}

static void any_other_byte_makes_them_damaged(void)
{
    struct scion_meta1 head = head_of(TASKS, 10), there;
    struct scion_places places, back;
    size_t i, begin = SCION_META1_FIXED - 32 - 8 * 100;

    scion_places_plan(&head, &places);
    pass(&places, TASKS, 4096);
    CHECK_INT(decode(&places, &head, &back), 1);
    for (i = begin; i < SCION_META1_FIXED; i++) {
        fixed[i] ^= 1;
        CHECK_INT(scion_meta1_decode(fixed, sizeof fixed, 1 << 30, &there), 0);
        /* Without the magic, and of another version, there are none. */
        CHECK_INT(scion_places_decode(&there, &back),
                  i >= SCION_META1_FIXED - 32 && i < SCION_META1_FIXED - 20 ? 0 : SION_ERR_DAMAGED);
        fixed[i] ^= 1;
    }
}

/* With the right CRC. */
static void numbers_are_checked(void)
{
    struct scion_meta1 head = head_of(TASKS, 10);
    struct scion_places places, good, back;

    scion_places_plan(&head, &good);
    pass(&good, TASKS, 4096);
    places = good;
    places.at[5] = places.at[6] + 1;
    CHECK_INT(decode(&places, &head, &back), SION_ERR_DAMAGED);
    places = good;
    places.at[0] = -1;
    CHECK_INT(decode(&places, &head, &back), SION_ERR_DAMAGED);
    places = good;
    places.globalskip = places.at[99] - 1;
    CHECK_INT(decode(&places, &head, &back), SION_ERR_DAMAGED);
    places = good;
    places.step = 0;
    CHECK_INT(decode(&places, &head, &back), SION_ERR_DAMAGED);
    places.step = -991;
    CHECK_INT(decode(&places, &head, &back), SION_ERR_DAMAGED);
    places.step = 2000;
    CHECK_INT(decode(&places, &head, &back), SION_ERR_DAMAGED);
}

/* Sizes of version 3 are rounded up, so sums of them are no places. */
static void old_versions_have_none(void)
{
    struct scion_meta1 head = head_of(TASKS, 10);
    struct scion_places places, back;

    scion_places_plan(&head, &places);
    pass(&places, TASKS, 4096);
    head.format_version = 3;
    head.fsblksize = 512;
    CHECK_INT(decode(&places, &head, &back), 0);
}

static void swap(unsigned char *at, size_t size, size_t n)
{
    scion_swap_copy(at, at, size, n);
}

static void of_another_byte_order(void)
{
    struct scion_meta1 head = head_of(TASKS, 10), there;
    struct scion_places places, back;
    unsigned char *record = fixed + SCION_META1_FIXED - 32, *first = record - 8 * 100;
    uint32_t crc;

    scion_places_plan(&head, &places);
    pass(&places, TASKS, 4096);
    CHECK_INT(decode(&places, &head, &back), 1);
    swap(first, 8, 100);
    swap(record + 8, 4, 2);
    swap(record + 16, 8, 1);
    swap(record + 24, 4, 1);
    crc = scion_crc32c(0, first, 828);
    memcpy(record + 28, &crc, sizeof crc);
    swap(record + 28, 4, 1);
    CHECK_INT(scion_meta1_decode(fixed, sizeof fixed, 1 << 30, &there), 0);
    there.swapped = 1;
    there.ntasks = TASKS;
    CHECK_INT(scion_places_decode(&there, &back), 1);
    CHECK(memcmp(&places, &back, sizeof back) == 0);
}

/* One place: what doc/format.md says, computed by hand. */
static void the_bytes_are_those_of_the_document(void)
{
    static const unsigned char bytes[] = {
        0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x53, 0x49, 0x4f, 0x4e, 0x50, 0x4c,
        0x43, 0x31, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xfd, 0xff, 0x01, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x01, 0x40, 0x00, 0x00, 0x86, 0x02, 0x71, 0x7c,
    };
    struct scion_meta1 head = head_of(SCION_PLACES_LEAST, 983);
    struct scion_places places, back;

    scion_places_plan(&head, &places);
    CHECK_INT(places.step, 16385);
    pass(&places, SCION_PLACES_LEAST, 4096);
    CHECK_INT(decode(&places, &head, &back), 1);
    CHECK(scion_host_is_big() ||
          memcmp(fixed + SCION_META1_FIXED - sizeof bytes, bytes, sizeof bytes) == 0);
}

int main(void)
{
    RUN(few_tasks_have_none);
    RUN(places_are_sums);
    RUN(long_names_leave_room_for_fewer);
    RUN(any_other_byte_makes_them_damaged);
    RUN(numbers_are_checked);
    RUN(old_versions_have_none);
    RUN(of_another_byte_order);
    RUN(the_bytes_are_those_of_the_document);
    return check_done();
}
