/* Calls that return information about containers. */
#include <limits.h>

#include "sion.h"
#include "sion_stats.h"

#include "support.h"

static char name[] = "c.sion";

static int open_golden(const char *file, int *ntasks, int *nfiles)
{
    char path[512];

    snprintf(path, sizeof path, "%s", support_golden(file));
    return sion_open(path, "br", ntasks, nfiles, NULL, NULL, NULL, NULL);
}

static void locations_of_one_file(void)
{
    int n, nfiles, maxblocks, sid = open_golden("serial/s04_multichunk.sion", &n, &nfiles);
    sion_int64 skip, start, *sizes, *ranks, *counts, *used;

    CHECK_INT(
        sion_get_locations(sid, &n, &maxblocks, &skip, &start, &sizes, &ranks, &counts, &used), 1);
    CHECK(n == 3 && maxblocks == 6 && skip == 2048 && start == 13824);
    CHECK(sizes[1] == 1024 && ranks[2] == 2 && counts[1] == 6 && counts[2] == 3);
    CHECK(used[0] == 300 && used[3 * 1 + 1] == 700 && used[3 * 5 + 1] == 1024 && used[3 * 1] == 0);
    CHECK_INT(sion_get_locations(sid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void locations_of_a_set_are_in_global_order(void)
{
    int n, nfiles, maxblocks, sid = open_golden("mpi/m10_lcomm.sion", &n, &nfiles);
    sion_int64 skip, start, *sizes, *ranks, *counts, *used, *again;
    int i;

    CHECK_INT(
        sion_get_locations(sid, &n, &maxblocks, &skip, &start, &sizes, &ranks, &counts, &used), 1);
    CHECK(n == 6 && nfiles == 3 && maxblocks == 1);
    for (i = 0; i < 6; i++) {
        CHECK_INT(ranks[i], i);
        CHECK_INT(used[i], 100 * (i + 1));
    }
    CHECK_INT(sion_get_locations(sid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &again), 1);
    CHECK(again == used);
    CHECK_INT(sion_close(sid), 1);
    sid = open_golden("mpi/m01_multi.sion", &n, &nfiles);
    CHECK_INT(sion_get_locations(sid, &n, &maxblocks, NULL, NULL, NULL, NULL, &counts, &used), 1);
    CHECK(maxblocks == 2 && counts[0] == 1 && used[8 + 0] == -1 && used[8 + 2] == 500);
    CHECK_INT(sion_close(sid), 1);
}

static void locations_while_writing(void)
{
    int n = 2, nfiles = 1, ranks[2] = {4, 5}, *r = ranks, maxblocks, sid;
    sion_int64 sizes[2] = {10, 50}, *s = sizes, start, *got, *counts, *used, *granks;
    sion_int32 fs = 20;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
    CHECK_INT(sion_fwrite("0123456789ab", 1, 12, sid), 12);
    CHECK_INT(sion_get_locations(sid, &n, &maxblocks, NULL, &start, &got, &granks, &counts, &used),
              1);
    CHECK(n == 2 && maxblocks == 2 && start == -1 && got[1] == 60 && granks[1] == 5);
    CHECK(counts[0] == 2 && counts[1] == 1 && used[0] == 10 && used[2] == 12 && used[1] == 0);
    CHECK_INT(sion_close(sid), 1);
}

static void locations_for_one_rank(void)
{
    char path[512];
    int rank = 1, n, sid;
    sion_int64 *sizes, *ranks, *counts, *used;

    snprintf(path, sizeof path, "%s", support_golden("serial/s04_multichunk.sion"));
    sid = sion_open_rank(path, "br", NULL, NULL, &rank, NULL);
    CHECK_INT(sion_get_locations(sid, &n, NULL, NULL, NULL, &sizes, &ranks, &counts, &used), 1);
    CHECK(n == 3 && sizes[2] == 512 && ranks[2] == 2 && !counts && !used);
    CHECK_INT(sion_close(sid), 1);
}

static void the_chunks_of_a_task_are_listed_one_after_the_other(void)
{
    int n, nfiles, sid = open_golden("serial/s04_multichunk.sion", &n, &nfiles), block, chunks;
    sion_int64 pos, *used;

    CHECK_INT(sion_seek(sid, 1, 2, 24), 1);
    CHECK_INT(sion_get_current_location(sid, &block, &pos, &chunks, &used), 1);
    CHECK(block == 2 && pos == 24 && chunks == 6);
    CHECK(used[0] == 400 && used[1] == 700 && used[3] == 1 && used[5] == 1024);
    CHECK_INT(sion_close(sid), 1);
}

static void current_locations_are_always_current(void)
{
    int n, nfiles, sid = open_golden("serial/s04_multichunk.sion", &n, &nfiles);
    sion_int64 *positions, *blocks;
    char data[200];

    CHECK_INT(sion_fread(data, 1, 100, sid), 100);
    CHECK_INT(sion_get_current_locations(sid, &n, &positions, &blocks), 1);
    CHECK(n == 3 && positions[0] == 1636 && positions[1] == 2048 && blocks[0] == 0);
    CHECK_INT(sion_seek(sid, 1, 1, 30), 1);
    CHECK_INT(sion_get_current_locations(sid, &n, &positions, &blocks), 1);
    CHECK(positions[0] == 1636 && positions[1] == 2048 + 2048 + 30 && blocks[1] == 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_golden("mpi/m01_multi.sion", &n, &nfiles);
    CHECK_INT(sion_get_current_locations(sid, &n, &positions, &blocks), 1);
    CHECK(n == 8 && !positions && !blocks);
    CHECK_INT(sion_close(sid), 1);
}

/* Arrays that a call has returned stay valid until the close, whatever is called in between. */
static void arrays_stay_valid_until_the_close(void)
{
    int n, nfiles, sid = open_golden("serial/s04_multichunk.sion", &n, &nfiles), chunks, i;
    sion_int64 *first, *second, *again, *positions, *same;

    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, &chunks, &first), 1);
    CHECK_INT(sion_seek(sid, 2, 0, 0), 1);
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, NULL, &second), 1);
    CHECK(first[0] == 400 && first[1] == 700);
    CHECK_INT(sion_seek(sid, 1, 1, 0), 1);
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, NULL, &again), 1);
    CHECK(first == again && first != second && chunks == 6 && first[5] == 1024);
    CHECK_INT(sion_get_current_locations(sid, NULL, &positions, NULL), 1);
    CHECK_INT(sion_get_current_locations(sid, NULL, &same, NULL), 1);
    CHECK(positions == same);
    for (i = 0; i < 6; i++) { /* seek and read with them */
        CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, i, first[i]), 1);
        CHECK_INT(sion_bytes_avail_in_block(sid), 0);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void arrays_stay_valid_while_chunks_are_added(void)
{
    int n = 1, nfiles = 1, ranks[1] = {0}, *r = ranks, sid, i;
    sion_int64 sizes[1] = {10}, *s = sizes, *used, *blocks, *counts, *now;
    sion_int32 fs = 10;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_fwrite("1234567", 1, 7, sid), 7);
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, NULL, &used), 1);
    CHECK_INT(sion_get_locations(sid, NULL, NULL, NULL, NULL, NULL, NULL, &counts, &blocks), 1);
    for (i = 1; i < 20; i++) {
        CHECK_INT(sion_fwrite("1234567", 1, 7, sid), 7);
        CHECK_INT(sion_get_current_location(sid, NULL, NULL, NULL, &now), 1);
        CHECK(now[i] == 7);
        CHECK_INT(sion_get_locations(sid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &now), 1);
        CHECK(now[i] == 7 && used[0] == 7 && blocks[0] == 7 && counts[0] >= 1);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void mappings(void)
{
    int n, nfiles, size = 0, numfiles = 0, sid = open_golden("mpi/m01_multi.sion", &n, &nfiles);
    int untouched[2] = {77, 78}, rank = 5;
    sion_int32 *mapping = NULL;
    char path[512];

    CHECK_INT(sion_get_mapping(sid, &size, &mapping, &numfiles), 1);
    CHECK(size == 8 && numfiles == 3 && mapping[2 * 7] == 2 && mapping[2 * 7 + 1] == 3);
    CHECK_INT(sion_close(sid), 1);
    sid = open_golden("serial/s01_single.sion", &n, &nfiles);
    mapping = untouched;
    CHECK_INT(sion_get_mapping(sid, &size, &mapping, &numfiles), 1);
    CHECK(size == -1 && numfiles == 1 && mapping == untouched);
    CHECK_INT(sion_close(sid), 1);
    snprintf(path, sizeof path, "%s", support_golden("mpi/m01_multi.sion"));
    sid = sion_open_rank(path, "br", NULL, NULL, &rank, NULL);
    CHECK_INT(sion_get_mapping(sid, &size, &mapping, &numfiles), 1);
    CHECK(size == 1 && mapping[0] == 2 && mapping[1] == 1);
    CHECK_INT(sion_close(sid), 1);
}

static void header_values(void)
{
    int n, nfiles, sid = open_golden("mpi/m01_multi.sion.000001", &n, &nfiles), bytes, fds;

    CHECK(n == 2 && nfiles == 3);
    CHECK_INT(sion_get_number_of_files(sid), 3);
    CHECK_INT(sion_get_filenumber(sid), 1);
    CHECK_INT(sion_is_serial_opened(sid), 1);
    CHECK_INT(sion_using_hints(sid), 0);
    CHECK_INT(sion_get_sizeof(sid, &bytes, &fds), 1);
    CHECK(bytes > 100 && fds == 1);
    CHECK(sion_get_io_info(sid) == NULL && sion_free_io_info(NULL) == 1);
    CHECK_INT(sion_close(sid), 1);
}

static sion_int64 distance_of_blocks(int sid)
{
    sion_int64 distance = -1;

    CHECK_INT(sion_get_locations(sid, NULL, NULL, &distance, NULL, NULL, NULL, NULL, NULL), 1);
    return distance;
}

/* Header values are those of the first file; only the distance of blocks is of the task's file. */
static void header_values_of_a_set(void)
{
    static const sion_int64 distances[2] = {928, 1216}; /* task i is in file i % 2 */
    int n, nfiles, i, sid = open_golden("mpi/m12_mapped_chunks.sion", &n, &nfiles);

    CHECK(n == 6 && nfiles == 2);
    CHECK_INT(sion_get_filenumber(sid), 0);
    for (i = 0; i < n; i++) {
        CHECK_INT(sion_seek(sid, i, 0, 0), 1);
        CHECK_INT(sion_get_filenumber(sid), 0);
        CHECK_INT(distance_of_blocks(sid), distances[i % 2]);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void byte_orders(void)
{
    static const struct {
        const char *file;
        int big;
    } table[] = {{"serial/s05_endbig.sion", 1},
                 {"serial/s05_endlittle.sion", 0},
                 {"swapped/b01_bigmeta_biguser.sion", 1},
                 {"swapped/b02_bigmeta_littleuser.sion", 0}};
    size_t i;

    for (i = 0; i < 4; i++) {
        int n, nfiles, sid = open_golden(table[i].file, &n, &nfiles);

        CHECK_INT(sion_get_file_endianness(sid), table[i].big);
        CHECK_INT(sion_endianness_swap_needed(sid), table[i].big != sion_get_endianness());
        CHECK_INT(sion_close(sid), 1);
    }
}

static void versions(void)
{
    int a, b, c, d;

    CHECK_INT(sion_get_version(&a, &b, &c, &d), 1);
    CHECK(a == 1 && b == 7 && c == 6 && d == 5);
    CHECK_INT(sion_get_version(NULL, NULL, NULL, NULL), 1);
    CHECK(_sion_file_stat_file(support_golden("streams.txt")) == 1);
    CHECK(_sion_file_stat_file("nowhere") == 0 && _sion_file_stat_file(NULL) == 0);
    CHECK(_sion_stat_file(support_golden("streams.txt")) == 1 && _sion_stat_file("nowhere") == 0);
    CHECK_INT(_SION_DEFAULT_RANK, -1);
}

static void roles_have_names(void)
{
    int role, none = 0;

    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_NONE), "SION_ROLE_NONE");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_COLLECTOR), "SION_ROLE_COLLECTOR");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_SENDER), "SION_ROLE_SENDER");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_WRITER), "SION_ROLE_WRITER");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_NOWRITER), "SION_ROLE_NOWRITER");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_READER), "SION_ROLE_READER");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_NOREADER), "SION_ROLE_NOREADER");
    CHECK_STR(_sion_buddy_role_to_str(SION_ROLE_COLLECTOR_READER), "SION_ROLE_COLLECTOR_READER");
    for (role = -1; role <= 128; role++)
        none += strcmp(_sion_buddy_role_to_str(role), "unknown") == 0;
    CHECK_INT(none, 130 - 8);
}

