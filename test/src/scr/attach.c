/*
 * Maps that are written at the close of containers, with the generic interface: how much is read
 * again for them, and failures of every write of a task.
 */
#include "check.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "src/parallel/callbacks.h"
#include "src/comm/thread_tasks.h"
#include "scr_check.h"
#include "vfs/fault.h"

enum { TASKS = 4, RECORDS = 7, RECORD = 300, EACH = 3 };

/* How a container is written. */
struct way {
    const char *mode;
    int nfiles;
    int mapped, restart, export; /* 1: so */
    int first;                   /* number of the first record, so that containers differ */
    int aid;
    const struct sion_scr_export_options *options;
    atomic_int rc, wrong; /* sums over tasks */
};

#define EXPECT(condition) ((condition) ? 0 : atomic_fetch_add(&way->wrong, 1))

static void write_records(struct way *way, int sid, int task, int first, int end)
{
    unsigned char data[RECORD];
    int i;

    for (i = way->first + first; i < way->first + end; i++) {
        check_fill(data, task, i * RECORD, RECORD);
        if (strstr(way->mode, "keyval"))
            EXPECT(sion_fwrite_key(data, (uint64_t)i, 1, RECORD, sid) == RECORD);
        else
            EXPECT(sion_fwrite(data, 1, RECORD, sid) == RECORD);
    }
}

static void write_plain(struct scion_comm *comm, void *data)
{
    struct way *way = data;
    int nfiles = way->nfiles, filenumber = comm->rank % nfiles, lrank = comm->rank / nfiles;
    int lsize = TASKS / nfiles, sid;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 100;
    char *name = NULL;
    FILE *fp = NULL;

    sid = sion_generic_paropen(way->aid, "data/c.sion", way->mode, &chunksize, &fsblksize, comm,
                               comm->rank, comm->size, &filenumber, &nfiles, &lrank, &lsize,
                               way->export ? &fp : NULL, &name);
    free(name);
    if (sid < 0) {
        way->rc -= 1;
        return;
    }
    EXPECT(code_of(sion_scr_attach(sid, way->options)) == 0);
    write_records(way, sid, comm->rank, 0, RECORDS);
    if (way->restart) {
        EXPECT(sion_generic_parreinit(sid, 500) == 1);
        write_records(way, sid, comm->rank, 0, RECORDS - comm->rank);
    }
    way->rc += sion_generic_parclose(sid);
}

