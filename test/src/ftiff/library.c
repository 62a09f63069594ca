/*
 * The library with one process: it writes the same files as the samples, and reads what was
 * written; variables grow and shrink; checkpoints are incremental. Linked with
 * -Wl,--wrap=pthread_create.
 */
#include <errno.h>
#include <pthread.h>

#include "fti_check.h"
#include "sion_common.h"
#include "codes.h"
#include "sion_ftiff.h"
#include "vfs/fault.h"

enum { ARRAYS = 5 };

/* The state of the program in FTI's description, with a thousandth of its sizes. */
static int32_t arrays[ARRAYS + 1][9000];
static const int sizes[7][ARRAYS] = {{1, 2, 3, 0, 0}, {1, 2, 3, 4, 0}, {1, 6, 7, 4, 0},
                                     {1, 6, 7, 4, 5}, {1, 5, 6, 4, 5}, {1, 8, 9, 4, 5},
                                     {1, 1, 2, 4, 5}};

static void protect(sion_ftiff *handle, int ckptid, int rank)
{
    int id;

    for (id = 1; id <= ARRAYS; id++) {
        size_t n = (size_t)sizes[ckptid - 1][id - 1] * 1000;

        if (n == 0)
            continue;
        fti_fill(arrays[id], rank, id, 0, n);
        CHECK_INT(code_of(sion_ftiff_protect(handle, id, arrays[id], (sion_int64)n * 4)), 0);
    }
}

/*
 * Encode the records again, with 0 where FTI leaves old bytes: in padding and, from layout B on, in
 * the hashes of containers without content.
 */
static void clear_records(unsigned char *bytes, const struct scion_fti_image *image)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    unsigned char *to = bytes + (layout->fb_at_end ? image->fb.datasize : layout->fb_bytes);
    struct scion_fti_record record;
    int b, i;

    for (b = 0; b < image->nblocks; b++) {
        unsigned char *at = to + layout->db_bytes;

        for (i = image->first[b]; i < image->first[b + 1]; i++, at += layout->var_bytes) {
            scion_fti_record_decode(image->era, at, &record);
            if (!record.hascontent && image->era != SCION_FTI_A)
                memset(record.hash, 0, sizeof record.hash);
            scion_fti_record_encode(image->era, &record, at);
        }
        to = layout->fb_at_end ? at : to + scion_fti_block_size(image, b);
    }
}

/* The bytes of a file, without those that differ between runs: the time, the file block's own hash,
   and padding. */
static unsigned char *comparable(const char *path, enum scion_fti_era era, size_t *size)
{
    const struct scion_fti_layout *layout = scion_fti_layout(era);
    unsigned char *bytes = support_load(path, size), *fb;
    struct scion_fti_memory memory;
    struct scion_fti_image image;
    char of_all[SCION_FTI_HEX];

    CHECK(bytes != NULL);
    scion_fti_memory(&memory, bytes, *size);
    CHECK_INT(scion_fti_read(&memory.source, &image), 0);
    fb = layout->fb_at_end ? bytes + *size - layout->fb_bytes : bytes;
    image.fb.timestamp = 0;
    /* Since 1.3, FTI's digest includes hashes that nobody reads. */
    CHECK_INT(scion_fti_hash_of_hashes(&memory.source, &image, image.fb.checksum, of_all), 0);
    scion_fti_fb_encode(era, &image.fb, fb);
    clear_records(bytes, &image);
    scion_fti_image_clear(&image);
    return bytes;
}

static int same_but_for_time(const char *a, const char *b, enum scion_fti_era era)
{
    size_t size_a, size_b;
    unsigned char *bytes_a = comparable(a, era, &size_a), *bytes_b = comparable(b, era, &size_b);
    int same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;

    free(bytes_a);
    free(bytes_b);
    return same;
}

/* Write seven checkpoints under FTI's names, with a restart before the fifth; each equals a sample.
 * */
