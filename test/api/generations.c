/*
 * Containers that keep their last generations: a random writer against a plain model, by one
 * process. Readers see exactly one generation, or all that are left; disk space does not grow.
 */
#include "generations.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "vfs/fault.h"

static void write_randomly(int sid)
{
    int n = (int)check_below(5);

    while (n-- > 0)
        write_to(sid, (int)check_below(TASKS), (size_t)check_below(599) + 1);
}

/* ---- readers that go on with newer states ---- */

enum kind { NEWEST, ALL, FIXED, PREVIOUS, KINDS };

struct reader {
    enum kind kind;
    int sid, rank, selected;     /* rank -1: of all tasks */
    int first, last;             /* the generations that it sees */
    sion_int64 pos[TASKS];       /* in all that was ever written */
    sion_int64 forgotten[TASKS]; /* of what it has seen */
};

static struct reader readers[2 * KINDS];

static void go_to_start(struct reader *reader)
{
    int task;

    for (task = 0; task < TASKS; task++)
        reader->pos[task] = start_of(reader->first, task);
}

static void open_reader(struct reader *reader, const char *words, enum kind kind, int rank)
{
    static const char *const which[KINDS] = {"", ",generation=all", ",generation=%d",
                                             ",generation=-1"};
    char mode[80], generation[40];
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int generation_of[KINDS] = {newest, newest, newest, newest - 1};

    if (newest == 0 || (kind == PREVIOUS && newest - 1 < oldest))
        return;
    *reader = (struct reader){.kind = kind, .rank = rank, .selected = rank < 0 ? 0 : rank};
    snprintf(generation, sizeof generation, which[kind], newest);
    snprintf(mode, sizeof mode, "rb%s%s", words, generation);
    reader->sid = rank < 0 ? open_to_read(mode)
                           : sion_open_rank(name, mode, &chunksize, &fsblksize, &rank, NULL);
    CHECK(reader->sid >= 0);
    reader->last = generation_of[kind];
    reader->first = kind == ALL ? oldest : reader->last;
    go_to_start(reader);
}

