/* Containers of NTASKS tasks, which the program defines, with records of generation 1; an older
   container is of generation 2. */
#ifndef TEST_POWER_CONTAINER_H
#define TEST_POWER_CONTAINER_H

#include "sion.h"

#include "base/crc.h"
#include "base/error.h"
#include "recover/recover.h"
#include "replay.h"

#define FILE_NAME "c.sion"

enum {
    RECORD = 75,
    MOST_RECORDS = 200,
    CLOSED = MOST_TOLD - 1,
    OLDEST = MOST_TOLD - 2, /* of the generations that must be there, its number */
    FSBLKSIZE = 512,
    PERMISSIONS = 0640
};

/* Records of each task. */
static int records(void)
{
    return scenario->number > 0 ? scenario->number : 6;
}

static void fill(unsigned char *data, int generation, int task)
{
    check_fill(data, 10 * generation + task, 0, (size_t)records() * RECORD);
}

static int read_task(int sid, int generation, int task)
{
    static unsigned char data[MOST_RECORDS * RECORD], expected[MOST_RECORDS * RECORD];
    size_t all = (size_t)records() * RECORD, got = 0, n;

    fill(expected, generation, task);
    while (got <= all && !sion_feof(sid) &&
           (n = sion_fread(data + (got < all ? got : 0), 1, RECORD, sid)) > 0)
        got += n;
    return got == all && memcmp(data, expected, all) == 0;
}

static int mode_has(const char *word)
{
    return scenario->mode && strstr(scenario->mode, word) != NULL;
}