static void write_the_samples(int version, enum scion_fti_era era, const char *folder)
{
    sion_ftiff *handle = sion_ftiff_open("Ckpt1-Rank0.fti");
    char name[100], sample[200];
    int id;

    CHECK(handle != NULL);
    for (id = 1; id <= 7; id++) {
        snprintf(name, sizeof name, "Ckpt%d-Rank0.fti", id);
        if (id == 5) {
            sion_ftiff_close(handle);
            handle = sion_ftiff_open("Ckpt4-Rank0.fti");
            CHECK_INT(number_or_code(sion_ftiff_status(handle, NULL)), 1);
        }
        CHECK_INT(code_of(sion_ftiff_set_path(handle, name)), 0);
        CHECK_INT(code_of(sion_ftiff_set_version(handle, version)), 0);
        protect(handle, id, 0);
        CHECK_INT(code_of(sion_ftiff_checkpoint(handle, id)), 0);
        snprintf(sample, sizeof sample, "ftiff/%s/L1/Ckpt%d-Rank0.fti", folder, id);
        CHECK(same_but_for_time(name, support_golden(sample), era));
    }
    sion_ftiff_close(handle);
}

static void the_library_writes_the_same_as_fti(void)
{
    write_the_samples(SION_FTIFF_1_1, SCION_FTI_A, "v1.1");
    write_the_samples(SION_FTIFF_1_3, SCION_FTI_C, "v1.3");
    write_the_samples(SION_FTIFF_LATEST, SCION_FTI_F, "master");
}

/* ---- checkpoints after a restart, and variables without bytes ---- */

enum { RESTART_VARIABLES = 6 };

/* Bytes of the variables at each checkpoint of the samples; -1: not protected yet. */
static const int restarts[2][6][RESTART_VARIABLES] = {
    {{40, 0, 120, -1, -1, -1},
     {40, 0, 120, 60, -1, -1},
     {40, 0, 120, 60, 0, -1},
     {40, 90, 120, 60, 0, -1},
     {40, 90, 120, 60, 50, -1},
     {40, 95, 130, 60, 50, 0}},
    {{40, 80, 120, -1, -1, -1},
     {40, 80, 150, 60, -1, -1},
     {40, 80, 150, 60, -1, -1},
     {40, 90, 150, 70, 20, -1},
     {40, 90, 130, 70, 50, -1},
     {40, 95, 130, 90, 50, -1}},
};

static unsigned char restart_data[RESTART_VARIABLES][200];

/* The variables as a sample has them. */
static void take_from_sample(const char *path, enum scion_fti_era era)
{
    size_t size = 0;
    unsigned char *bytes = support_load(path, &size);
    struct scion_fti_memory memory;
    struct scion_fti_image image;
    int i;

    CHECK(bytes != NULL);
    scion_fti_memory(&memory, bytes, size);
    CHECK_INT(scion_fti_read(&memory.source, &image), 0);
    CHECK_INT(image.era, era);
    for (i = 0; i < image.nvars; i++) {
        const struct scion_fti_var *var = &image.vars[i];

        memcpy(restart_data[var->id - 1] + var->dptr, bytes + var->fptr, (size_t)var->chunksize);
    }
    scion_fti_image_clear(&image);
    free(bytes);
}

static void protect_restart(sion_ftiff *handle, const int *bytes)
{
    int i;

    for (i = 0; i < RESTART_VARIABLES; i++) {
        if (bytes[i] >= 0)
            CHECK_INT(code_of(sion_ftiff_protect(handle, i + 1, restart_data[i], bytes[i])), 0);
    }
}

/* FTI wrote three checkpoints, was killed and restarted, and wrote three more; so do we. */
static void restart_as_fti(const char *folder, int script, int rank, enum scion_fti_era era)
{
    sion_ftiff *handle = sion_ftiff_open("none");
    char name[100], sample[200];
    int id;

    CHECK_INT(code_of(sion_ftiff_set_version(handle, (int)era + 1)), 0);
    for (id = 1; id <= 6; id++) {
        const int *bytes = restarts[script][id - 1];

        if (id == 4) {
            sion_ftiff_close(handle);
            handle = sion_ftiff_open(name);
            CHECK_INT(code_of(sion_ftiff_set_version(handle, (int)era + 1)), 0);
            protect_restart(handle, restarts[script][2]);
            CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
        }
        snprintf(name, sizeof name, "Ckpt%d-Rank%d.fti", id, rank);
        snprintf(sample, sizeof sample, "ftiff/after_restart/%s/%d/%s", folder, id, name);
        take_from_sample(support_golden(sample), era);
        protect_restart(handle, bytes);
        CHECK_INT(code_of(sion_ftiff_set_path(handle, name)), 0);
        CHECK_INT(code_of(sion_ftiff_checkpoint(handle, id)), 0);
        if (!same_but_for_time(name, support_golden(sample), era))
            printf("# %s differs\n", sample);
        CHECK(same_but_for_time(name, support_golden(sample), era));
    }
    sion_ftiff_close(handle);
}

