/*
 * Power failures of programs with one process: flushed data with commit records, programs that end
 * without a close, the close with sync=close, containers that replace others, checksums, recovery
 * itself, generations that are kept and forgotten, and tools that replace files.
 *
 *     PROGRAM         a sample
 *     PROGRAM full    every prefix, more random states, and whether every sync is needed
 */
#include <getopt.h>
#include <sys/wait.h>

#define NTASKS 2
#include "api/bindings.h"
#include "file/forget.h"

#include "container.h"

int siondefrag_main(int argc, char **argv);
int sionsplit_main(int argc, char **argv);

static int create(const char *name, const char *mode)
{
    int ntasks = NTASKS, nfiles = 1, ranks[NTASKS] = {0, 1}, *ranks_pointer = ranks;
    sion_int64 sizes[NTASKS] = {200, 200}, *sizes_pointer = sizes;
    sion_int32 fsblksize = FSBLKSIZE;
    char path[64];

    snprintf(path, sizeof path, "%s", name);
    return sion_open(path, mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

/* Write this record of a task; the tasks take turns. */
static void put(int sid, int generation, int task, int record)
{
    unsigned char data[MOST_RECORDS * RECORD];

    fill(data, generation, task);
    CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data + record * RECORD, 1, RECORD, sid), RECORD);
}

/* Write a container, but do not close it; told[task] counts the records that were flushed. */
static int write_records(const char *name, const char *mode, int generation, int is_told)
{
    int sid = create(name, mode), often = records() / 6, record, task;

    CHECK(sid >= 0);
    for (record = 0; record < records(); record++) {
        for (task = 0; task < NTASKS; task++)
            put(sid, generation, task, record);
        if (record % (2 * often) != 0)
            continue;
        CHECK_INT(sion_flush(sid), 1);
        for (task = 0; task < NTASKS && is_told; task++)
            disk_tell(task, record + 1);
    }
    return sid;
}

static void write_all(const char *name, const char *mode, int generation)
{
    CHECK_INT(sion_close(write_records(name, mode, generation, 0)), 1);
}

static void run_flushed(void)
{
    int sid = write_records(FILE_NAME, scenario->mode, 1, 1), task;

    CHECK_INT(sion_close(sid), 1);
    for (task = 0; task < NTASKS; task++)
        disk_tell(task, records()); /* the close has flushed them */
    disk_tell(CLOSED, 1);
}

static void prepare_older(void)
{
    write_all(FILE_NAME, "wb", 2);
    chmod(FILE_NAME, PERMISSIONS);
}

static void run_closed(void)
{
    write_all(FILE_NAME, scenario->mode, 1);
    disk_tell(CLOSED, 1);
}

/* Nothing is flushed, and the program ends before a close, which comes later here. */
static void run_left(void)
{
    int sid = create(FILE_NAME, scenario->mode), record, task;

    for (record = 0; record < records(); record++) {
        for (task = 0; task < NTASKS; task++)
            put(sid, 1, task, record);
    }
    sion_layer_lose(sid);
    for (task = 0; task < NTASKS; task++)
        disk_tell(task, records());
    CHECK_INT(sion_close(sid), 1);
    disk_tell(CLOSED, 1);
}

/* Without commit records, nobody knows whose they are, but flushed bytes are in the file. */
static const char *judge_bytes(const int *told)
{
    static unsigned char all[1 << 16], expected[MOST_RECORDS * RECORD];
    FILE *file = fopen(FILE_NAME, "r");
    size_t bytes = file ? fread(all, 1, sizeof all, file) : 0;
    int record;

    if (!file)
        return NULL; /* its name is on the disk after the close only */
    fclose(file);
    fill(expected, 1, 0);
    for (record = 0; record < told[0]; record++) {
        if (!memmem(all, bytes, expected + record * RECORD, RECORD))
            return "flushed bytes are not in the file";
    }
    return NULL;
}

