/* Helpers for tests of the public interface: a folder of their own, captured messages, files. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "sion_error.h"

/* Sanitizers take memory of their own, and end a program that has none left. */
#ifdef __has_feature
#define SUPPORT_HAS(feature) __has_feature(feature)
#else
#define SUPPORT_HAS(feature) 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ ||                                 \
    SUPPORT_HAS(address_sanitizer) || SUPPORT_HAS(thread_sanitizer)
enum { SUPPORT_IS_SANITIZED = 1 };
#else
enum { SUPPORT_IS_SANITIZED = 0 };
#endif

/* ---- messages ---- */

static _Atomic int support_errors, support_warnings;
static char support_message[1024];
static atomic_flag support_lock = ATOMIC_FLAG_INIT; /* threads may report at the same time */

static inline void support_handler(int level, int rank, int rc, const char *text, void *user)
{
    (void)rank, (void)rc, (void)user;
    if (level == SION_ERROR_LEVEL_WARN)
        support_warnings++;
    else
        support_errors++;
    while (atomic_flag_test_and_set(&support_lock))
        ;
    snprintf(support_message, sizeof support_message, "%s", text);
    atomic_flag_clear(&support_lock);
}

/* From here on, messages are counted, not printed. */
static inline void support_catch(void)
{
    sion_error_set_handler(support_handler, NULL);
    support_errors = support_warnings = 0;
    support_message[0] = '\0';
}

/* ---- a folder of our own, which is the working directory ---- */

static char support_folder[64];

/* In $TMPDIR, or in memory: many tests sync often. */
static inline void support_enter_folder(void)
{
    const char *given = getenv("TMPDIR");
    const char *const places[] = {given ? given : "/dev/shm", "/tmp"};
    int i, is_there = 0;

    for (i = 0; i < 2 && !is_there; i++) {
        snprintf(support_folder, sizeof support_folder, "%.40s/scion-test-XXXXXX", places[i]);
        is_there = mkdtemp(support_folder) && chdir(support_folder) == 0;
    }
    if (!is_there) {
        perror("mkdtemp");
        exit(99);
    }
}

static inline void support_leave_folder(void)
{
    DIR *folder = opendir(support_folder);
    struct dirent *entry;

    if (chdir("/") != 0 || !folder)
        return;
    while ((entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(dirfd(folder), entry->d_name, 0) != 0)
            unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR); /* an empty folder */
    }
    closedir(folder);
    rmdir(support_folder);
}

/* Temporary files in the working directory, which later replace others. */
static inline int support_count_new(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int n = 0;

    while (folder && (entry = readdir(folder)))
        n += strncmp(entry->d_name, ".sion-", 6) == 0;
    if (folder)
        closedir(folder);
    return n;
}

/* ---- files ---- */

static inline const char *support_golden(const char *name)
{
    static char paths[4][512];
    static int next;
    const char *folder = getenv("GOLDEN");
    char *path = paths[next++ % 4];

    if (!folder || strlen(folder) + strlen(name) + 2 > sizeof paths[0]) {
        fprintf(stderr, "GOLDEN must name the folder of sample files\n");
        exit(99);
    }
    strcpy(path, folder);
    strcat(path, "/");
    strcat(path, name);
    return path;
}

/* The whole file, which the caller frees. NULL if there is none. */
static inline unsigned char *support_load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    struct stat status;

    if (!file)
        return NULL;
    fstat(fileno(file), &status);
    bytes = malloc((size_t)status.st_size + 1);
    *size = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

static inline void support_store(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(99);
    }
}

/* Whether two files are equal; prints where they differ. */
static inline int support_same_files(const char *a, const char *b)
{
    size_t na = 0, nb = 0, i = 0;
    unsigned char *ba = support_load(a, &na), *bb = support_load(b, &nb);
    int same = ba && bb && na == nb && memcmp(ba, bb, na) == 0;

    while (ba && bb && i < na && i < nb && ba[i] == bb[i])
        i++;
    if (!same)
        printf("# %s (%zu bytes) and %s (%zu bytes) differ at byte %zu\n", a, na, b, nb, i);
    free(ba);
    free(bb);
    return same;
}

static inline int support_host_is_big(void)
{
    const uint16_t number = 1;

    return *(const unsigned char *)&number == 0;
}

/* Turns round n numbers, and goes to the byte after them. */
static inline unsigned char *support_turn(unsigned char *at, int size, size_t n)
{
    int i;

    for (; n > 0; n--, at += size) {
        for (i = 0; i < size / 2; i++) {
            unsigned char first = at[i];

            at[i] = at[size - 1 - i];
            at[size - 1 - i] = first;
        }
    }
    return at;
}

/* Let no file grow beyond this many bytes: writes fail as on a full disk. */
static inline void support_limit_files(rlim_t bytes)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A container of a little-endian host, as a big-endian one writes it (doc/format.md, 3.2). The mode
   may say the order of the users' data. Not for key-value records. */
static inline void support_make_big(unsigned char *bytes, size_t size, const char *mode)
{
    uint32_t n, most;
    uint64_t meta2;
    unsigned char *at;

    memset(bytes + 4, 1, 4);
    if (strstr(mode, "endianness="))
        memset(bytes + 5, strstr(mode, "big") != NULL, 2);
    at = support_turn(support_turn(bytes + 8, 4, 7), 8, 2) + 1024;
    memcpy(&n, bytes + 24, 4);
    at = support_turn(at, 8, 2 * (size_t)n);
    memcpy(&most, support_turn(at, 4, 1) - 4, 4);
    memcpy(&meta2, support_turn(at + 4, 8, 1) - 8, 8);
    at = support_turn(bytes + meta2, 8, (size_t)n * (1 + most));
    support_turn(at, 4, (size_t)(bytes + size - at) / 4); /* the mapping table */
}

/* Whether a container has the bytes that this host has to write: those of a sample from a
   little-endian host, or the same ones with the numbers in the other order. */
static inline int support_same_as_sample(const char *name, const char *sample, const char *mode)
{
    size_t size = 0;
    unsigned char *bytes;
    int same;

    if (!support_host_is_big())
        return support_same_files(name, sample);
    bytes = support_load(sample, &size);
    support_make_big(bytes, size, mode);
    support_store("sample.big", bytes, size);
    free(bytes);
    same = support_same_files(name, "sample.big");
    remove("sample.big");
    return same;
}

static inline void support_copy(const char *from, const char *to)
{
    size_t size = 0;
    unsigned char *bytes = support_load(from, &size);

    if (!bytes) {
        perror(from);
        exit(99);
    }
    support_store(to, bytes, size);
    free(bytes);
}

/* The number of descriptors that this process has open. */
static inline int support_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

#endif