/* Bit by bit. */
static uint32_t crc_of(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    int bit;

    for (crc = ~crc; size > 0; size--) {
        crc ^= *from++;
        for (bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* 1 if each file has checksums; that they are right, a reader finds out. */
static int has_checksums(const char *name)
{
    static const char magic[] = {'S', 'I', 'O', 'N', 'C', 'R', 'C', '1'};
    static unsigned char all[1 << 16];
    int files = scenario->nfiles > 1 ? scenario->nfiles : 1, i;

    for (i = 0; i < files; i++) {
        char path[64];
        size_t bytes;
        FILE *file;

        snprintf(path, sizeof path, i > 0 ? "%s.%06d" : "%s", name, i);
        file = fopen(path, "r");
        bytes = file ? fread(all, 1, sizeof all, file) : 0;
        if (file)
            fclose(file);
        if (!memmem(all, bytes, magic, sizeof magic))
            return 0;
    }
    return 1;
}

/* The checksums say of a task that it is damaged, so the read has failed. */
static int is_locked_out(void)
{
    return mode_has("checksum") && strstr(support_message, "is damaged: its checksum is");
}

/* 1 if the container has this generation and nothing else, -1 if it cannot be read. */
static int has(const char *name, int generation)
{
    int ntasks, nfiles, sid, task, is;
    sion_int32 fsblksize;
    char path[64], mode[32];

    snprintf(path, sizeof path, "%s", name);
    snprintf(mode, sizeof mode, "rb%s%s", mode_has("checksum") ? ",checksum" : "",
             mode_has("cmerge") ? ",cmerge" : "");
    sid = sion_open(path, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    if (sid < 0)
        return -1;
    is = ntasks == NTASKS;
    for (task = 0; task < NTASKS && is == 1; task++) {
        *support_message = '\0';
        is = sion_seek(sid, task, 0, 0) == 1 && read_task(sid, generation, task);
        if (!is && is_locked_out())
            is = -1;
    }
    sion_close(sid);
    return is;
}

/* What was recovered of a task is the beginning of its stream, and at least what was flushed. */
static const char *judge_task(const struct scion_salvage *salvage, int task, int told)
{
    static unsigned char data[MOST_RECORDS * RECORD], expected[MOST_RECORDS * RECORD];
    sion_int64 bytes = scion_salvage_bytes(scion_salvage_task(salvage, task));

    if (bytes < (sion_int64)told * RECORD)
        return "flushed bytes are lost";
    if (salvage->evidence == SCION_EVIDENCE_HOLES)
        return NULL;
    if (bytes > (sion_int64)records() * RECORD)
        return "there are more bytes than were written";
    fill(expected, 1, task);
    if (scion_salvage_read(salvage, task, 0, data, (size_t)bytes) != 0 ||
        memcmp(data, expected, (size_t)bytes) != 0)
        return "bytes are recovered that were not written";
    return NULL;
}

static int is_flushed(const int *told)
{
    int task, is = 0;

    for (task = 0; task < NTASKS; task++)
        is |= told[task] > 0;
    return is;
}

/*
 * Of a merged container: what a collector has consists of records of its group's tasks, each task's
 * in their order, and at least those that were told.
 */
static const char *judge_merged(const struct scion_salvage *salvage, const int *told)
{
    static unsigned char data[NTASKS * MOST_RECORDS * RECORD], expected[MOST_RECORDS * RECORD];
    int n[NTASKS] = {0}, collector, task;

    for (collector = 0; collector < salvage->ntasks; collector++) {
        sion_int64 bytes = scion_salvage_bytes(scion_salvage_task(salvage, collector)), at;

        if (bytes > (sion_int64)sizeof data ||
            scion_salvage_read(salvage, collector, 0, data, (size_t)bytes) != 0)
            return "what was recovered cannot be read";
        for (at = 0; at < bytes; at += RECORD) {
            size_t part = bytes - at < RECORD ? (size_t)(bytes - at) : RECORD;

            for (task = 0; task < NTASKS; task++) {
                fill(expected, 1, task);
                if (n[task] < records() &&
                    memcmp(data + at, expected + n[task] * RECORD, part) == 0)
                    break;
            }
            if (task == NTASKS)
                return "bytes are recovered that were not written";
            n[task] += part == RECORD;
        }
    }
    for (task = 0; task < NTASKS; task++) {
        if (n[task] < told[task])
            return "flushed bytes are lost";
    }
    return NULL;
}

static const char *judge_tasks(const struct scion_salvage *salvage, const int *told)
{
    const char *wrong = NULL;
    int task;

    if (mode_has("cmerge"))
        return judge_merged(salvage, told);
    for (task = 0; task < salvage->ntasks && task < NTASKS && !wrong; task++)
        wrong = judge_task(salvage, task, told[task]);
    return wrong;
}

static const char *judge_salvage(const int *told, int in_place)
{
    struct scion_salvage *salvage;
    const char *wrong = NULL;
    int must = is_flushed(told);

    if (scion_salvage_open(FILE_NAME, 0, &salvage) != 0)
        return must ? "it cannot be recovered" : NULL;
    if (must && salvage->ntasks != NTASKS)
        wrong = "tasks are lost";
    if (!wrong)
        wrong = judge_tasks(salvage, told);
    if (!wrong && in_place && scion_salvage_in_place(salvage) != 0 && must)
        wrong = scion_error_text();
    scion_salvage_free(salvage);
    return wrong;
}

/* Of a container with commit records: what was flushed can be recovered, also a second time. */
static const char *judge_flushed(const int *told)
{
    const char *wrong;

    if (!is_flushed(told) && has(FILE_NAME, 2) == 1)
        return NULL; /* the older one */
    if (told[CLOSED] > 0 && mode_has("sync=") && has(FILE_NAME, 1) != 1)
        return "a closed container is not whole";
    wrong = judge_salvage(told, 1);
    return wrong ? wrong : judge_salvage(told, 0);
}

/* The close has waited. */
static const char *judge_closed(const int *told)
{
    int found = has(FILE_NAME, 1);

    if (told[CLOSED] > 0 && found != 1)
        return "a closed container is not whole";
    if (told[CLOSED] > 0 && mode_has("checksum") && !has_checksums(FILE_NAME))
        return "the checksums are lost";
    /* Before the record of members is there, the streams of the collectors are seen as they are. */
    if (found == 0 && mode_has("cmerge"))
        return judge_salvage(told, 0);
    return found == 0 ? "a container can be opened, but its data are not there" : NULL;
}

/* The new file has those of the older one, which prepare_older() has set. */
static int has_permissions(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 && (status.st_mode & 0777) == PERMISSIONS;
}

/* The older one, or the new one; of a set, a mixture that can be completed. */
static const char *judge_replaced(const int *told)
{
    int new = has(FILE_NAME, 1), completed = 0;

    if (told[CLOSED] > 0 && new != 1)
        return "the new container is lost";
    if (new == 1 && !has_permissions(FILE_NAME))
        return "the permissions are lost";
    if (new == 1 && mode_has("checksum") && !has_checksums(FILE_NAME))
        return "the checksums are lost";
    if (new == 1 || has(FILE_NAME, 2) == 1)
        return NULL;
    if (scion_salvage_complete(FILE_NAME, &completed) == 0 && completed && has(FILE_NAME, 1) == 1)
        return NULL;
    return "neither the old nor the new container";
}

/* ---- states that are published ---- */

/* So many records of a task, and nothing else; -1: others. */
static int count_records(int sid, int task)
{
    static unsigned char data[MOST_RECORDS * RECORD + 1], expected[MOST_RECORDS * RECORD];
    sion_int64 got =
        sion_seek(sid, task, 0, 0) == 1 ? sion_stream_read(sid, data, sizeof data) : -1;

    fill(expected, 1, task);
    if (got < 0 || got % RECORD != 0 || got > (sion_int64)records() * RECORD ||
        memcmp(data, expected, (size_t)got) != 0)
        return -1;
    return (int)(got / RECORD);
}

/* All files have one state, from the one that was published last on. */
static const char *judge_published(const int *told)
{
    int ntasks, nfiles, task, first = 0;
    sion_int32 fsblksize;
    char path[] = FILE_NAME;
    int sid = sion_open(path, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    const char *wrong = NULL;

    if (sid < 0)
        return told[0] > 0 ? "what was published cannot be read" : NULL;
    for (task = 0; task < NTASKS && !wrong; task++) {
        int found = count_records(sid, task);

        first = task == 0 ? found : first;
        wrong = found < 0        ? "bytes that were not written"
                : found != first ? "a mixture of states"
                                 : NULL;
    }
    sion_close(sid);
    return wrong || first >= told[0] ? wrong : "a state is lost";
}

/* ---- generations: number n has record n - 1 of each task ---- */

/* 1 if all tasks have what they should of the one that the mode says, -1 if there is none. */
static int has_generation_by(const char *mode, int *number)
{
    static unsigned char data[MOST_RECORDS * RECORD], expected[MOST_RECORDS * RECORD];
    int ntasks, nfiles, sid, task, is = 1;
    char path[64];
    sion_int64 shown = -1;
    sion_int32 fsblksize;

    snprintf(path, sizeof path, "%s", FILE_NAME);
    sid = sion_open(path, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    if (sid < 0)
        return -1;
    is = sion_get_generation(sid, &shown, NULL) == 1 && shown >= 1 && shown <= records();
    for (task = 0; task < NTASKS && is; task++) {
        fill(expected, 1, task);
        is = sion_seek(sid, task, 0, 0) == 1 &&
             sion_stream_read(sid, data, sizeof data) == RECORD &&
             memcmp(data, expected + (shown - 1) * RECORD, RECORD) == 0;
    }
    sion_close(sid);
    *number = (int)shown;
    return is;
}

static int has_generation(int which, int *number)
{
    char mode[40];

    snprintf(mode, sizeof mode, which == 0 ? "rb,generation=newest" : "rb,generation=%d", which);
    return has_generation_by(mode, number);
}

/* Nothing was synced, so any of them may be lost, also all records of them: then the number is 0.
   But a generation that a reader is shown by itself is whole. */
static const char *judge_sound(const int *told)
{
    int number = 0;

    (void)told;
    return has_generation_by("rb", &number) == 0 && number != 0
               ? "a generation is shown that is not whole"
               : NULL;
}

/* The newest one from the one that was published last on, and all before it that are kept. */
static const char *judge_generations(const int *told)
{
    int newest = 0, number = 0, n, found = 1, oldest, keep;

    for (n = 0; found > 0; n += found > 0) {
        found = has_generation(-n, &number);
        newest = n == 0 ? number : newest;
        if (found == 0 || (found > 0 && number != newest - n))
            return "a generation is not whole";
    }
    keep = atoi(strstr(scenario->mode, "keep=") + strlen("keep="));
    oldest = newest - keep + 1 > 1 ? newest - keep + 1 : 1;
    if (told[OLDEST] > oldest)
        oldest = told[OLDEST];
    if (told[0] > 0 && newest < told[0])
        return "a state is lost";
    return newest > 0 && newest - n + 1 > oldest ? "a generation that is kept is lost" : NULL;
}

#endif