static void a_restart_continues_as_in_fti(void)
{
    int rank;

    for (rank = 0; rank < 2; rank++) {
        restart_as_fti("v1.1-zero", 0, rank, SCION_FTI_A);
        restart_as_fti("v1.1-rst", 1, rank, SCION_FTI_A);
        restart_as_fti("v1.3-zero", 0, rank, SCION_FTI_C);
        restart_as_fti("v1.3-rst", 1, rank, SCION_FTI_C);
        restart_as_fti("master-zero", 0, rank, SCION_FTI_F);
        restart_as_fti("master-rst", 1, rank, SCION_FTI_F);
    }
}

static void the_newest_release_has_a_name(void)
{
    sion_ftiff *handle = sion_ftiff_open("release.fti");
    struct sion_ftiff_info info = {.size = sizeof info, .version = 0};
    char a[10] = "a";

    CHECK_INT(code_of(sion_ftiff_set_version(handle, SION_FTIFF_RELEASE_LATEST)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 3)), 0);
    CHECK_INT(number_or_code(sion_ftiff_status(handle, &info)), 1);
    CHECK_INT(info.version, 5);
    CHECK_INT(info.ckptid, 3);
    CHECK_INT(info.bytes, 10);
    sion_ftiff_close(handle);
}

/* Layout E has 31 bits for sizes. After the failure, the old checkpoint exists, and the handle can
   be used. */
static void sizes_beyond_layout_e_are_refused(void)
{
    sion_ftiff *handle = sion_ftiff_open("limits.fti");
    char a[10] = "a";

    support_catch();
    CHECK_INT(code_of(sion_ftiff_set_version(handle, SION_FTIFF_RELEASE_LATEST)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 2, a, 0x7fffffff)), 0); /* never read */
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 2)), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(support_message, "limits.fti: the checkpoint has 2147483");
    CHECK_CONTAINS(support_message, "layout of FTI 1.4.1 to 1.6 holds at most 2147483647");
    CHECK_INT(support_errors, 1);
    CHECK_INT(code_of(sion_ftiff_unprotect(handle, 2)), 0);
    memset(a, 0, sizeof a);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
    CHECK_STR(a, "a");
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 2)), 0);
    sion_ftiff_close(handle);
}

/* Samples of every release are recovered, into memory that had other contents. */
static void samples_are_recovered(void)
{
    static const char *const folders[] = {"v1.1", "v1.3", "master"};
    static const int versions[] = {1, 3, 6};
    int f, ckptid, id;

    for (f = 0; f < 3; f++) {
        for (ckptid = 1; ckptid <= 7; ckptid++) {
            struct sion_ftiff_info info = {.size = sizeof info};
            sion_ftiff *handle;
            char sample[200];

            snprintf(sample, sizeof sample, "ftiff/%s/L1/Ckpt%d-Rank0.fti", folders[f], ckptid);
            handle = sion_ftiff_open(support_golden(sample));
            protect(handle, ckptid, 0);
            memset(arrays, 0x55, sizeof arrays);
            CHECK_INT(number_or_code(sion_ftiff_status(handle, &info)), 1);
            CHECK_INT(info.version, versions[f]);
            CHECK_INT(info.ckptid, f == 0 ? -1 : ckptid);
            CHECK_INT(info.variables, ckptid == 1 ? 3 : ckptid < 4 ? 4 : 5);
            CHECK(info.timestamp > 0);
            CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
            for (id = 1; id <= ARRAYS; id++) {
                size_t n = (size_t)sizes[ckptid - 1][id - 1] * 1000;

                CHECK(fti_is_filled(arrays[id], 0, id, 0, n));
                CHECK_INT(sion_ftiff_stored_size(handle, id), n == 0 ? -1 : (sion_int64)n * 4);
            }
            CHECK_INT(arrays[1][1000], 0x55555555);
            sion_ftiff_close(handle);
        }
    }
}

