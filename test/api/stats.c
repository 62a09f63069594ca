/* The statistics of a container, and the report at its close. */
#include "sion.h"
#include "sion_stats.h"

#include "support.h"

static char name[] = "s.sion";
static unsigned char data[100000];

static int create(const char *mode, sion_int64 chunk)
{
    int n = 1, nfiles = 1, rank = 0, *ranks = &rank;
    sion_int64 *sizes = &chunk;
    sion_int32 fsblksize = 512;

    return sion_open(name, mode, &n, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

static int open_again(const char *mode)
{
    int n, nfiles;

    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, NULL);
}

static void write_records(int sid, int n, size_t bytes)
{
    for (; n > 0; n--)
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), (long long)bytes);
}

/* The last report in a file; "" if there is none. */
static const char *report_of(const char *file)
{
    static char text[10000];
    size_t size = 0;
    unsigned char *bytes = support_load(file, &size);

    size = size < sizeof text ? size : sizeof text - 1;
    if (bytes)
        memcpy(text, bytes, size);
    text[bytes ? size : 0] = '\0';
    free(bytes);
    return text;
}

static void nothing_is_counted_by_default(void)
{
    sion_stats_t stats = {.size = sizeof stats, .calls = -7};
    int sid = create("bw", 1000);

    support_catch();
    write_records(sid, 1, 10);
    CHECK_INT(sion_get_stats(sid, &stats), 0);
    CHECK_INT(stats.calls, -7);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_get_stats(sid, &stats), 0);
    CHECK_INT(support_errors, 1);
}

static void calls_are_counted(void)
{
    sion_stats_t stats = {.size = sizeof stats};
    int sid, i;

    CHECK_INT(sion_stats_enable(1), 1);
    sid = create("bw", 1 << 20);
    CHECK_INT(sion_get_stats(sid, &stats), 1);
    CHECK_INT(stats.calls, 0);
    CHECK_INT(stats.smallest, 0);
    CHECK_INT(stats.median, 0);
    write_records(sid, 1000, 1000); /* the buffer has 64 KiB */
    CHECK_INT(sion_get_stats(sid, &stats), 1);
    CHECK_INT(stats.calls, 1000);
    CHECK_INT(stats.bytes, 1000000);
    CHECK_INT(stats.smallest, 1000);
    CHECK_INT(stats.median, 1000);
    CHECK_INT(stats.largest, 1000);
    CHECK_INT(stats.system_calls, 15);
    CHECK_INT(stats.hits, 985);
    CHECK(stats.transfer_seconds > 0);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(sion_stream_write(sid, data, 100000), 100000);
    CHECK_INT(sion_fwrite(data, 4, 5, sid), 5);
    CHECK_INT(sion_fwrite(data, 1, 2 << 20, sid), 0); /* too large: transfers nothing */
    CHECK_INT(sion_get_stats(sid, &stats), 1);
    CHECK_INT(stats.calls, 1002);
    CHECK_INT(stats.smallest, 20);
    CHECK_INT(stats.largest, 100000);
    CHECK(stats.median >= 512 && stats.median < 1024);
    CHECK(stats.system_calls >= 17);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br");
    for (i = 0; i < 1000; i++)
        CHECK_INT(sion_fread(data, 1, 1000, sid), 1000);
    CHECK_INT(sion_stream_read(sid, data, 100000), 100000);
    CHECK_INT(sion_stream_read(sid, data, 100000), 20);
    CHECK_INT(sion_stream_read(sid, data, 100000), 0);
    CHECK_INT(sion_get_stats(sid, &stats), 1);
    CHECK_INT(stats.calls, 1002);
    CHECK_INT(stats.bytes, 1000000 + 100020);
    CHECK_INT(sion_close(sid), 1);
    sion_stats_enable(0);
}

static void records_with_keys_are_counted(void)
{
    sion_stats_t stats = {.size = sizeof stats};
    int sid;

    sion_stats_enable(1);
    sid = create("bw,keyval=inline", 4096);
    CHECK_INT(sion_fwrite_key(data, 1, 1, 3000, sid), 3000);
    CHECK_INT(sion_fwrite_key(data, 2, 1, 5000, sid), 5000);
    CHECK_INT(sion_get_stats(sid, &stats), 1);
    CHECK_INT(stats.calls, 2);
    CHECK_INT(stats.bytes, 8000);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br,keyval=inline");
    CHECK_INT(sion_fread_key(data, 2, 1, 5000, sid), 5000);
    CHECK_INT(sion_get_stats(sid, &stats), 1);
    CHECK_INT(stats.calls, 1);
    CHECK_INT(stats.bytes, 5000);
    CHECK_INT(sion_close(sid), 1);
    sion_stats_enable(0);
}

