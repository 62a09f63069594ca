/*
 * Containers that keep their last generations: a random writer against a plain model, by one
 * process. Readers see exactly one generation, or all that are left; disk space does not grow.
 */
#include "serial.h"
#include "records.h"
#include "sion_checksum.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "vfs/fault.h"

#ifdef HAVE_CHECKSUM
static const char *const all_words[] = {"", ",checksum"};
#else
static const char *const all_words[] = {""};
#endif

enum { TASKS = 3, MOST = 200, ROOM = 20000 };

static const sion_int64 sizes[TASKS] = {700, 600, 900};

/* What each generation has of each task, by its number; where its bytes begin in the task. */
static sion_int64 model[MOST][TASKS], at[TASKS], pending[TASKS];
static int newest, oldest, keep;

/* The same of keys: every write is a record. */
static int has_keys;
static sion_int64 records[MOST][TASKS], pending_records[TASKS];

static int open_some(const char *mode)
{
    sion_int32 fsblksize = 512;

    return create(mode, TASKS, sizes, &fsblksize);
}

static void write_to(int sid, int task, size_t bytes)
{
    unsigned char data[2000];

    check_fill(data, task, at[task], bytes);
    CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    if (has_keys)
        CHECK_INT(sion_fwrite_key(data, check_below(3), 1, bytes, sid), bytes);
    else
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    at[task] += (sion_int64)bytes;
    pending[task] += (sion_int64)bytes;
    pending_records[task]++;
}

/* What a publish or a close does with what is written; before: of sion_forget, or 0. A publish
   without anything new does nothing. */
static void settle(int before, int is_close)
{
    int task, is_new = 0;

    for (task = 0; task < TASKS; task++)
        is_new |= pending[task] > 0;
    if (!is_new && before == 0 && !is_close)
        return;
    if (is_new) {
        newest++;
        for (task = 0; task < TASKS; task++) {
            model[newest][task] = pending[task];
            records[newest][task] = pending_records[task];
            pending[task] = pending_records[task] = 0;
        }
    }
    while (newest - oldest + 1 > keep || (oldest < before && oldest < newest + !is_new))
        oldest++;
}

/* Bytes of a task before a generation. */
static sion_int64 start_of(int generation, int task)
{
    sion_int64 start = 0;
    int g;

    for (g = 1; g < generation; g++)
        start += model[g][task];
    return start;
}

/* Bytes of the stream of these generations. */
static sion_int64 stored(int first, int last, int task)
{
    sion_int64 bytes = 0;

    for (; first <= last; first++)
        bytes += model[first][task] + (has_keys ? 16 * records[first][task] : 0);
    return bytes;
}

static sion_int64 read_bytes(int sid, unsigned char *data, sion_int64 wanted)
{
    return has_keys ? records_read(sid, data, wanted) : sion_stream_read(sid, data, wanted);
}

static void check_stream(int sid, int task, int first, int last)
{
    static unsigned char data[ROOM + 1];
    sion_int64 expected = start_of(last + 1, task) - start_of(first, task), bytes;

    bytes = read_bytes(sid, data, sizeof data);
    CHECK_INT(bytes, expected);
    CHECK_INT(check_compare(data, task, start_of(first, task), bytes > 0 ? (size_t)bytes : 0), -1);
}

static void check_range(const char *mode, int first, int last)
{
    int sid = open_to_read(mode), task;

    CHECK(sid >= 0);
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        check_stream(sid, task, first, last);
    }
    CHECK_INT(sion_close(sid), 1);
    for (task = 0; task < TASKS; task++) {
        sion_int64 chunksize;
        sion_int32 fsblksize;

        sid = sion_open_rank(name, mode, &chunksize, &fsblksize, &task, NULL);
        CHECK(sid >= 0);
        check_stream(sid, task, first, last);
        CHECK_INT(sion_close(sid), 1);
    }
}

static void check_readers(const char *words)
{
    char mode[80];
    int g;

    snprintf(mode, sizeof mode, "rb%s,generation=all", words);
    check_range(mode, oldest, newest);
    if (newest < oldest)
        return;
    snprintf(mode, sizeof mode, "rb%s", words);
    check_range(mode, newest, newest);
    for (g = oldest; g <= newest; g++) {
        snprintf(mode, sizeof mode, "rb%s,generation=%d", words, g);
        check_range(mode, g, g);
        if (g < newest) {
            snprintf(mode, sizeof mode, "rb%s,generation=%d", words, g - newest);
            check_range(mode, g, g);
        }
    }
    support_catch();
    snprintf(mode, sizeof mode, "rb,generation=%d", newest + 1);
    CHECK_INT(open_to_read(mode), -1);
    if (oldest > 1) {
        snprintf(mode, sizeof mode, "rb,generation=%d", oldest - 1);
        CHECK_INT(open_to_read(mode), -1);
    }
    support_catch();
}

static void start(int new_keep)
{
    memset(model, 0, sizeof model);
    memset(at, 0, sizeof at);
    memset(pending, 0, sizeof pending);
    memset(records, 0, sizeof records);
    memset(pending_records, 0, sizeof pending_records);
    newest = 0;
    oldest = 1;
    keep = new_keep;
    unlink(name);
}

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
    int sid, rank, selected; /* rank -1: of all tasks */
    int first, last;         /* the generations that it sees */
    sion_int64 pos[TASKS];   /* in all that was ever written */
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

