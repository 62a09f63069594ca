/*
 * Reads every task's stream of every sample file through the public interface, and compares it with
 * the manifest. A reader need not know the layout mode; key-value files are raw streams here.
 */
#include "sion.h"

#include "support.h"

#ifdef HAVE_NETTLE
#include <nettle/sha1.h>

struct entry {
    char file[80], sha1[41], used[1024];
    int task, format, nfiles, filenumber, keyval, fsblksize;
    long long globalrank, chunksize, start, bytes;
};

static struct entry entries[2000];
static int nentries;

static void load_manifest(void)
{
    FILE *file = fopen(support_golden("streams.txt"), "r");
    static char line[2000];

    if (!file) {
        perror("streams.txt");
        exit(99);
    }
    while (fgets(line, sizeof line, file)) {
        struct entry *e = &entries[nentries];

        if (line[0] != '#' &&
            sscanf(line, "%79s %d %d %d %d %d %d %lld %lld %lld %lld %40s %1023s", e->file,
                   &e->task, &e->format, &e->nfiles, &e->filenumber, &e->keyval, &e->fsblksize,
                   &e->globalrank, &e->chunksize, &e->start, &e->bytes, e->sha1, e->used) == 13)
            nentries++;
    }
    fclose(file);
}

/* Read the rest of the selected task's stream in pieces of at most `piece` bytes. Returns its
   length, and sets its digest. */
static long long read_stream(int sid, size_t piece, char *digest)
{
    static unsigned char buffer[1 << 18];
    struct sha1_ctx sha1;
    uint8_t bytes[SHA1_DIGEST_SIZE];
    long long total = 0;
    int i;

    sha1_init(&sha1);
    while (!sion_feof(sid)) {
        size_t want = (size_t)sion_bytes_avail_in_block(sid);

        want = want < piece ? want : piece;
        if (sion_fread(buffer, 1, want, sid) != want)
            return -1;
        sha1_update(&sha1, want, buffer);
        total += (long long)want;
    }
    sha1_digest(&sha1, sizeof bytes, bytes);
    for (i = 0; i < SHA1_DIGEST_SIZE; i++)
        sprintf(digest + 2 * i, "%02x", bytes[i]);
    return total;
}

static void check_stream(int sid, const struct entry *e)
{
    static const size_t pieces[] = {1 << 18, 7, 100};
    char digest[64] = "";
    size_t i;

    for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, 0, 0), 1);
        CHECK_INT(sion_get_position(sid), e->start);
        CHECK_INT(read_stream(sid, pieces[i], digest), e->bytes);
        CHECK_STR(digest, e->sha1);
        CHECK_INT(sion_get_bytes_read(sid), e->bytes);
    }
}

static void check_used(int sid, const struct entry *e)
{
    sion_int64 *used, pos;
    int block, chunks, i;
    char text[1024] = "";

    CHECK_INT(sion_get_current_location(sid, &block, &pos, &chunks, &used), 1);
    for (i = 0; i < chunks; i++)
        sprintf(text + strlen(text), "%s%lld", i ? "," : "", used[i]);
    CHECK_STR(text, e->used);
}

/* The task of an open file that an entry describes, or -1 if it is in another file. */
static int find_task(const struct entry *e, int is_set, int ntasks)
{
    if (!is_set)
        return e->task;
    return e->globalrank >= 0 && e->globalrank < ntasks ? (int)e->globalrank : -1;
}

static int is_of_set(const struct entry *e, const char *master)
{
    size_t n = strlen(master);

    return strncmp(e->file, master, n) == 0 &&
           (e->file[n] == '\0' || (e->file[n] == '.' && strlen(e->file) == n + 7));
}

static void check_file(const struct entry *first, const char *mode)
{
    int is_set = first->nfiles > 1 && first->filenumber == 0, ntasks, nfiles, i, *ranks = NULL;
    sion_int64 *sizes = NULL;
    sion_int32 fsblksize;
    FILE *fp = NULL;
    char *name = strdup(support_golden(first->file));
    int sid = sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &ranks,
                        strstr(mode, "export") ? &fp : NULL);

    CHECK(sid >= 0);
    CHECK_INT(nfiles, first->nfiles);
    CHECK_INT(sion_get_keyval_mode(sid), first->keyval);
    for (i = 0; i < nentries && sid >= 0; i++) {
        const struct entry *e = &entries[i];
        int task;

        if (is_set ? !is_of_set(e, first->file) : strcmp(e->file, first->file) != 0)
            continue;
        task = find_task(e, is_set, ntasks);
        if (task < 0)
            continue;
        CHECK_INT(sizes[task], e->chunksize);
        CHECK_INT(ranks[task], e->globalrank);
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        check_used(sid, e);
        check_stream(sid, e);
    }
    CHECK_INT(sion_close(sid), 1);
    free(sizes);
    free(ranks);
    free(name);
}

static void check_rank(const struct entry *e)
{
    int is_set = e->nfiles > 1 && e->filenumber == 0, rank = e->task, sid;
    char *name = strdup(support_golden(e->file));
    sion_int64 chunksize = 0;
    sion_int32 fsblksize = 0;

    /* A set opened through file 0 numbers its tasks by global rank. */
    if (is_set)
        rank = (int)e->globalrank;
    if (rank >= 0) {
        sid = sion_open_rank(name, "rb", &chunksize, &fsblksize, &rank, NULL);
        CHECK(sid >= 0);
        CHECK_INT(chunksize, e->chunksize);
        CHECK_INT(fsblksize, e->fsblksize);
        check_used(sid, e);
        check_stream(sid, e);
        CHECK_INT(sion_close(sid), 1);
    }
    free(name);
}

static void check_all(const char *mode)
{
    int i;

    for (i = 0; i < nentries; i++) {
        if (i == 0 || strcmp(entries[i].file, entries[i - 1].file) != 0) {
            check_failed_here = 0;
            support_catch();
            check_file(&entries[i], mode);
            CHECK_INT(support_errors, 0);
            CHECK_INT(support_warnings > 0, entries[i].format != 5);
            check_report(entries[i].file);
        }
    }
}

static void one_rank_at_a_time(void)
{
    int i;

    support_catch();
    for (i = 0; i < nentries; i++) {
        if (entries[i].task < 10)
            check_rank(&entries[i]);
    }
    CHECK_INT(support_errors, 0);
}

int main(void)
{
    load_manifest();
    check_all("rb");
    check_all("rb,posix");
    check_all("rb,ansi,hints_export");
    RUN(one_rank_at_a_time);
    return check_done();
}
#else
static void every_stream_is_as_in_the_manifest(void)
{
    SKIP("nettle is missing");
}

int main(void)
{
    RUN(every_stream_is_as_in_the_manifest);
    return check_done();
}
#endif