static void a_report_is_text(void)
{
    int sid;

    setenv("SION_STATS", "report\r", 1); /* from a file with the line ends of another system */
    remove("report");
    sid = create("bw", 4096);
    write_records(sid, 3, 1024);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
    CHECK_CONTAINS(report_of("report"),
                   "sion: s.sion, written by 1 rank: 1 task, 1 file, 3.0 KiB in 3 calls\n");
    CHECK_CONTAINS(report_of("report"), "smallest 1.0 KiB, median 1.0 KiB, largest 1.0 KiB\n");
    CHECK_CONTAINS(report_of("report"), "100.0 % of the calls needed no system call");
    CHECK_CONTAINS(report_of("report"), "1.0 a task, 1 at most; 75.0 % full; 0 B lost in gaps\n");
    CHECK(strstr(report_of("report"), "open ") && strstr(report_of("report"), "close "));
    CHECK(!strstr(report_of("report"), "advice"));
}

static void a_name_stays_in_its_line(void)
{
    int n = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 size = 4096, *sizes = &size;
    sion_int32 fsblksize = 512;

    setenv("SION_STATS", "report", 1);
    remove("report");
    sid = sion_open("no\nforged\033", "bw", &n, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
    remove("no\nforged\033");
    CHECK_CONTAINS(report_of("report"), "sion: no\\nforged\\x1b, written by 1 rank");
}

static void a_report_gives_advice(void)
{
    int sid, i;

    setenv("SION_STATS", "advice", 1);
    remove("advice");
    sid = create("bw", 512);
    CHECK_INT(sion_stream_write(sid, data, 5000), 5000);
    CHECK_INT(sion_close(sid), 1);
    CHECK_CONTAINS(report_of("advice"), "up to 10 chunks a task: a chunk size of 5.0 KiB would do");
    CHECK(!strstr(report_of("advice"), "gaps after"));
    sid = create("bw", 512);
    write_records(sid, 4, 300);
    CHECK_INT(sion_close(sid), 1);
    CHECK_CONTAINS(report_of("advice"), "31 % of the chunks are gaps after records");
    CHECK(!strstr(report_of("advice"), "posix"));
    sid = create("bw,posix", 1 << 20);
    for (i = 0; i < 100; i++)
        write_records(sid, 1, 4096);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
    CHECK_CONTAINS(report_of("advice"),
                   "4.0 KiB records in posix mode: buffered would need 1/14 of the calls");
}

static void a_report_is_json(void)
{
    char host[256] = "", last[400];
    static const char head[] = "{\"container\": \"s.sion\", \"access\": \"read\", \"ranks\": 1, ";
    int sid = create("bw", 4096);

    write_records(sid, 2, 100);
    CHECK_INT(sion_close(sid), 1);
    setenv("SION_STATS", "stats.json", 1);
    remove("stats.json");
    sid = open_again("br");
    CHECK_INT(sion_fread(data, 1, 100, sid), 100);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
    CHECK_INT(strncmp(report_of("stats.json"), head, sizeof head - 1), 0);
    CHECK_CONTAINS(report_of("stats.json"), "\"calls\": 1, \"bytes\": 100, ");
    CHECK_INT(gethostname(host, sizeof host), 0);
    snprintf(last, sizeof last, "\"slowest_rank\": 0, \"slowest_host\": \"%.31s\"}}, \"advice\": []}\n", host);
    CHECK_CONTAINS(report_of("stats.json"), last);
}

/* The report goes to standard error, and lists its advice. */
static void a_report_is_printed(void)
{
    int kept = dup(STDERR_FILENO), sid;

    remove("printed");
    CHECK(freopen("printed", "w", stderr) != NULL);
    setenv("SION_STATS", "json", 1);
    sid = create("bw", 512);
    CHECK_INT(sion_stream_write(sid, data, 5000), 5000);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    CHECK_CONTAINS(report_of("printed"), "\"advice\": [\"");
    CHECK_CONTAINS(report_of("printed"), "up to 10 chunks a task");
}

static void a_report_that_cannot_be_written_is_a_warning(void)
{
    int sid;

    setenv("SION_STATS", "missing/folder", 1);
    support_catch();
    sid = create("bw", 4096);
    write_records(sid, 1, 1);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "missing/folder");
}

static void zero_switches_statistics_off(void)
{
    sion_stats_t stats = {.size = sizeof stats};
    int sid;

    setenv("SION_STATS", "0", 1);
    sid = create("bw", 4096);
    CHECK_INT(sion_get_stats(sid, &stats), 0);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_STATS");
}

int main(void)
{
    support_enter_folder();
    RUN(nothing_is_counted_by_default);
    RUN(calls_are_counted);
    RUN(records_with_keys_are_counted);
    RUN(a_report_is_text);
    RUN(a_name_stays_in_its_line);
    RUN(a_report_gives_advice);
    RUN(a_report_is_json);
    RUN(a_report_is_printed);
    RUN(a_report_that_cannot_be_written_is_a_warning);
    RUN(zero_switches_statistics_off);
    support_leave_folder();
    return check_done();
}