static void refresh_all_generations(struct reader *reader)
{
    int lost = first_lost(reader), task = reader->selected,
        from = reader->last + 1 > oldest ? reader->last + 1 : oldest;

    support_catch();
    CHECK_INT(sion_refresh(reader->sid), stored(from, newest, task));
    CHECK_INT(support_errors, 0);
    check_loss(lost);
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
    }
    close_readers();
}

static void readers_see_a_generation(void)
{
    int n;

    for (n = 0; n < 25; n++)
        run_randomly("");
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

/* ---- a writer that is killed ---- */

static int publish_once(long n)
{
    int sid, task;

    scion_fault_arm(0, 0, 0, 0);
    sid = open_some("wb,keep=2");
    for (task = 0; task < 4; task++) {
        write_to(sid, 0, 500);
        write_to(sid, 1, 900);
        CHECK_INT(sion_publish(sid), 1);
        settle(0, 0);
    }
    write_to(sid, 0, 500);
    write_to(sid, 1, 900);
    scion_fault_keep_whole(13);
    scion_fault_kill_in(n);
    return sion_publish(sid) == 1;
}

static int count_generations(int last)
{
    char mode[80];
    int g, n = 0;

    for (g = last - 1; g <= last; g++) {
        int sid;

        snprintf(mode, sizeof mode, "rb,generation=%d", g);
        sid = open_to_read(mode);
        if (sid >= 0)
            n++;
        if (sid >= 0)
            CHECK_INT(sion_close(sid), 1);
    }
    support_catch();
    return n;
}

static void a_publish_is_killed(void)
{
    int is_killed = 1, status, task;
    long n;

    for (n = 1; is_killed && n < 100; n++) {
        pid_t child;

        start(2);
        fflush(stdout);
        child = fork();
        if (child == 0)
            _exit(publish_once(n) ? 0 : 1);
        CHECK_INT(waitpid(child, &status, 0), child);
        is_killed = WIFSIGNALED(status);
        CHECK(is_killed || WEXITSTATUS(status) == 0);
        for (task = 1; task <= 5; task++) {
            model[task][0] = 500;
            model[task][1] = 900;
        }
        newest = count_generations(5) == 2 ? 5 : 4;
        oldest = newest - 1;
        CHECK(is_killed || newest == 5);
        check_readers("");
        at[0] = start_of(newest + 1, 0);
        at[1] = start_of(newest + 1, 1);
        at[2] = 0;
        {
            int sid = open_some("ab");

            CHECK(sid >= 0);
            write_to(sid, 2, 300);
            CHECK_INT(sion_close(sid), 1);
            settle(0, 1);
            check_readers("");
        }
    }
    CHECK(n > 5 && n < 100);
}

/* ---- calls that fail ---- */

enum { SIZE_0 = 500, SIZE_1 = 900 };

static void write_generation(int sid)
{
    write_to(sid, 0, SIZE_0);
    write_to(sid, 1, SIZE_1);
}

/* Four generations, of which two are left, and a fifth that cannot be published in call n. 0: it
 * was. */
static int fail_once(const char *words, unsigned calls, long n, int errnum)
{
    char mode[80];
    int sid, g, is_done, is_hit;

    scion_fault_arm(0, 0, 0, 0);
    start(2);
    snprintf(mode, sizeof mode, "wb,keep=2,sync=close%s", words);
    sid = open_some(mode);
    for (g = 0; g < 4; g++) {
        write_generation(sid);
        CHECK_INT(sion_publish(sid), 1);
        settle(0, 0);
    }
    write_generation(sid);
    CHECK_INT(sion_flush(sid), 1);
    support_catch();
    scion_fault_arm(calls, n, 1, errnum);
    is_done = sion_publish(sid) == 1;
    is_hit = scion_fault_hits() > 0;
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(support_errors > 0, !is_done);
    if (is_done) {
        settle(0, 0);
        check_readers(words);
        CHECK_INT(sion_close(sid), 1);
        settle(0, 1);
    } else { /* readers see the four, or the fifth, if only what follows the switch has failed */
        newest = count_generations(5) == 2 ? 5 : 4;
        oldest = newest - 1;
        model[5][0] = SIZE_0;
        model[5][1] = SIZE_1;
        check_readers(words);
        sion_close(sid);
        newest = count_generations(5) == 2 ? 5 : 4;
        oldest = newest - 1;
    }
    check_readers(words);
    support_catch();
    return is_hit;
}

static void a_publish_fails(void)
{
    const unsigned calls = 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC;
    size_t i;
    long n;

    for (i = 0; i < sizeof all_words / sizeof *all_words; i++) {
        for (n = 1; fail_once(all_words[i], calls, n, n % 2 ? ENOSPC : EIO); n++)
            CHECK(n < 100);
        CHECK(n > 4);
    }
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

int main(void)
{
    check_seed(33);
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    support_enter_folder();
    RUN(readers_see_a_generation);
    RUN(with_checksums_too);
    RUN(of_compressed_streams);
    RUN(of_keys);
    RUN(keys_are_read_on);
    RUN(space_does_not_grow);
    RUN(a_publish_is_killed);
    RUN(a_publish_fails);
    RUN(blocks_stay);
    RUN(what_is_refused);
    support_leave_folder();
    return check_done();
}
