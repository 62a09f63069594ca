#include "sionls/files.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "lib/packed.h"
#include "lib/tool.h"

void files_print_path(const char *path)
{
    if (isatty(STDOUT_FILENO))
        scion_print_escaped(stdout, path);
    else
        fputs(path, stdout);
}

/* ---- each of them ---- */

typedef void print(const struct scion_pack_entry *entry, int is_first);

static int print_all(const struct packed *packed, print *print_one)
{
    struct scion_packed_cursor cursor;
    const struct scion_pack_entry *entry;
    int rc, is_first = 1;

    scion_packed_begin(packed->files, &cursor);
    while ((rc = scion_packed_next(&cursor, &entry)) == 0 && entry) {
        print_one(entry, is_first);
        is_first = 0;
    }
    scion_packed_end(&cursor);
    return rc == 0 ? TOOL_RUN : packed_failed(packed);
}

/* ---- text ---- */

static void print_path(const struct scion_pack_entry *entry, int is_first)
{
    (void)is_first;
    files_print_path(entry->path);
    putchar('\n');
}

static void print_time(const struct scion_pack_entry *entry)
{
    time_t seconds = (time_t)entry->mtime;
    struct tm when;
    char text[32] = "?";

    if (localtime_r(&seconds, &when))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &when);
    printf("%16s", text);
}

static void print_line(const struct scion_pack_entry *entry, int is_first)
{
    char mode[PACKED_MODE];

    (void)is_first;
    printf("%s %6d %14lld ", packed_mode(mode, entry), entry->task, entry->size);
    print_time(entry);
    putchar(' ');
    scion_print_escaped(stdout, entry->path);
    if (entry->target) {
        fputs(entry->type == SCION_PACK_HARD ? " link to " : " -> ", stdout);
        scion_print_escaped(stdout, entry->target);
    }
    putchar('\n');
}

int files_list(char *name, int is_long)
{
    struct input input;
    struct packed packed;
    int status = input_open_members(name, &input);

    if (status != TOOL_RUN)
        return status;
    status = packed_open(&input, &packed);
    if (status == TOOL_RUN) {
        status = print_all(&packed, is_long ? print_line : print_path);
        packed_close(&packed);
    }
    return input_close(&input, status);
}

/* ---- JSON ---- */

static void print_object(const struct scion_pack_entry *entry, int is_first)
{
    printf("%s\n  {\"path\": ", is_first ? "" : ",");
    scion_json_string(stdout, entry->path);
    printf(", \"type\": \"%s\", \"task\": %d, \"mode\": \"%04o\", \"uid\": %u, \"gid\": %u, "
           "\"mtime\": %lld, \"mtime_ns\": %u, \"bytes\": %lld, \"offset\": %lld",
           packed_type(entry->type), entry->task, entry->mode, entry->uid, entry->gid,
           (long long)entry->mtime, entry->mtime_ns, entry->size, entry->data);
    if (entry->target) {
        printf(", \"target\": ");
        scion_json_string(stdout, entry->target);
    }
    putchar('}');
}

int files_list_json(char *name, const char *before)
{
    struct input input;
    struct packed packed;
    int status = input_open_members(name, &input);

    if (status != TOOL_RUN)
        return status;
    status = packed_open(&input, &packed);
    if (status == TOOL_RUN) {
        printf("%s{\"file\": ", before);
        scion_json_string(stdout, input.name);
        printf(", \"indexed\": %s, \"complete\": %s, \"files\": [",
               scion_packed_is_indexed(packed.files) ? "true" : "false",
               scion_packed_is_incomplete(packed.files) ? "false" : "true");
        status = print_all(&packed, print_object);
        printf("\n]}");
        packed_close(&packed);
    }
    return input_close(&input, status);
}