/* One message for each call that has a sid which is not open. */
static void check_invalid(int sid)
{
    int bytes = 7, descriptors = 7;
    sion_stats_t stats = {.size = sizeof stats};

    support_catch();
    CHECK_INT(sion_get_locations(sid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), 0);
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, NULL, NULL), 0);
    CHECK_INT(sion_get_current_locations(sid, NULL, NULL, NULL), 0);
    CHECK_INT(sion_get_mapping(sid, NULL, NULL, NULL), 0);
    CHECK_INT(sion_get_number_of_files(sid), -1);
    CHECK_INT(sion_get_filenumber(sid), -1);
    CHECK_INT(sion_is_serial_opened(sid), -1);
    CHECK_INT(sion_using_hints(sid), -1);
    CHECK_INT(sion_get_file_endianness(sid), -1);
    CHECK_INT(sion_endianness_swap_needed(sid), 1);
    CHECK_INT(sion_get_sizeof(sid, &bytes, &descriptors), -1);
    CHECK(bytes == -1 && descriptors == -1);
    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_UNKNOWN);
    CHECK(sion_get_io_info(sid) == NULL);
    CHECK_INT(sion_get_stats(sid, &stats), 0);
    CHECK_INT(support_errors, 14);
    CHECK_CONTAINS(support_message, "invalid sion_filedesc");
}