/* One task, because a flush is that of the selected one. */
static void run_one_task(void)
{
    int sid = create(FILE_NAME, scenario->mode), record;

    for (record = 0; record < records(); record++) {
        put(sid, 1, 0, record);
        CHECK_INT(sion_flush(sid), 1);
        disk_tell(0, record + 1);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* ---- states that are published ---- */

/* Each task's records from one to another; each round is published. */
static void publish_rounds(int sid, int from, int to)
{
    int record, task;

    for (record = from; record < to; record++) {
        for (task = 0; task < NTASKS; task++)
            put(sid, 1, task, record);
        CHECK_INT(sion_publish(sid), 1);
        disk_tell(0, record + 1);
    }
}

/* nfiles: a second program goes on where the first one has closed it. */
static void run_published(void)
{
    int sid = create(FILE_NAME, scenario->mode), first = records() / (1 + scenario->nfiles);

    publish_rounds(sid, 0, first);
    CHECK_INT(sion_close(sid), 1);
    if (scenario->nfiles > 0) {
        sid = create(FILE_NAME, "a,sync=close");
        publish_rounds(sid, first, records());
        CHECK_INT(sion_close(sid), 1);
    }
    disk_tell(CLOSED, 1);
}

/* ---- generations ---- */

/* Publish each as a generation; half of them by a second program. nfiles: some are forgotten. */
static void run_generations(void)
{
    int half = records() / 2, sid = create(FILE_NAME, scenario->mode);

    publish_rounds(sid, 0, half);
    CHECK_INT(sion_close(sid), 1);
    sid = create(FILE_NAME, "a,sync=close");
    publish_rounds(sid, half, records() - 1);
    if (scenario->nfiles > 0) {
        CHECK_INT(sion_forget(sid, records()), 1);
        disk_tell(OLDEST, records());
    }
    put(sid, 1, 0, records() - 1);
    put(sid, 1, 1, records() - 1);
    CHECK_INT(sion_close(sid), 1);
    disk_tell(0, records());
}

static void prepare_generations(void)
{
    int sid = create(FILE_NAME, scenario->mode);

    publish_rounds(sid, 0, records());
    CHECK_INT(sion_close(sid), 1);
}

/* Those of a closed container, in place. */
static void run_forget(void)
{
    struct scion_forgotten result;

    disk_tell(0, records());
    disk_tell(OLDEST, records() - 1);
    CHECK_INT(scion_forget_generations(FILE_NAME, 2, 0, &result), 0);
    CHECK_INT(result.oldest, records() - 1);
}

/* ---- recovery ---- */

static void prepare_unclosed(void)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int sid = write_records(FILE_NAME, "wb,recover", 1, 0);

        _exit(sion_flush(sid) != 1);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void run_recovery(void)
{
    struct scion_salvage *salvage;

    CHECK_INT(scion_salvage_open(FILE_NAME, 0, &salvage), 0);
    CHECK_INT(scion_salvage_in_place(salvage), 0);
    scion_salvage_free(salvage);
    disk_tell(CLOSED, 1);
}

/* At any time the recovery can be done again, and recovers all. */
static const char *judge_recovery(const int *told)
{
    const int all[MOST_TOLD] = {records(), records()};
    int found = has(FILE_NAME, 1);
    const char *wrong;

    if (told[CLOSED] > 0 && found != 1)
        return "a recovered container is not whole";
    if (found == 0)
        return "it seems to be recovered, but its data are not there";
    wrong = judge_salvage(all, 1);
    return wrong || has(FILE_NAME, 1) == 1 ? wrong : "it is not whole after another recovery";
}

static long damaged_at;

/* The last chunk of a closed container says more bytes than it has. */
static void prepare_damaged(void)
{
    static unsigned char all[1 << 16];
    const sion_int64 used = records() * RECORD, wrong = 100000;
    FILE *file;
    size_t bytes, i;

    write_all(FILE_NAME, "wb", 1);
    file = fopen(FILE_NAME, "r+");
    bytes = fread(all, 1, sizeof all, file);
    for (i = 0; i + sizeof used <= bytes; i++) {
        if (memcmp(all + i, &used, sizeof used) == 0)
            damaged_at = (long)i;
    }
    fseek(file, damaged_at, SEEK_SET);
    CHECK_INT(fwrite(&wrong, sizeof wrong, 1, file), 1);
    fclose(file);
}

/* It counts as empty, and the other one is whole; also if the recovery must be done again. */
static const char *judge_mended(const int *told)
{
    sion_int64 number = -1;
    FILE *file = fopen(FILE_NAME, "r");
    struct scion_salvage *salvage;
    const char *wrong = NULL;

    if (fseek(file, damaged_at, SEEK_SET) != 0 || fread(&number, sizeof number, 1, file) != 1)
        wrong = "the file is cut";
    fclose(file);
    if (wrong || (told[CLOSED] > 0 && number != 0))
        return wrong ? wrong : "the damaged number is back";
    if (scion_salvage_open(FILE_NAME, 0, &salvage) != 0)
        return "it cannot be recovered again";
    wrong = judge_task(salvage, 0, records());
    if (!wrong && scion_salvage_in_place(salvage) != 0)
        wrong = scion_error_text();
    scion_salvage_free(salvage);
    return wrong;
}

/* ---- tools ---- */

static void prepare_tool(void)
{
    write_all("in.sion", "wb", 1);
    prepare_older();
}

static void defrag(char *option, char *to)
{
    char name[] = "siondefrag", from[] = "in.sion";
    char *argv[] = {name, from, to, option, NULL};

    optind = 0;
    fflush(stdout);
    CHECK_INT(siondefrag_main(option ? 4 : 3, argv), 0);
    disk_tell(CLOSED, 1);
}

static void run_defrag(void)
{
    char to[] = FILE_NAME;

    defrag(NULL, to);
}

static void prepare_set(void)
{
    char option[] = "--files=2", to[] = FILE_NAME;

    write_all("in.sion", "wb", 2);
    defrag(option, to);
    chmod(FILE_NAME, PERMISSIONS);
    write_all("in.sion", "wb", 1);
}

static void run_defrag_set(void)
{
    char option[] = "--files=2", to[] = FILE_NAME;

    defrag(option, to);
}

/* nfiles: of an older container. */
static void prepare_split(void)
{
    write_all("in.sion", "wb", 1);
    if (scenario->nfiles > 0) {
        support_store("out_00000", "older", 5);
        support_store("out_00001", "older", 5);
    }
}

static void run_split(void)
{
    char name[] = "sionsplit", from[] = "in.sion", to[] = "out_";
    char *argv[] = {name, from, to, NULL};

    optind = 0;
    fflush(stdout);
    CHECK_INT(sionsplit_main(3, argv), 0);
    disk_tell(CLOSED, 1);
}

/* What is under a name is whole. */
static const char *judge_split(const int *told)
{
    static unsigned char all[1 << 16], expected[MOST_RECORDS * RECORD];
    size_t whole = (size_t)records() * RECORD, bytes;
    char path[32];
    FILE *file;
    int task;

    for (task = 0; task < NTASKS; task++) {
        snprintf(path, sizeof path, "out_%05d", task);
        file = fopen(path, "r");
        if (!file && (told[CLOSED] > 0 || scenario->nfiles > 0))
            return "a file is lost";
        if (!file)
            continue;
        bytes = fread(all, 1, sizeof all, file);
        fclose(file);
        fill(expected, 1, task);
        if (bytes == whole && memcmp(all, expected, whole) == 0)
            continue;
        if (told[CLOSED] > 0 || bytes != 5 || memcmp(all, "older", 5) != 0)
            return "a file is not whole";
    }
    return NULL;
}

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const struct scenario scenarios[] = {
    {"flushed, posix", NULL, run_flushed, judge_flushed, "wb,recover,posix", 0, 0, 0, 0},
    {"flushed, sync=flush", NULL, run_flushed, judge_flushed, "wb,recover,sync=flush", 0, 0, 0, 0},
    {"flushed, over an older one", prepare_older, run_flushed, judge_flushed,
     "wb,recover,sync=flush", 0, 0, 0, 0},
    {"flushed, many chunks", NULL, run_flushed, judge_flushed, "wb,recover,posix,buffered", 192, 0,
     0, 0},
    {"flushed, without commit records", NULL, run_one_task, judge_bytes, "wb,posix", 0, 0, 0, 0},
    {"not closed, posix", NULL, run_left, judge_flushed, "wb,recover,posix", 0, 0, 0, 0},
    {"not closed, sync=flush", NULL, run_left, judge_flushed, "wb,recover,sync=flush", 0, 0, 0, 0},
    {"closed, sync=close", NULL, run_closed, judge_closed, "wb,sync=close", 0, 0, 0, 0},
    {"closed, posix, sync=close", NULL, run_closed, judge_closed, "wb,posix,sync=close", 0, 0, 0,
     0},
    {"closed, checksums", NULL, run_closed, judge_closed, "wb,checksum,sync=close", 0, 0, 0, 0},
    {"published", NULL, run_published, judge_published, "wb,sync=close", 12, 0, 0, 0},
    {"published, posix", NULL, run_published, judge_published, "wb,posix,sync=close", 7, 0, 0, 0},
    {"published, checksums", NULL, run_published, judge_published, "wb,checksum,sync=close", 6, 0,
     0, 0},
    {"published, and written on", NULL, run_published, judge_published, "wb,sync=close", 12, 1, 0,
     0},
    {"generations", NULL, run_generations, judge_generations, "wb,keep=2,sync=close", 6, 0, 0, 0},
    {"generations, one", NULL, run_generations, judge_generations, "wb,keep=1,sync=close", 4, 0, 0,
     0},
    {"generations, some forgotten", NULL, run_generations, judge_generations,
     "wb,keep=3,checksum,sync=close", 6, 1, 0, 0},
    {"generations, checksums, not synced", NULL, run_generations, judge_sound,
     "wb,keep=3,checksum,sync=no", 6, 0, 0, 0},
    {"generations, forgotten in place", prepare_generations, run_forget, judge_generations,
     "wb,keep=4,checksum,sync=close", 5, 0, 0, 0},
    {"atomic, checksums", prepare_older, run_closed, judge_replaced, "wb,atomic,checksum", 0, 0, 0,
     0},
    {"atomic", prepare_older, run_closed, judge_replaced, "wb,atomic", 0, 0, 0, 0},
    {"atomic, posix", prepare_older, run_closed, judge_replaced, "wb,atomic,posix", 0, 0, 0, 0},
    {"atomic, recover", prepare_older, run_closed, judge_replaced, "wb,atomic,recover", 0, 0, 0, 0},
    {"recovery in place", prepare_unclosed, run_recovery, judge_recovery, NULL, 0, 0, 0, 0},
    {"recovery in place, many chunks", prepare_unclosed, run_recovery, judge_recovery, NULL, 192, 0,
     0, 0},
    {"recovery of a damaged number", prepare_damaged, run_recovery, judge_mended, NULL, 0, 0, 0, 0},
    {"siondefrag", prepare_tool, run_defrag, judge_replaced, NULL, 0, 0, 0, 0},
    {"siondefrag --files", prepare_set, run_defrag_set, judge_replaced, NULL, 0, 0, 0, 0},
    {"sionsplit", prepare_split, run_split, judge_split, NULL, 0, 0, 0, 0},
    {"sionsplit over older files", prepare_split, run_split, judge_split, NULL, 0, 1, 0, 0},
};

int main(int argc, char **argv)
{
    scion_crc_use(crc_of);
    return replay_main(scenarios, COUNT(scenarios), argc, argv);
}
