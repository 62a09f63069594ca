/*
 * Damaged files: every way to open them prints one clear line and returns -1, in bounded memory.
 * The argument "limited" limits the address space to 4 GB first.
 */
#include <sys/resource.h>

#include "sion.h"

#include "support.h"

/* Accepted because the file is not damaged, or the damage is in key-value records, which are raw
   streams here. */
static const char *const accepted[] = {
    "i27_version6",        "i29_nfiles0",          "i38_flag1_zero",
    "i40_flag1_99",        "i41_prefix_full",      "i42_kv_len_huge",
    "i43_kv_stream_short", "i47_trailing_garbage", "i48_no_mapping_word",
};

static const struct {
    const char *name;
    int code;
} codes[] = {
    {"i01_empty", SION_ERR_NOT_SION},
    {"i03_badmagic", SION_ERR_NOT_SION},
    {"i12_unclosed_zero", SION_ERR_NOT_CLOSED},
    {"i26_version1", SION_ERR_VERSION},
    {"i07_trunc_no_varinfo", SION_ERR_NOT_CLOSED},
    {"i28_version0", SION_ERR_VERSION},
    {"i44_multi_missing", SION_ERR_SYSTEM},
    {"i23_sv_off8", SION_ERR_DAMAGED},
};

/* Numbers of some tasks are damaged: these tasks cannot be read, and the open warns of them. */
static const char *const locked[] = {
    "i32_blockcount_gt_max",     "i33_blockcount_neg",        "i34_blocksize_gt_chunk",
    "i35_blocksize_neg",         "i39_flag1_inline_on_plain", "i45_multi_badmap",
    "i49_data_cut_meta2_in_gap",
};

static char path[1024], stem[256];
static const char *mode;

static int is_among(const char *const *names, size_t n)
{
    size_t i = 0;

    while (i < n && strcmp(stem, names[i]) != 0)
        i++;
    return i < n;
}

static int is_accepted(void)
{
    return is_among(accepted, sizeof accepted / sizeof accepted[0]);
}

static int is_locked(void)
{
    return is_among(locked, sizeof locked / sizeof locked[0]);
}

static int open_all(int *ntasks)
{
    int nfiles;
    sion_int32 fsblksize;

    return sion_open(path, mode, ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

/* Whatever the metadata contain, reading ends, and stays inside the buffer. */
static void read_all(int sid, int ntasks)
{
    static char buffer[1 << 20];
    int task;

    for (task = 0; task < ntasks; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        while (!sion_feof(sid)) {
            sion_int64 left = sion_bytes_avail_in_block(sid);

            CHECK(left > 0 && left <= (sion_int64)sizeof buffer);
            if (left <= 0 || sion_fread(buffer, 1, (size_t)left, sid) != (size_t)left)
                break;
        }
    }
}

static void check_refusal(int sid)
{
    size_t i;

    CHECK_INT(sid, -1);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, stem);
    CHECK(strchr(support_message, '\n') == NULL);
    for (i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(stem, codes[i].name) == 0)
            CHECK_INT(sion_error_code(), codes[i].code);
    }
}

/* At least one task cannot be read; a program that goes on after the seek gets nothing. */
static void check_locked(int sid, int ntasks)
{
    int task, failed = 0;
    char byte;

    CHECK(sid >= 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, stem);
    for (task = 0; task < ntasks; task++) {
        if (sion_seek(sid, task, 0, 0) == 1)
            continue;
        failed++;
        CHECK_INT(sion_error_code(), SION_ERR_DAMAGED);
        CHECK_INT(sion_fread(&byte, 1, 1, sid), 0);
    }
    CHECK(failed > 0);
    CHECK_INT(support_errors, 2 * failed);
    CHECK_INT(sion_close(sid), 1);
}

static void opened_for_all_tasks(void)
{
    int ntasks = 0, descriptors = support_descriptors(), sid;

    support_catch();
    sid = open_all(&ntasks);
    if (is_accepted()) {
        CHECK(sid >= 0);
        read_all(sid, ntasks);
        CHECK_INT(support_errors, 0);
        CHECK_INT(sion_close(sid), 1);
    } else if (is_locked()) {
        check_locked(sid, ntasks);
    } else {
        check_refusal(sid);
    }
    CHECK_INT(support_descriptors(), descriptors);
}

/* A rank reads only its own part of the tables, so it does not find damage to the other parts. */
static void opened_for_one_rank(void)
{
    int rank, refused = 0, descriptors = support_descriptors();

    for (rank = 0; rank < 8; rank++) {
        int sid;

        support_catch();
        sid = sion_open_rank(path, mode, NULL, NULL, &rank, NULL);
        refused += sid < 0 && !strstr(support_message, "is out of range");
        if (sid < 0)
            CHECK_INT(support_errors, 1);
        else if (is_locked() && sion_seek(sid, SION_CURRENT_RANK, 0, 0) != 1)
            refused++;
        if (sid >= 0)
            CHECK_INT(sion_close(sid), 1);
    }
    CHECK((refused == 0) == is_accepted());
    CHECK_INT(support_descriptors(), descriptors);
}

static void check_file(const char *name)
{
    char test[300];

    snprintf(stem, sizeof stem, "%s", name);
    *strstr(stem, ".sion") = '\0';
    snprintf(path, sizeof path, "%s/%s", support_golden("invalid"), name);
    snprintf(test, sizeof test, "%s in mode %s", stem, mode);
    check_run_test(test, opened_for_all_tasks);
    check_failed_here = 0;
    opened_for_one_rank();
    if (check_failed_here)
        check_report("... for one rank");
}

static int is_container(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > 5 && strcmp(entry->d_name + n - 5, ".sion") == 0;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"rb", "rb,posix"};
    struct dirent **files;
    int n = scandir(support_golden("invalid"), &files, is_container, alphasort), i, m;

    if (argc > 1 && strcmp(argv[1], "limited") == 0) {
        const struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};

        setrlimit(RLIMIT_AS, &limit);
    }
    for (m = 0; m < 2; m++) {
        mode = modes[m];
        for (i = 0; i < n; i++)
            check_file(files[i]->d_name);
    }
    for (i = 0; i < n; i++)
        free(files[i]);
    free(files);
    if (n < 49)
        printf("not ok - only %d files\n", n);
    return check_done() || n < 49;
}