/* Some bytes of some tasks, or all of what is left. */
static void read_some(struct reader *reader)
{
    static unsigned char data[ROOM];
    int n = (int)check_below(4);

    while (n-- > 0) {
        int task = reader->rank < 0 ? (int)check_below(TASKS) : reader->rank;
        sion_int64 left = start_of(reader->last + 1, task) - reader->pos[task], bytes;
        sion_int64 wanted = has_keys || (int)check_below(3) ? left : (sion_int64)check_below(700);

        if (reader->rank < 0)
            CHECK_INT(sion_seek(reader->sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        reader->selected = task;
        if (!has_keys)
            CHECK_INT(sion_stream_tell(reader->sid),
                      reader->pos[task] - start_of(reader->first, task));
        bytes = read_bytes(reader->sid, data, wanted);
        CHECK_INT(bytes, wanted < left ? wanted : left);
        CHECK_INT(check_compare(data, task, reader->pos[task], (size_t)bytes), -1);
        reader->pos[task] += bytes;
    }
}

/* The first generation that a reader of all has lost, if the oldest one is that now. */
static int first_lost(const struct reader *reader)
{
    int lost = reader->last + 1, task, g;

    for (task = 0; task < TASKS; task++) {
        if (task != reader->selected && reader->pos[task] == start_of(reader->first, task))
            continue;
        for (g = reader->first; g < lost; g++) {
            if (start_of(g + 1, task) > reader->pos[task])
                lost = g;
        }
    }
    return lost;
}

static void check_loss(int lost)
{
    char text[80] = "";

    CHECK_INT(support_warnings, lost < oldest);
    if (lost == oldest - 1)
        snprintf(text, sizeof text, "generation %d of %s was forgotten", lost, name);
    else if (lost < oldest)
        snprintf(text, sizeof text, "generations %d to %d of %s were forgotten", lost, oldest - 1,
                 name);
    CHECK_CONTAINS(support_message, text);
}

/* number: 0: all that there is, of which bytes of the selected task were forgotten */
static void check_query(const struct reader *reader, int number, sion_int64 forgotten)
{
    sion_int64 generation = -1, bytes = -1;

    CHECK_INT(sion_get_generation(reader->sid, &generation, &bytes), 1);
    CHECK_INT(generation, number);
    CHECK_INT(bytes, forgotten);
}

static void check_all_forgotten(struct reader *reader)
{
    int task;

    for (task = 0; reader->rank < 0 && task < TASKS; task++) {
        CHECK_INT(sion_seek(reader->sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        reader->selected = task;
        check_query(reader, 0, reader->forgotten[task]);
    }
    if (reader->rank >= 0)
        check_query(reader, 0, reader->forgotten[reader->rank]);
}

static void refresh_all_generations(struct reader *reader)
{
    int lost = first_lost(reader), task = reader->selected,
        from = reader->last + 1 > oldest ? reader->last + 1 : oldest;

    support_catch();
    CHECK_INT(sion_refresh(reader->sid), stored(from, newest, task));
    CHECK_INT(support_errors, 0);
    check_loss(lost);
    for (task = 0; task < TASKS; task++)
        reader->forgotten[task] +=
            stored(reader->first, reader->last < oldest ? reader->last : oldest - 1, task);
    check_all_forgotten(reader);
    reader->first = oldest;
    reader->last = newest;
    for (task = 0; task < TASKS; task++) {
        if (reader->pos[task] < start_of(oldest, task))
            reader->pos[task] = start_of(oldest, task);
    }
}

static void refresh_one_generation(struct reader *reader)
{
    int now = reader->kind == FIXED ? reader->last : newest - (reader->kind == PREVIOUS);

    support_catch();
    if (now < oldest) {
        CHECK_INT(sion_refresh(reader->sid), -1);
        CHECK_CONTAINS(support_message, reader->kind == FIXED ? "has no generation" : "-1: it has");
        CHECK_INT(sion_close(reader->sid), 1);
        reader->sid = -1;
        return;
    }
    CHECK_INT(sion_refresh(reader->sid),
              now > reader->last ? stored(now, now, reader->selected) : 0);
    CHECK_INT(support_errors + support_warnings, 0);
    check_query(reader, now > reader->last ? now : reader->last, 0);
    if (now == reader->last)
        return;
    reader->first = reader->last = now;
    go_to_start(reader);
}

static void refresh_readers(const char *words)
{
    int i;

    for (i = 0; i < 2 * KINDS; i++) {
        struct reader *reader = &readers[i];

        if (reader->sid < 0)
            open_reader(reader, words, (enum kind)(i / 2), i % 2 ? (int)check_below(TASKS) : -1);
        if (reader->sid < 0 || check_below(2))
            continue;
        if (check_below(5))
            (reader->kind == ALL ? refresh_all_generations : refresh_one_generation)(reader);
        if (reader->sid >= 0 && reader->first >= oldest)
            read_some(reader);
    }
}

static void close_readers(void)
{
    int i;

    for (i = 0; i < 2 * KINDS; i++) {
        if (readers[i].sid >= 0)
            CHECK_INT(sion_close(readers[i].sid), 1);
        readers[i].sid = -1;
    }
}

/* ---- writers that are killed ---- */

/* The model, in memory that outlives a process. */
struct image {
    sion_int64 model[MOST][TASKS], records[MOST][TASKS];
    int newest, oldest;
};

/* The last state that was published, and the one in work. */
static struct images {
    struct image done, next;
} * images;

static void save(struct image *image)
{
    memcpy(image->model, model, sizeof model);
    memcpy(image->records, records, sizeof records);
    image->newest = newest;
    image->oldest = oldest;
}

static void restore(const struct image *image)
{
    int task;

    memcpy(model, image->model, sizeof model);
    memcpy(records, image->records, sizeof records);
    newest = image->newest;
    oldest = image->oldest;
    for (task = 0; task < TASKS; task++) {
        at[task] = start_of(newest + 1, task);
        pending[task] = pending_records[task] = 0;
    }
}

static void run_session(const char *mode)
{
    int sid = open_some(mode), step, before;

    for (step = (int)check_below(5); step >= 0; step--) {
        write_randomly(sid);
        before = step > 0 && (int)check_below(4) == 0 ? newest + (int)check_below(3) : 0;
        if (before > 0)
            CHECK_INT(sion_forget(sid, before), 1);
        settle(before, step == 0);
        save(&images->next);
        CHECK_INT(step > 0 ? sion_publish(sid) : sion_close(sid), 1);
        images->done = images->next;
    }
}

static int has_generation(int number)
{
    char mode[40];
    int sid;

    snprintf(mode, sizeof mode, "rb,generation=%d", number);
    sid = open_to_read(mode);
    if (sid >= 0)
        CHECK_INT(sion_close(sid), 1);
    support_catch();
    return sid >= 0;
}

/* The process of a session is killed in any call: what it has published stays. */
static int killed_sessions;

static void run_killed_session(const char *words)
{
    const struct image *done = &images->done, *next = &images->next;
    char mode[80];
    int status, is_next;
    pid_t child;

    keep = 1 + (int)check_below(4);
    snprintf(mode, sizeof mode, "ab%s,keep=%d", words, keep);
    save(&images->done);
    save(&images->next);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        scion_fault_keep_whole(13);
        scion_fault_kill_in(1 + (long)check_below(90));
        run_session(mode);
        _exit(check_failed_here != 0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    killed_sessions += WIFSIGNALED(status);
    is_next = next->newest > done->newest
                  ? has_generation(next->newest)
                  : next->oldest > done->oldest && !has_generation(done->oldest);
    restore(is_next ? next : done);
}

static void run_randomly(const char *words)
{
    const char *reading = strstr(words, "checksum") ? ",checksum" : "";
    char mode[80];
    int round, step, before, sid;

    for (sid = 0; sid < 2 * KINDS; sid++)
        readers[sid].sid = -1;
    start(1 + (int)check_below(4));
    for (round = 0; round < 4; round++) {
        if (round > 0 && (int)check_below(2))
            keep = 1 + (int)check_below(4);
        snprintf(mode, sizeof mode, "%s%s,keep=%d", round == 0 ? "wb" : "ab", words, keep);
        sid = open_some(mode);
        CHECK(sid >= 0);
        for (step = (int)check_below(6); step > 0; step--) {
            write_randomly(sid);
            before = (int)check_below(4) == 0 ? newest - (int)check_below(2) : 0;
            if (before > 0)
                CHECK_INT(sion_forget(sid, before), 1);
            CHECK_INT(sion_publish(sid), 1);
            settle(before, 0);
            check_readers(reading);
            refresh_readers(reading);
        }
        write_randomly(sid);
        CHECK_INT(sion_close(sid), 1);
        settle(0, 1);
        check_readers(reading);
        refresh_readers(reading);
        if (newest == 0 || (int)check_below(2))
            continue;
        run_killed_session(words);
        check_readers(reading);
        refresh_readers(reading);
    }
    close_readers();
}

static void readers_see_a_generation(void)
{
    int n;

    for (n = 0; n < 25; n++)
        run_randomly("");
    CHECK(killed_sessions > 10);
}

static void with_checksums_too(void)
{
#ifdef HAVE_CHECKSUM
    int n;

    for (n = 0; n < 15; n++)
        run_randomly(",checksum");
#else
    SKIP("no function for checksums");
#endif
}

static void of_compressed_streams(void)
{
    int n, sid = open_some("wb,compress=zstd");

    if (sid < 0) {
        support_catch();
        SKIP("no libzstd");
        return;
    }
    CHECK_INT(sion_close(sid), 1);
    for (n = 0; n < 15; n++)
        run_randomly(n % 3 == 0   ? ",compress=zstd"
                     : n % 3 == 1 ? ",compress=zstd:1,compress_frame=4096,shuffle=3"
                                  : ",compress=zstd,compress_frame=5000");
#ifdef HAVE_CHECKSUM
    for (n = 0; n < 5; n++)
        run_randomly(",checksum,compress=zstd,compress_frame=4096");
#endif
}

static void of_keys(void)
{
    int n;

    has_keys = 1;
    for (n = 0; n < 15; n++)
        run_randomly(",keyval=inline");
#ifdef HAVE_CHECKSUM
    for (n = 0; n < 5; n++)
        run_randomly(",checksum,keyval=inline");
#endif
    has_keys = 0;
}

static void put_key(int sid, uint64_t key, const char *text)
{
    CHECK_INT(sion_fwrite_key(text, key, 1, strlen(text), sid), strlen(text));
}

static void check_key(int sid, uint64_t key, size_t bytes, const char *text)
{
    char found[40] = "";

    CHECK_INT(sion_fread_key(found, key, 1, bytes, sid), strlen(text));
    CHECK_STR(found, text);
}

/* A key whose record is left is read on within it, others at their first one that is left. */
static void keys_are_read_on(void)
{
    int sid, reader;
    uint64_t key;
    size_t bytes;

    start(2);
    sid = open_some("wb,keep=2,keyval=inline");
    put_key(sid, 7, "abc");
    put_key(sid, 8, "de");
    CHECK_INT(sion_publish(sid), 1);
    put_key(sid, 8, "FGHI");
    put_key(sid, 9, "J");
    CHECK_INT(sion_publish(sid), 1);
    reader = open_to_read("rb,generation=all");
    check_key(reader, 7, 1, "a");
    check_key(reader, 8, 2, "de");
    check_key(reader, 8, 1, "F");
    put_key(sid, 7, "kl");
    CHECK_INT(sion_publish(sid), 1);
    support_catch();
    CHECK_INT(sion_refresh(reader), 18);
    check_key(reader, 8, 9, "GHI");
    check_key(reader, 7, 9, "kl");
    check_key(reader, 9, 9, "J");
    CHECK_INT(sion_fread_key_iterator_reset(reader), SION_SUCCESS);
    CHECK_INT(sion_fread_key_iterator_next(reader, &key, &bytes), SION_SUCCESS);
    CHECK(key == 8 && bytes == 4);
    CHECK_INT(sion_close(reader), 1);
    reader = open_to_read("rb");
    check_key(reader, 7, 9, "kl");
    CHECK_INT(sion_fread_key(&key, 8, 1, 1, reader), 0);
    put_key(sid, 8, "m");
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_refresh(reader), 17);
    check_key(reader, 8, 9, "m");
    CHECK_INT(sion_close(reader), 1);
    support_catch();
}

/* ---- disk space ---- */

static sion_int64 space(void)
{
    struct stat status;

    CHECK_INT(stat(name, &status), 0);
    return (sion_int64)status.st_blocks * 512;
}

static void space_does_not_grow(void)
{
    enum { BYTES = 1 << 20, PUBLISHES = 50 };
    static unsigned char data[BYTES];
    sion_int64 size[1] = {BYTES};
    sion_int32 fsblksize = 4096;
    int sid, n;

    start(2);
    sid = create("wb,keep=2", 1, size, &fsblksize);
    CHECK(sid >= 0);
    memset(data, 7, sizeof data);
    for (n = 0; n < PUBLISHES; n++) {
        CHECK_INT(sion_fwrite(data, 1, BYTES, sid), BYTES);
        CHECK_INT(sion_publish(sid), 1);
        CHECK(space() <= 3 * BYTES);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK(space() <= 3 * BYTES);
}

/* Where blocks cannot be freed the publish succeeds, and says so, once. */
static void blocks_stay(void)
{
    int sid, g;

    start(2);
    scion_fault_arm(0, 0, 0, 0);
    sid = open_some("wb,keep=2");
    support_catch();
    scion_fault_arm(1u << SCION_FAULT_FTRUNCATE, 1, 1000, EOPNOTSUPP);
    for (g = 0; g < 6; g++) {
        write_generation(sid);
        CHECK_INT(sion_publish(sid), 1);
        settle(0, 0);
    }
    CHECK(scion_fault_hits() > 0);
    CHECK_INT(support_warnings, 1);
    CHECK(strstr(support_message, "stay on the disk"));
    scion_fault_arm(0, 0, 0, 0);
    check_readers("");
    CHECK_INT(sion_close(sid), 1);
    settle(0, 1);
    check_readers("");
}

/* ---- what is refused ---- */

static void what_is_refused(void)
{
    int sid;

    start(1);
    support_catch();
    CHECK_INT(open_some("wb,keep=0"), -1);
    CHECK_INT(open_some("wb,keep=2,atomic"), -1);
    CHECK_INT(open_some("wb,keep=2,recover"), -1);
    CHECK_INT(open_some("wb,keep=2,buddy"), -1);
    sid = open_some("wb");
    CHECK_INT(sion_forget(sid, 1), 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(open_to_read("rb,generation=1"), -1);
    CHECK_INT(open_to_read("rb,generation=x"), -1);
    CHECK_INT(open_to_read("rb,keep=1"), -1);
    sid = open_to_read("rb,generation=latest");
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    support_catch();
}

/* What it has lost takes a number for each task. */
static void memory_of_readers_is_counted(void)
{
    int sid, refreshed, fresh, bytes = 0, more = 0, files;

    start(2);
    sid = open_some("wb,keep=2");
    write_generation(sid);
    CHECK_INT(sion_publish(sid), 1);
    refreshed = open_to_read("rb,generation=all");
    write_generation(sid);
    CHECK_INT(sion_close(sid), 1);
    CHECK(sion_refresh(refreshed) > 0);
    fresh = open_to_read("rb,generation=all");
    CHECK_INT(sion_get_sizeof(fresh, &bytes, &files), 1);
    CHECK_INT(sion_get_sizeof(refreshed, &more, &files), 1);
    CHECK_INT(more - bytes, 8 * TASKS);
    CHECK_INT(sion_close(refreshed), 1);
    CHECK_INT(sion_close(fresh), 1);
}

int main(void)
{
    check_seed(33);
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    support_enter_folder();
    images = mmap(NULL, sizeof *images, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    RUN(readers_see_a_generation);
    RUN(with_checksums_too);
    RUN(of_compressed_streams);
    RUN(of_keys);
    RUN(keys_are_read_on);
    RUN(space_does_not_grow);
    RUN(blocks_stay);
    RUN(what_is_refused);
    RUN(memory_of_readers_is_counted);
    support_leave_folder();
    return check_done();
}
