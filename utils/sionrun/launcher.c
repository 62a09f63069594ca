#include "sionrun/launcher.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "lib/share.h"
#include "lib/tool.h"

enum { TEXT = 4096 };

/* Files of /proc say nothing of their size. Returns the bytes that were read; a NUL is behind them.
 */
static size_t read_of(long process, const char *what, char *text, size_t size)
{
    char path[64];
    struct scion_file *file;
    size_t got = 0;

    snprintf(path, sizeof path, "/proc/%ld/%s", process, what);
    text[0] = '\0';
    if (!scion_file_exists(path) || scion_file_open(path, SCION_OPEN_READ, 0, &file) != 0)
        return 0;
    if (scion_file_read_some(file, text, size - 1, 0, &got) != 0)
        got = 0;
    scion_file_close(file);
    text[got] = '\0';
    return got;
}

enum { PARENT = 4, START = 22 };

/* The number in a field of /proc/PROCESS/stat, as proc(5) counts them; -1: there is no such
 * process. */
static sion_int64 field_of(long process, int field)
{
    char text[TEXT], *at;
    int i;

    read_of(process, "stat", text, sizeof text);
    at = strrchr(text, ')'); /* the second field, a name, may hold anything */
    for (i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at + 1, NULL, 10) : -1;
}

sion_int64 launcher_start_of(long process)
{
    char text[TEXT], *at;

    read_of(process, "stat", text, sizeof text);
    at = strrchr(text, ')');
    return at && at[1] == ' ' && at[2] == 'Z' ? -1 : field_of(process, START); /* it has ended */
}

/* The value of a variable in a process's environment; the library's until the next call. NULL: it
   has none, or the process is another user's. */
static const char *variable_of(long process, const char *name)
{
    static char text[1 << 20];
    size_t bytes = read_of(process, "environ", text, sizeof text), at = 0, length = strlen(name);

    while (at < bytes) {
        const char *entry = text + at;

        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
        at += strlen(entry) + 1;
    }
    return NULL;
}

/* The one that has started the processes with ranks: others may be between it and this one. */
static long launching_process(void)
{
    const char *name = share_variable_of_launcher();
    long process = (long)getppid();

    while (process > 1 && variable_of(process, name))
        process = (long)field_of(process, PARENT);
    return process;
}

/* ---- which job this is ---- */

struct key {
    uint32_t high, low;
};

static void add(struct key *key, const char *text)
{
    key->high = scion_crc32c(key->high, text, strlen(text) + 1);
    key->low = scion_crc32c(key->low ^ 0x5a5a5a5a, text, strlen(text) + 1);
}

static void add_number(struct key *key, sion_int64 number)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)number);
    add(key, text);
}

/* Variables that name a job, and what must be known besides. */
static const char *const jobs[][3] = {
    {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"},
    {"PMIX_NAMESPACE", NULL, NULL},
    {"OMPI_MCA_ess_base_jobid", NULL, NULL},
};

/* 0: the launcher does not name it. */
static int add_job(struct key *key)
{
    size_t i, k;

    for (i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        if (!secure_getenv(jobs[i][0]))
            continue;
        for (k = 0; k < 3; k++) {
            const char *value = jobs[i][k] ? secure_getenv(jobs[i][k]) : NULL;

            add(key, value ? value : "");
        }
        return 1;
    }
    return 0;
}

/* Else it is known by the process that has started those of the node. */
static void add_launcher(struct key *key)
{
    long process = share_rank_of_launcher() ? launching_process() : (long)getpid();

    if (share_rank_of_launcher() && add_job(key))
        return;
    add_number(key, process);
    add_number(key, launcher_start_of(process));
}

static void put_key(const struct key *key, char *text, size_t size)
{
    snprintf(text, size, "%08" PRIx32 "%08" PRIx32, key->high, key->low);
}

void launcher_name_job(char *job, size_t size)
{
    struct key key = {0, 0};

    job[0] = '\0';
    if (share_rank_of_launcher() && add_job(&key))
        put_key(&key, job, size);
}

static void add_boot(struct key *key)
{
    char text[64];
    struct scion_file *file;
    size_t got = 0;

    if (scion_file_open("/proc/sys/kernel/random/boot_id", SCION_OPEN_READ, 0, &file) != 0)
        return;
    if (scion_file_read_some(file, text, sizeof text - 1, 0, &got) != 0)
        got = 0;
    scion_file_close(file);
    text[got] = '\0';
    add(key, text);
}

int launcher_name_session(const char *stage, const char *output, char name[SCION_PATH])
{
    struct key key = {0, 0};
    char base[80], text[20];

    add(&key, output);
    add_boot(&key);
    add_launcher(&key);
    put_key(&key, text, sizeof text);
    snprintf(base, sizeof base, "sionrun-%ld-%s", (long)getuid(), text);
    if (scion_path(name, stage, base) == 0)
        return TOOL_RUN;
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

int launcher_has_session(long process, const char *folder)
{
    const char *value = variable_of(process, SESSION_VARIABLE);

    return value && strcmp(value, folder) == 0;
}