static void sids_that_are_not_open_are_refused(void)
{
    int n, nfiles, sid = open_golden("serial/s04_multichunk.sion", &n, &nfiles);

    CHECK_INT(sion_close(sid), 1);
    check_invalid(sid);
    check_invalid(-1);
    check_invalid(INT_MAX);
    check_invalid(INT_MIN);
}

static void outputs_that_nobody_wants(void)
{
    int n, nfiles, sid = open_golden("mpi/m01_multi.sion", &n, &nfiles), size = 0;

    CHECK_INT(sion_get_current_location(sid, NULL, NULL, NULL, NULL), 1);
    CHECK_INT(sion_get_current_locations(sid, NULL, NULL, NULL), 1);
    CHECK_INT(sion_get_mapping(sid, NULL, NULL, NULL), 1);
    CHECK_INT(sion_get_mapping(sid, &size, NULL, NULL), 1);
    CHECK_INT(size, n);
    CHECK_INT(sion_get_sizeof(sid, NULL, NULL), 1);
    CHECK_INT(sion_free_io_info(NULL), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void swapping(void)
{
    unsigned char in[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, out[12];

    sion_swap(out, in, 4, 3, 1);
    CHECK(out[0] == 3 && out[3] == 0 && out[4] == 7 && out[11] == 8);
    sion_swap(out, in, 4, 3, 0);
    CHECK(memcmp(in, out, 12) == 0);
    sion_swap(in, in, 2, 6, 1);
    CHECK(in[0] == 1 && in[1] == 0 && in[11] == 10);
    sion_swap(in, in, 8, 0, 1);
    sion_swap(out, in, 0, 3, 1);
    sion_swap(out, in, 4, -1, 1);
    sion_swap(in, in, 4, 3, 0);
    CHECK(in[0] == 1 && out[0] == 0 && in[11] == 10);
}

static int is_locked(void *counter)
{
    ++*(int *)counter;
    return 1;
}

static void registered_lock_callbacks_are_called(void)
{
    static int counters[2];
    int n, nfiles, sid;
    union {
        int *counter;
        void *data;
    } lock = {.counter = &counters[0]};

    CHECK_INT(sion_lock_user_callbacks_defined(), 0);
    CHECK_INT(sion_lock_register_lock_callbacks(is_locked, is_locked, lock.data), 1);
    CHECK_INT(sion_lock_register_lock_callbacks(is_locked, is_locked, &counters[1]), 0);
    CHECK_INT(sion_lock_user_callbacks_defined(), 1);
    counters[0] = 0;
    sid = open_golden("serial/s01_single.sion", &n, &nfiles);
    CHECK_INT(sion_close(sid), 1);
    CHECK(counters[0] >= 4 && counters[0] % 2 == 0);
    CHECK_INT(sion_is_thread_safe(), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(locations_of_one_file);
    RUN(locations_of_a_set_are_in_global_order);
    RUN(locations_while_writing);
    RUN(locations_for_one_rank);
    RUN(the_chunks_of_a_task_are_listed_one_after_the_other);
    RUN(current_locations_are_always_current);
    RUN(arrays_stay_valid_until_the_close);
    RUN(arrays_stay_valid_while_chunks_are_added);
    RUN(mappings);
    RUN(header_values);
    RUN(header_values_of_a_set);
    RUN(byte_orders);
    RUN(versions);
    RUN(roles_have_names);
    RUN(sids_that_are_not_open_are_refused);
    RUN(outputs_that_nobody_wants);
    RUN(swapping);
    RUN(registered_lock_callbacks_are_called);
    support_leave_folder();
    return check_done();
}