static void a_first_run_has_no_checkpoint(void)
{
    sion_ftiff *handle = sion_ftiff_open("none.fti");
    struct sion_ftiff_info info = {.size = sizeof info, .version = 77};

    support_catch();
    CHECK_INT(number_or_code(sion_ftiff_status(handle, &info)), 0);
    CHECK_INT(info.version, 77);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sion_ftiff_stored_size(handle, 1), -1);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), SION_ERR_SYSTEM);
    CHECK_CONTAINS(support_message, "sion_ftiff_recover: there is no checkpoint none.fti");
    CHECK_INT(support_errors, 1);
    sion_ftiff_close(handle);
}

/* A run that mistook "unknown" for "no" would start from the beginning and overwrite the
   checkpoint. */
static void a_search_that_fails_is_not_a_missing_file(void)
{
    sion_ftiff *handle = sion_ftiff_open("loop/state.fti");

    CHECK_INT(symlink("loop", "loop"), 0);
    support_catch();
    CHECK_INT(number_or_code(sion_ftiff_status(handle, NULL)), SION_ERR_SYSTEM);
    CHECK_CONTAINS(support_message, "cannot look for loop/state.fti: Too many levels");
    CHECK_INT(code_of(sion_ftiff_recover(handle)), SION_ERR_SYSTEM);
    CHECK_INT(support_errors, 2);
    sion_ftiff_close(handle);
}

static void wrong_arguments_are_reported(void)
{
    char data[4], long_name[1100];
    sion_ftiff *handle;

    support_catch();
    CHECK(sion_ftiff_open(NULL) == NULL);
    CHECK_CONTAINS(support_message, "no file name");
    CHECK(sion_ftiff_open("") == NULL);
    memset(long_name, 'x', sizeof long_name);
    long_name[1013] = '\0';
    CHECK(sion_ftiff_open(long_name) == NULL);
    CHECK_CONTAINS(support_message, "too long");
    CHECK_INT(support_errors, 3);
    handle = sion_ftiff_open("Ckpt4-Rank0.fti");
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, NULL, 1)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, data, -1)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_unprotect(handle, 1)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_set_version(handle, 0)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_set_version(handle, 7)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_set_path(handle, "")), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, -1)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 5)), SION_ERR_ARGUMENT);
    CHECK_CONTAINS(support_message, "name of checkpoint 4, not 5");
    CHECK_INT(support_errors, 11);
    sion_ftiff_close(handle);
    sion_ftiff_close(NULL);
    CHECK_INT(code_of(sion_ftiff_protect(NULL, 1, data, 4)), SION_ERR_HANDLE);
    CHECK_INT(code_of(sion_ftiff_checkpoint(NULL, 1)), SION_ERR_HANDLE);
    CHECK_INT(code_of(sion_ftiff_recover(NULL)), SION_ERR_HANDLE);
    CHECK_INT(number_or_code(sion_ftiff_status(NULL, NULL)), SION_ERR_HANDLE);
    CHECK_INT(sion_ftiff_stored_size(NULL, 1), -1);
    CHECK_CONTAINS(support_message, "sion_ftiff_status: no handle");
}

static void sizes_and_names_must_match_at_a_restart(void)
{
    sion_ftiff *handle = sion_ftiff_open("restart.fti");
    char a[100] = "a", b[50] = "b";

    support_catch();
    CHECK_INT(code_of(sion_ftiff_protect(handle, -3, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 8, b, sizeof b)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 0)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 8, b, 49)), 0);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), SION_ERR_MISMATCH);
    CHECK_CONTAINS(support_message, "variable 8 has 50 bytes there and 49 here");
    CHECK_INT(code_of(sion_ftiff_unprotect(handle, 8)), 0);
    a[0] = 'x';
    CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
    CHECK_STR(a, "a");
    CHECK_INT(code_of(sion_ftiff_protect(handle, 9, b, 1)), 0);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), SION_ERR_MISMATCH);
    CHECK_CONTAINS(support_message, "there is no variable 9");
    sion_ftiff_close(handle);
}

static void other_files_are_reported(void)
{
    sion_ftiff *handle = sion_ftiff_open("foreign.fti");
    unsigned char *bytes;
    char a[100] = "a";
    size_t size;

    support_catch();
    support_store("foreign.fti", "nothing", 7);
    CHECK_INT(number_or_code(sion_ftiff_status(handle, NULL)), SION_ERR_NOT_SION);
    CHECK_CONTAINS(support_message, "foreign.fti: not an FTI-FF checkpoint");
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    bytes = support_load("foreign.fti", &size);
    bytes[50] ^= 1;
    support_store("foreign.fti", bytes, size);
    CHECK_INT(number_or_code(sion_ftiff_status(handle, NULL)), 1);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(support_message,
                   "foreign.fti: variable 1, container 0 (100 bytes at offset 0): the data");
    support_store("foreign.fti", bytes, size - 1);
    CHECK(number_or_code(sion_ftiff_status(handle, NULL)) < 0);
    free(bytes);
    sion_ftiff_close(handle);
}