/* Every process has three tasks, and switches between them. */
static void write_mapped(struct scion_comm *comm, void *data)
{
    struct way *way = data;
    int ranks[EACH], files[EACH], places[EACH], n = EACH, nfiles = way->nfiles, sid, turn, i;
    int *rank_list = ranks, *file_list = files, *place_list = places;
    sion_int64 chunks[EACH], *chunk_list = chunks;
    sion_int32 fsblksize = 100;
    char name[] = "data/c.sion";

    for (i = 0; i < EACH; i++) {
        ranks[i] = (EACH - 1 - i) * TASKS + comm->rank;
        files[i] = ranks[i] % nfiles;
        places[i] = ranks[i] / nfiles;
        chunks[i] = 1000;
    }
    sid = sion_generic_paropen_mapped(way->aid, name, way->mode, &nfiles, comm, comm->rank,
                                      comm->size, &n, &rank_list, &chunk_list, &file_list,
                                      &place_list, &fsblksize, NULL);
    if (sid < 0) {
        way->rc -= 1;
        return;
    }
    EXPECT(code_of(sion_scr_attach(sid, NULL)) == 0);
    for (turn = 0; turn + 2 < RECORDS; turn += 2) {
        for (i = 0; i < EACH; i++) {
            EXPECT(sion_seek(sid, ranks[i], SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
            write_records(way, sid, ranks[i], turn, turn + 2);
        }
    }
    way->rc += sion_generic_parclose_mapped(sid);
}

static void write_container(struct way *way)
{
    way->rc = way->wrong = 0;
    mkdir("data", 0777);
    run_tasks(TASKS, way->mapped ? write_mapped : write_plain, way);
}

/* The number of reads while the container is written and closed. */
static long reads_of(struct way *way)
{
    long reads;

    scion_fault_arm(0, 0, 0, 0);
    write_container(way);
    reads = scion_fault_count(SCION_FAULT_PREAD);
    scion_fault_disarm();
    CHECK_INT(way->rc, TASKS);
    CHECK_INT(way->wrong, 0);
    CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
    CHECK_INT(rename("data/.scr", "attached"), 0);
    CHECK_INT(code_of(sion_scr_export("data/c.sion", NULL)), 0);
    CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", "attached/rank2file.0.0.scr"));
    remove_folder("attached");
    remove_folder("data");
    return reads;
}

static void no_byte_is_read_again(int aid)
{
    struct way ways[] = {
        {.mode = "bw"},
        {.mode = "bw", .nfiles = 2},
        {.mode = "bw,posix"},
        {.mode = "bw,keyval=inline"},
        {.mode = "bw", .restart = 1},
        {.mode = "bw", .mapped = 1},
        {.mode = "bw", .mapped = 1, .nfiles = 3},
        {.mode = "bw,posix", .mapped = 1},
        {.mode = "bw,keyval=inline", .mapped = 1, .nfiles = 3},
    };
    size_t i;

    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        ways[i].aid = aid;
        ways[i].nfiles += ways[i].nfiles == 0;
        CHECK_INT(reads_of(&ways[i]), 0);
    }
}

static void what_the_application_may_have_written_is_read_once(int aid)
{
    struct way way = {.mode = "bw", .nfiles = 1, .export = 1, .aid = aid};

    /* Each task has three chunks, one of them with a single record. */
    CHECK_INT(reads_of(&way), 3 * TASKS);
}

/* For SCR 3, the map has the physical files: all tasks together read each byte once. */
static void the_physical_files_are_measured_together(int aid)
{
    static const struct sion_scr_export_options native = {.size = sizeof native,
                                                          .layout = SION_SCR_LAYOUT_3};
    struct way way = {.mode = "bw", .nfiles = 2, .aid = aid, .options = &native};

    write_container(&way);
    CHECK_INT(way.rc, TASKS);
    CHECK_INT(way.wrong, 0);
    CHECK_INT(code_of(sion_scr_check(".", NULL)), 0);
    CHECK_INT(rename(".scr", "attached"), 0);
    CHECK_INT(code_of(sion_scr_export("data/c.sion", &native)), 0);
    CHECK(same_tree_files(".scr/scr.dataset.1/rank2file.0.0",
                          "attached/scr.dataset.1/rank2file.0.0"));
    remove_folder("attached");
    remove_folder(".scr");
    remove_folder("data");
}

/* Only the header of the second record fits, and is discarded. The third record is as long. */
static void write_after_loss(struct scion_comm *comm, void *data)
{
    struct way *way = data;
    int one = 1, zero = 0, sid;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 100;
    unsigned char lost[RECORD];

    scion_fault_arm(0, 0, 0, 0);
    sid = sion_generic_paropen(way->aid, "data/c.sion", way->mode, &chunksize, &fsblksize, comm,
                               comm->rank, comm->size, &zero, &one, &comm->rank, &one, NULL, NULL);
    EXPECT(code_of(sion_scr_attach(sid, NULL)) == 0);
    write_records(way, sid, 0, 0, 1);
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 2, 1, ENOSPC);
    check_fill(lost, 9, 0, RECORD);
    EXPECT(sion_fwrite_key(lost, 1, 1, RECORD, sid) == 0);
    EXPECT(scion_fault_hits() == 1);
    scion_fault_disarm();
    EXPECT(sion_fwrite_key("", 2, 1, 0, sid) == 0);
    EXPECT(sion_get_bytes_written(sid) == 16 + RECORD + 16);
    way->rc += sion_generic_parclose(sid);
}

static void what_was_taken_back_is_in_no_crc(int aid)
{
    struct way way = {.mode = "bw,posix,keyval=inline", .aid = aid};

    mkdir("data", 0777);
    run_tasks(1, write_after_loss, &way);
    CHECK_INT(way.rc, 1);
    CHECK_INT(way.wrong, 0);
    CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
    remove_folder("data");
}

/*
 * Each write fails once. The call that writes a record reports its loss; the close reports all
 * other losses, on all tasks. Then there is no map, unless only its summary could not be written.
 */
static void a_failing_write_leaves_no_map(struct way *way)
{
    long n, hits = 1;
    int lost = 0, failed = 0;

    for (n = 1; hits > 0 && n < 500; n++) {
        int is_there;

        scion_fault_arm(1 << SCION_FAULT_PWRITE, n, 1, ENOSPC);
        write_container(way);
        hits = scion_fault_hits();
        scion_fault_disarm();
        is_there = access("data/.scr/rank2file.scr", F_OK) == 0;
        CHECK(way->rc == -TASKS || (way->rc == TASKS && is_there));
        CHECK(hits == 0 || way->rc == -TASKS || way->wrong > 0);
        CHECK(!is_there || access("data/.scr/summary.scr", F_OK) != 0 ||
              code_of(sion_scr_check("data", NULL)) == 0);
        lost += way->rc == TASKS;
        failed += way->rc == -TASKS;
        remove_folder("data");
    }
    CHECK(lost > TASKS && failed > TASKS);
}

