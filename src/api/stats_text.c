/* The text of a report. */
#include <stdlib.h>
#include <string.h>

#include "api/stats.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numerals.h"

static const char *const phases[] = {
    [SCION_PHASE_OPEN] = "open",
    [SCION_PHASE_TRANSFER] = "transfer",
    [SCION_PHASE_FLUSH] = "flush",
    [SCION_PHASE_CLOSE] = "close",
};

enum { SIZE_TEXT = 32, PLACE_TEXT = SCION_HOST_BYTES + 4 };

/* Bytes with a unit: 512 B, 16.0 KiB. */
static const char *size_text(char text[SIZE_TEXT], sion_int64 bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes;
    int unit = 0;

    for (; size >= 1024 && unit < 6; unit++)
        size /= 1024;
    scion_print_text(text, SIZE_TEXT, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
    return text;
}

static const char *plural(sion_int64 n)
{
    return n == 1 ? "" : "s";
}

/* The minimum, the median and the maximum of a phase over all ranks. */
struct spread {
    double least, median, most;
    int slowest;
};

static int compare_seconds(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;

    return one < two ? -1 : one > two;
}

static struct spread spread_of(const struct scion_job *job, int phase)
{
    double *seconds = scion_array((uint64_t)job->nranks, sizeof *seconds);
    struct spread spread = {0};
    int r;

    if (!seconds)
        return spread;
    for (r = 0; r < job->nranks; r++) {
        seconds[r] = job->ranks[r].seconds[phase];
        if (seconds[r] > job->ranks[spread.slowest].seconds[phase])
            spread.slowest = r;
    }
    qsort(seconds, (size_t)job->nranks, sizeof *seconds, compare_seconds);
    spread.least = seconds[0];
    spread.median = seconds[job->nranks / 2];
    spread.most = seconds[job->nranks - 1];
    free(seconds);
    return spread;
}

static const char *host_of(const struct scion_job *job, int rank)
{
    return job->ranks[rank].host;
}

/* " on HOST" if not all ranks have the same one. */
static const char *place_of(char text[PLACE_TEXT], const struct scion_job *job, int rank)
{
    int r = 1;

    while (r < job->nranks && strcmp(host_of(job, r), host_of(job, 0)) == 0)
        r++;
    *text = '\0';
    if (r < job->nranks && *host_of(job, rank))
        scion_print_text(text, PLACE_TEXT, " on %s", host_of(job, rank));
    return text;
}

static struct scion_stats total_of(const struct scion_job *job)
{
    struct scion_stats total = job->ranks[0];
    int r;

    for (r = 1; r < job->nranks; r++)
        scion_stats_merge(&total, &job->ranks[r]);
    return total;
}

static double percent(sion_int64 part, sion_int64 whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* ---- advice ---- */

typedef void say_advice(void *to, const char *text);

static void advise_chunks(const struct scion_job *job, const struct scion_stats *total,
                          say_advice *say, void *to)
{
    sion_int64 block = job->fsblksize, needed = (total->longest + block - 1) / block * block;
    char text[160], size[SIZE_TEXT];

    if (!job->writing || total->most_chunks < 2)
        return;
    scion_print_text(text, sizeof text, "up to %lld chunks a task: a chunk size of %s would do with one",
             total->most_chunks, size_text(size, needed));
    say(to, text);
}

/* Advise a buffer, of 64 KiB or of a block up to 1 MiB, if records are small and unbuffered. */
static void advise_buffer(const struct scion_job *job, const struct scion_stats *total,
                          say_advice *say, void *to)
{
    sion_int64 buffer = job->fsblksize < 65536 ? 65536 : job->fsblksize;
    sion_int64 calls, median = scion_stats_median(total);
    char text[160], size[SIZE_TEXT];

    buffer = buffer > 1 << 20 ? 1 << 20 : buffer;
    calls = total->bytes / buffer + total->tasks;
    if (!job->posix || job->buffered || total->system_calls < 4 * calls)
        return;
    scion_print_text(text, sizeof text, "%s records in posix mode: buffered would need 1/%lld of the calls",
             size_text(size, median), total->system_calls / calls);
    say(to, text);
}

static void advise_gaps(const struct scion_job *job, const struct scion_stats *total,
                        say_advice *say, void *to)
{
    char text[160];

    if (!job->writing || percent(total->gaps, total->room) < 10)
        return;
    scion_print_text(text, sizeof text,
             "%.0f %% of the chunks are gaps after records that did not fit: sion_stream_write "
             "leaves none",
             percent(total->gaps, total->room));
    say(to, text);
}

static void advise_balance(const struct scion_job *job, say_advice *say, void *to)
{
    struct spread spread = spread_of(job, SCION_PHASE_TRANSFER);
    char text[160], place[PLACE_TEXT];

    if (job->nranks < 3 || spread.most < 0.1 || spread.most < 3 * spread.median)
        return;
    scion_print_text(text, sizeof text,
                     "rank %d%s needs %.1f times as long as the median rank to transfer",
                     spread.slowest, place_of(place, job, spread.slowest),
                     spread.median > 0 ? spread.most / spread.median : 99.9);
    say(to, text);
}

static void advise(const struct scion_job *job, const struct scion_stats *total, say_advice *say,
                   void *to)
{
    advise_chunks(job, total, say, to);
    advise_gaps(job, total, say, to);
    advise_buffer(job, total, say, to);
    advise_balance(job, say, to);
}

/* ---- for people ---- */

static void say_line(void *to, const char *text)
{
    scion_print(to, "sion:   advice    %s\n", text);
}

static void print_records(FILE *to, const struct scion_stats *total)
{
    char smallest[SIZE_TEXT], median[SIZE_TEXT], largest[SIZE_TEXT];

    if (total->calls == 0)
        return;
    scion_print(to, "sion:   records   smallest %s, median %s, largest %s\n",
            size_text(smallest, total->smallest), size_text(median, scion_stats_median(total)),
            size_text(largest, total->largest));
    scion_print(to, "sion:   buffers   %.1f %% of the calls needed no system call; %lld system calls\n",
            percent(total->hits, total->calls), total->system_calls);
}

static void print_chunks(FILE *to, const struct scion_stats *total)
{
    char gaps[SIZE_TEXT];

    if (total->tasks == 0)
        return;
    scion_print(to, "sion:   chunks    %.1f a task, %lld at most; %.1f %% full; %s lost in gaps\n",
            (double)total->chunks / (double)total->tasks, total->most_chunks,
            percent(total->stored, total->room), size_text(gaps, total->gaps));
}

static void print_times(FILE *to, const struct scion_job *job)
{
    char place[PLACE_TEXT];
    int phase;

    scion_print(to, "sion:   seconds        least     median       most  slowest rank\n");
    for (phase = 0; phase < SCION_PHASES; phase++) {
        struct spread spread = spread_of(job, phase);

        scion_print(to, "sion:   %-9s %10.6f %10.6f %10.6f  %d%s\n", phases[phase], spread.least,
                spread.median, spread.most, spread.slowest, place_of(place, job, spread.slowest));
    }
}

void scion_job_print(FILE *to, const struct scion_job *job)
{
    const struct scion_stats total = total_of(job);
    char bytes[SIZE_TEXT];

    fputs("sion: ", to);
    scion_print_escaped(to, job->name);
    scion_print(to, ", %s by %d rank%s: %lld task%s, %d file%s, %s in %lld call%s\n",
            job->writing ? "written" : "read", job->nranks, plural(job->nranks), total.tasks,
            plural(total.tasks), job->nfiles, plural(job->nfiles), size_text(bytes, total.bytes),
            total.calls, plural(total.calls));
    print_records(to, &total);
    print_chunks(to, &total);
    print_times(to, job);
    advise(job, &total, say_line, to);
}

/* ---- for programs ---- */

struct json_list {
    FILE *to;
    int n;
};

static void say_json(void *to, const char *text)
{
    struct json_list *list = to;

    fputs(list->n++ == 0 ? "" : ", ", list->to);
    scion_json_string(list->to, text);
}

static void print_json_times(FILE *to, const struct scion_job *job)
{
    int phase;

    fputs("\"seconds\": {", to);
    for (phase = 0; phase < SCION_PHASES; phase++) {
        struct spread spread = spread_of(job, phase);

        scion_print(to,
                "%s\"%s\": {\"least\": %.9f, \"median\": %.9f, \"most\": %.9f, "
                "\"slowest_rank\": %d, \"slowest_host\": ",
                phase == 0 ? "" : ", ", phases[phase], spread.least, spread.median, spread.most,
                spread.slowest);
        scion_json_string(to, host_of(job, spread.slowest));
        fputs("}", to);
    }
    fputs("}", to);
}

void scion_job_print_json(FILE *to, const struct scion_job *job)
{
    const struct scion_stats total = total_of(job);
    struct json_list advice = {to, 0};

    fputs("{\"container\": ", to);
    scion_json_string(to, job->name);
    scion_print(to,
            ", \"access\": \"%s\", \"ranks\": %d, \"files\": %d, \"fsblksize\": %d, "
            "\"tasks\": %lld, \"calls\": %lld, \"bytes\": %lld, ",
            job->writing ? "write" : "read", job->nranks, job->nfiles, job->fsblksize, total.tasks,
            total.calls, total.bytes);
    scion_print(to, "\"record\": {\"smallest\": %lld, \"median\": %lld, \"largest\": %lld}, ",
            total.smallest, total.calls > 0 ? scion_stats_median(&total) : 0, total.largest);
    scion_print(to, "\"buffer_hits\": %lld, \"system_calls\": %lld, ", total.hits, total.system_calls);
    scion_print(to,
            "\"chunks\": %lld, \"most_chunks\": %lld, \"chunk_bytes\": %lld, \"stored\": %lld, "
            "\"gaps\": %lld, ",
            total.chunks, total.most_chunks, total.room, total.stored, total.gaps);
    print_json_times(to, job);
    fputs(", \"advice\": [", to);
    advise(job, &total, say_json, &advice);
    fputs("]}\n", to);
}