/* ---- threads ---- */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);

static int created;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    created++;
    return __real_pthread_create(thread, attributes, function, argument);
}

/* Threads that are made for a checkpoint of four variables. */
static int threads_for(const char *number)
{
    sion_ftiff *handle = sion_ftiff_open("threads.fti");

    if (number)
        setenv("SION_FTI_THREADS", number, 1);
    protect(handle, 2, 0);
    created = 0;
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 2)), 0);
    sion_ftiff_close(handle);
    unsetenv("SION_FTI_THREADS");
    return created;
}

static void the_environment_has_the_number_of_threads(void)
{
    CHECK_INT(threads_for(NULL), 0);
    CHECK_INT(threads_for("1"), 0);
    CHECK_INT(threads_for("3"), sion_is_thread_safe() ? 2 : 0);
    CHECK_INT(threads_for("64"), sion_is_thread_safe() ? 3 : 0);
}

/* ---- incremental ---- */

static void incremental_checkpoints_write_the_same_files(void)
{
    static const int versions[] = {SION_FTIFF_1_1, SION_FTIFF_RELEASE_LATEST, SION_FTIFF_LATEST};
    static const enum scion_fti_era eras[] = {SCION_FTI_A, SCION_FTI_E, SCION_FTI_F};
    static const int clones[] = {0, 3, 3, 5, 4, 4, 2};
    long writes;
    int v, id;

    for (v = 0; v < 3; v++) {
        enum scion_fti_era era = eras[v];
        sion_ftiff *full = sion_ftiff_open("full.fti");
        sion_ftiff *incremental = sion_ftiff_open("incremental.fti");

        CHECK_INT(code_of(sion_ftiff_set_version(full, versions[v])), 0);
        CHECK_INT(code_of(sion_ftiff_set_version(incremental, versions[v])), 0);
        CHECK_INT(code_of(sion_ftiff_set_incremental(incremental, 1)), 0);
        for (id = 1; id <= 7; id++) {
            protect(full, id, 0);
            protect(incremental, id, 0);
            arrays[4][0] = id; /* one chunk changes each time */
            scion_fault_arm(0, 0, 0, 0);
            CHECK_INT(code_of(sion_ftiff_checkpoint(full, id)), 0);
            writes = scion_fault_count(SCION_FAULT_PWRITE);
            scion_fault_arm(0, 0, 0, 0);
            CHECK_INT(code_of(sion_ftiff_checkpoint(incremental, id)), 0);
            /* Unchanged chunks: those of 1 to 3; of 1, and the first ones of 2 and 3; of 5, too; of
               1 and 5, and of 2 and 3 if the size of the chunk is the same. */
            CHECK_INT(scion_fault_count(SCION_FAULT_COPY), clones[id - 1]);
            CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), writes - clones[id - 1]);
            CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), 2); /* the file, the folder */
            scion_fault_disarm();
            CHECK(same_but_for_time("full.fti", "incremental.fti", era));
        }
        sion_ftiff_close(full);
        sion_ftiff_close(incremental);
    }
}

static void without_the_old_file_an_increment_is_full(void)
{
    sion_ftiff *handle = sion_ftiff_open("i.fti");
    char a[100] = "a";

    CHECK_INT(code_of(sion_ftiff_set_incremental(handle, 1)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    support_store("i.fti", "something else", 14);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 2)), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_COPY), 0);
    unlink("i.fti");
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 3)), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_COPY), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 4)), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_COPY), 1);
    scion_fault_disarm();
    memset(a, 0, sizeof a);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
    CHECK_STR(a, "a");
    sion_ftiff_close(handle);
}