static int aid;

/* An attach with this variable fails, and one without it succeeds; the map is that of the second.
 */
struct variable {
    const char *name, *value, *reason;
    int aid;
};

static void attach_with(struct scion_comm *comm, void *data)
{
    const struct variable *variable = data;
    int one = 1, zero = 0, sid;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 100;

    sid = sion_generic_paropen(variable->aid, "data/c.sion", "bw", &chunksize, &fsblksize, comm, 0,
                               1, &zero, &one, &zero, &one, NULL, NULL);
    setenv(variable->name, variable->value, 1);
    CHECK(code_of(sion_scr_attach(sid, NULL)) != 0);
    CHECK_CONTAINS(sion_error_text(), variable->reason);
    unsetenv(variable->name);
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), 0);
    CHECK_INT(sion_fwrite("bytes", 1, 5, sid), 5);
    CHECK_INT(sion_generic_parclose(sid), 1);
}

static void wrong_variables_are_refused(void)
{
    static const char id[] = "SION_SCR_ID is a number from 1 on, not '";
    struct variable variables[] = {
        {.name = "SION_SCR_ID", .value = "one", .reason = id},
        {.name = "SION_SCR_ID", .value = "1x", .reason = id},
        {.name = "SION_SCR_ID", .value = "0", .reason = id},
        {.name = "SION_SCR_ID", .value = "2147483648", .reason = id},
        {.name = "SION_SCR_LAYOUT", .value = "scr4", .reason = "or scr3, not 'scr4'"},
        {.name = "SION_SCR_FLAGS", .value = "output,other", .reason = "not 'output,other'"},
        {.name = "SION_SCR_DATASET", .value = "../a", .reason = "../a"},
    };
    size_t i;

    for (i = 0; i < sizeof variables / sizeof *variables; i++) {
        mkdir("data", 0777);
        variables[i].aid = aid;
        run_tasks(1, attach_with, &variables[i]);
        CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
        remove_folder("data");
    }
}

/* What the caller has said counts, not the variables; an empty one says nothing. */
static void arguments_come_before_variables(void)
{
    static const struct sion_scr_export_options options = {.size = sizeof options,
                                                           .layout = SION_SCR_LAYOUT_PREFIX,
                                                           .id = 5,
                                                           .no_checkpoint = 1,
                                                           .dataset = "five"};
    struct way way = {.mode = "bw", .nfiles = 1, .aid = aid, .options = &options};

    setenv("SION_SCR_LAYOUT", "dataset", 1);
    setenv("SION_SCR_ID", "one", 1);
    setenv("SION_SCR_FLAGS", "other", 1);
    setenv("SION_SCR_DATASET", "../a", 1);
    write_container(&way);
    CHECK_INT(way.wrong, 0);
    CHECK_INT(way.rc, TASKS);
    CHECK(access(".scr/scr.dataset.5/rank2file.scr", F_OK) == 0);
    remove_folder(".scr");
    setenv("SION_SCR_LAYOUT", "", 1);
    setenv("SION_SCR_ID", "", 1);
    setenv("SION_SCR_FLAGS", "", 1);
    setenv("SION_SCR_DATASET", "", 1);
    way.options = NULL;
    write_container(&way);
    CHECK_INT(way.wrong, 0);
    CHECK(access("data/.scr/rank2file.scr", F_OK) == 0);
    remove_folder("data");
    unsetenv("SION_SCR_LAYOUT");
    unsetenv("SION_SCR_ID");
    unsetenv("SION_SCR_FLAGS");
    unsetenv("SION_SCR_DATASET");
}

static void maps_need_no_second_pass(void)
{
    no_byte_is_read_again(aid);
    what_the_application_may_have_written_is_read_once(aid);
    the_physical_files_are_measured_together(aid);
    what_was_taken_back_is_in_no_crc(aid);
}

static void one_failure_is_all_failures(void)
{
    struct way plain = {.mode = "bw", .nfiles = 2, .aid = aid};
    struct way mapped = {.mode = "bw", .nfiles = 2, .mapped = 1, .aid = aid};

    a_failing_write_leaves_no_map(&plain);
    a_failing_write_leaves_no_map(&mapped);
}

/* ---- atomic containers ---- */

static struct way atomic_ways[] = {
    {.nfiles = 1}, {.nfiles = 2}, {.nfiles = 1, .mapped = 1}, {.nfiles = 3, .mapped = 1}};

enum { ATOMIC_WAYS = sizeof atomic_ways / sizeof *atomic_ways };

