/* Sample containers written again through the serial interface are identical byte by byte. */
#include "sion.h"

#include "support.h"

struct recipe {
    const char *name, *mode;
    int fsblksize;
    const char *chunks; /* BYTES or BYTESxTIMES, separated by commas */
    const char *ranks;  /* global ranks, NULL: task numbers */
    const char *writes; /* task:bytes, in order */
};

static const struct recipe recipes[] = {
    {"s01_single.sion", "bw", 512, "1000", NULL, "0:700"},
    {"s02_unequal4.sion", "bw", 512, "100,512,1025,2048", NULL, "0:100,1:512,2:1000,3:1"},
    {"s03_zero.sion", "bw", 512, "512x5", NULL, "0:10,2:512,4:3"},
    {"s04_multichunk.sion", "bw", 512, "512,600,100", NULL,
     "0:300,1:400,2:100,1:700,2:500,1:1024,1:1,1:1024,2:512,1:1024"},
    {"s05_endbig.sion", "bw,endianness=big", 512, "512,1024", NULL, "0:200,1:700"},
    {"s05_endlittle.sion", "bw,endianness=little", 512, "512,1024", NULL, "0:200,1:700"},
    {"s06_posix.sion", "bw,posix", 512, "512,600,100", NULL,
     "0:300,1:400,2:100,1:700,2:500,1:1024"},
    {"s08_granks.sion", "bw", 512, "512x4", "3,1,0,2", "0:10,1:20,2:30,3:40"},
    {"s09_many1000.sion", "bw", 16, "10x1000", NULL, "0:5,1:16,2:12,999:7,500:10,500:10"},
    {"s10_sparse.sion", "bw", 4096, "131072,131072", NULL, "1:10"},
    {"s11_fsblk1.sion", "bw", 1, "100,37,0,512", NULL, "0:100,1:30,3:512,1:8"},
    {"s12_allzero.sion", "bw", 512, "0,0,0", NULL, ""},
    {"s13_fsauto.sion", "bw", -1, "100,5000", NULL, "0:100,1:5000"},
};

/* How the bytes get into the container. */
enum way { RECORDS, RECORDS_AND_FILE, FILE_ONLY, BYTES };

static const struct recipe *recipe;
static enum way way;
static sion_int64 chunks[1000];
static int ranks[1000], ntasks;
static long written[1000];

static void parse_recipe(void)
{
    const char *at = recipe->chunks;
    int i;

    for (ntasks = 0; *at; at += *at == ',') {
        char *end;
        long bytes = strtol(at, &end, 10);
        long times = *end == 'x' ? strtol(end + 1, &end, 10) : 1;

        for (; times > 0; times--)
            chunks[ntasks++] = bytes;
        at = end;
    }
    at = recipe->ranks;
    for (i = 0; i < ntasks; i++) {
        char *end = NULL;

        ranks[i] = recipe->ranks ? (int)strtol(at, &end, 10) : i;
        at = end && *end ? end + 1 : end;
        written[i] = 0;
    }
}

static void write_record(int sid, int task, size_t bytes)
{
    static unsigned char data[200000];
    FILE *fp = NULL;
    size_t i;

    check_fill(data, task, written[task], bytes);
    written[task] += (long)bytes;
    if (way == FILE_ONLY) {
        CHECK_INT(sion_seek_fp(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS, &fp), 1);
        CHECK_INT(sion_ensure_free_space(sid, (sion_int64)bytes), 1);
        CHECK(fp && fwrite(data, 1, bytes, fp) == bytes);
        return;
    }
    CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    if (way != BYTES) {
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
        return;
    }
    CHECK_INT(sion_ensure_free_space(sid, (sion_int64)bytes), 1);
    for (i = 0; i < bytes; i++)
        CHECK_INT(sion_fwrite(data + i, 1, 1, sid), 1);
}

static void write_again(void)
{
    sion_int64 *sizes = chunks;
    int *globalranks = ranks, nfiles = 1, sid;
    sion_int32 fsblksize = recipe->fsblksize;
    char name[64], mode[64], sample[80];
    const char *at = recipe->writes;
    FILE *fp = NULL;
    struct stat status;

    parse_recipe();
    snprintf(name, sizeof name, "%s", recipe->name);
    snprintf(mode, sizeof mode, "%s", recipe->mode);
    sid = sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &globalranks,
                    way == RECORDS_AND_FILE ? &fp : NULL);
    CHECK(sid >= 0);
    if (way == RECORDS_AND_FILE)
        CHECK_INT(fp != NULL, strstr(mode, "posix") == NULL);
    while (*at) {
        char *end;
        long task = strtol(at, &end, 10), bytes = strtol(end + 1, &end, 10);

        write_record(sid, (int)task, (size_t)bytes);
        at = *end ? end + 1 : end;
    }
    CHECK_INT(sion_close(sid), 1);
    stat(name, &status);
    if (recipe->fsblksize == -1 && status.st_blksize != 4096) {
        SKIP("needs a file system with blocks of 4096 bytes");
        return;
    }
    snprintf(sample, sizeof sample, "serial/%s", recipe->name);
    CHECK(support_same_as_sample(name, support_golden(sample), recipe->mode));
}

int main(void)
{
    static const char *const names[] = {"records", "records, with the FILE* given out",
                                        "the FILE* only", "single bytes"};
    char test[128];
    size_t i;

    support_enter_folder();
    for (way = RECORDS; way <= BYTES; way++) {
        for (i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
            recipe = &recipes[i];
            if (way == FILE_ONLY && strstr(recipe->mode, "posix"))
                continue;
            snprintf(test, sizeof test, "%s, written as %s", recipe->name, names[way]);
            check_run_test(test, write_again);
        }
    }
    support_leave_folder();
    return check_done();
}