/* Another program has replaced the checkpoint by one of the same structure with the same data. */
static void an_increment_copies_from_no_other_checkpoint(void)
{
    sion_ftiff *handle = sion_ftiff_open("i.fti"), *other = sion_ftiff_open("i.fti");
    char a[100] = "a";

    CHECK_INT(code_of(sion_ftiff_set_incremental(handle, 1)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(handle, 1, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_protect(other, 1, a, sizeof a)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(other, 5)), 0);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 2)), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_COPY), 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 3)), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_COPY), 1);
    scion_fault_disarm();
    sion_ftiff_close(other);
    sion_ftiff_close(handle);
}

/*
 * After a restart from a file of another layout, its chunks are elsewhere, but are the same. The
 * test copies the samples first, because the system may not clone between file systems.
 */
static void recovered_chunks_are_cloned(void)
{
    static const char *const folders[] = {"v1.1", "v1.3", "master"}, sample[] = "Ckpt7-Rank0.fti";
    int f;

    for (f = 0; f < 3; f++) {
        sion_ftiff *full = sion_ftiff_open("full.fti"), *incremental;
        char golden[100];

        snprintf(golden, sizeof golden, "ftiff/%s/L1/%s", folders[f], sample);
        support_copy(support_golden(golden), sample);
        incremental = sion_ftiff_open(sample);
        protect(incremental, 7, 0);
        memset(arrays, 0, sizeof arrays);
        CHECK_INT(code_of(sion_ftiff_recover(incremental)), 0);
        CHECK_INT(code_of(sion_ftiff_set_path(full, sample)), 0);
        protect(full, 7, 0);
        CHECK_INT(code_of(sion_ftiff_recover(full)), 0);
        CHECK_INT(code_of(sion_ftiff_set_path(full, "full.fti")), 0);
        CHECK_INT(code_of(sion_ftiff_checkpoint(full, 8)), 0);
        CHECK_INT(code_of(sion_ftiff_set_path(incremental, "incremental.fti")), 0);
        CHECK_INT(code_of(sion_ftiff_set_incremental(incremental, 1)), 0);
        scion_fault_arm(0, 0, 0, 0);
        CHECK_INT(code_of(sion_ftiff_checkpoint(incremental, 8)), 0);
        CHECK_INT(scion_fault_count(SCION_FAULT_COPY), 5);
        CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE),
                  6); /* records of five blocks, file block */
        scion_fault_disarm();
        CHECK(same_but_for_time("full.fti", "incremental.fti", SCION_FTI_F));
        sion_ftiff_close(full);
        sion_ftiff_close(incremental);
    }
}

/* If the system cannot copy, or copies only a part, the library copies. */
static void cloning_works_without_the_system(void)
{
    static const int reasons[] = {EXDEV, ENOSYS, EINVAL, EOPNOTSUPP};
    sion_ftiff *handle = sion_ftiff_open("c.fti");
    size_t i;

    CHECK_INT(code_of(sion_ftiff_set_incremental(handle, 1)), 0);
    protect(handle, 6, 0);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    for (i = 0; i < 5; i++) {
        if (i < 4)
            scion_fault_arm(1 << SCION_FAULT_COPY, 1, 1000, reasons[i]);
        else
            scion_fault_limit_transfers(777);
        if (i == 4)
            scion_fault_arm(0, 0, 0, 0);
        CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 2)), 0);
        CHECK(scion_fault_count(SCION_FAULT_COPY) >= 5);
        scion_fault_disarm();
        memset(arrays, 0, sizeof arrays);
        CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
        CHECK(fti_is_filled(arrays[3], 0, 3, 0, 9000));
    }
    sion_ftiff_close(handle);
}

int main(void)
{
    support_enter_folder();
    RUN(the_library_writes_the_same_as_fti);
    RUN(a_restart_continues_as_in_fti);
    RUN(the_newest_release_has_a_name);
    RUN(sizes_beyond_layout_e_are_refused);
    RUN(samples_are_recovered);
    RUN(a_first_run_has_no_checkpoint);
    RUN(a_search_that_fails_is_not_a_missing_file);
    RUN(wrong_arguments_are_reported);
    RUN(sizes_and_names_must_match_at_a_restart);
    RUN(other_files_are_reported);
    RUN(the_environment_has_the_number_of_threads);
    RUN(incremental_checkpoints_write_the_same_files);
    RUN(without_the_old_file_an_increment_is_full);
    RUN(an_increment_copies_from_no_other_checkpoint);
    RUN(recovered_chunks_are_cloned);
    RUN(cloning_works_without_the_system);
    support_leave_folder();
    return check_done();
}