static void write_old(struct way *way)
{
    way->aid = aid;
    way->mode = "bw";
    way->first = 0;
    write_container(way);
    CHECK_INT(way->rc, TASKS);
    CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
}

static void write_new(struct way *way)
{
    way->aid = aid;
    way->mode = "bw,atomic";
    way->first = 1;
    write_container(way);
}

static int has_map(void)
{
    return access("data/.scr/rank2file.scr", F_OK) == 0;
}

/* Whether all files are those of the old container, of which there are copies in the folder `old`.
 */
static int is_old(const struct way *way)
{
    char name[40], copy[40];
    int i, is_same = 1;

    for (i = 0; i < way->nfiles && is_same; i++) {
        size_t length = 0, copied = 0;
        unsigned char *bytes, *copies;

        snprintf(name, sizeof name, i == 0 ? "data/c.sion" : "data/c.sion.%06d", i);
        snprintf(copy, sizeof copy, "old%s", name + 4);
        bytes = support_load(name, &length);
        copies = support_load(copy, &copied);
        is_same = bytes && copies && length == copied && memcmp(bytes, copies, length) == 0;
        free(bytes);
        free(copies);
    }
    return is_same;
}

static void write_old_twice(struct way *way)
{
    write_old(way);
    CHECK_INT(rename("data", "old"), 0);
    write_old(way);
}

static void remove_both(void)
{
    remove_folder("data");
    remove_folder("old");
}

static void a_new_name_gets_a_map(void)
{
    int i;

    for (i = 0; i < ATOMIC_WAYS; i++) {
        write_new(&atomic_ways[i]);
        CHECK_INT(atomic_ways[i].rc, TASKS);
        CHECK_INT(atomic_ways[i].wrong, 0);
        CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
        remove_folder("data");
    }
}

static int is_killed_in(struct way *way, long call)
{
    pid_t child;
    int status = 0;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        scion_fault_kill_in(call);
        write_new(way);
        _exit(way->rc != TASKS);
    }
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status);
}

/* A map that is there is that of the container. The old one goes in the last moment. */
static void kill_in_every_call(struct way *way)
{
    int is_killed = 1, old_with = 0, old_without = 0;
    long call;

    for (call = 1; call < 500 && is_killed; call++) {
        write_old_twice(way);
        is_killed = is_killed_in(way, call);
        CHECK(!has_map() || code_of(sion_scr_check("data", NULL)) == 0);
        old_with += is_old(way) && has_map();
        old_without += is_old(way) && !has_map();
        CHECK(is_killed || (has_map() && !is_old(way)));
        remove_both();
    }
    CHECK(!is_killed && old_with > 10);
    CHECK(old_without <= 2);
}

static void fail_in_every_write(struct way *way)
{
    long call, hits = 1;
    int failed = 0;

    for (call = 1; call < 500 && hits > 0; call++) {
        write_old_twice(way);
        scion_fault_arm(1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_FSYNC, call, 1, ENOSPC);
        write_new(way);
        hits = scion_fault_hits();
        scion_fault_disarm();
        CHECK(!has_map() || code_of(sion_scr_check("data", NULL)) == 0);
        CHECK(has_map() || !is_old(way));
        CHECK(hits == 0 || way->rc == -TASKS || way->wrong > 0 || has_map());
        failed += way->rc == -TASKS && is_old(way);
        remove_both();
    }
    CHECK(hits == 0 && failed > TASKS);
}

/* Nothing is replaced if the old map cannot be removed. */
static void the_old_map_cannot_be_removed(struct way *way)
{
    write_old_twice(way);
    scion_fault_arm(1 << SCION_FAULT_UNLINK, 1, 1, EACCES);
    write_new(way);
    CHECK_INT(scion_fault_hits(), 1);
    scion_fault_disarm();
    CHECK_INT(way->rc, -TASKS);
    CHECK(is_old(way));
    CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
    CHECK_INT(leftovers("data"), 0);
    remove_both();
}

static void the_old_map_stays_with_the_old_container(void)
{
    int i;

    for (i = 0; i < ATOMIC_WAYS; i++) {
        kill_in_every_call(&atomic_ways[i]);
        fail_in_every_write(&atomic_ways[i]);
        the_old_map_cannot_be_removed(&atomic_ways[i]);
    }
}

int main(void)
{
    support_enter_folder();
    support_catch();
    aid = generic_make_api();
    RUN(maps_need_no_second_pass);
    RUN(one_failure_is_all_failures);
    RUN(wrong_variables_are_refused);
    RUN(arguments_come_before_variables);
    RUN(a_new_name_gets_a_map);
    RUN(the_old_map_stays_with_the_old_container);
    sion_generic_free_api(aid);
    support_leave_folder();
    return check_done();
}
