/* sionscr pack: files into containers of SCR. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/message.h"
#include "base/memory.h"
#include "scr/scr.h"
#include "sionscr/report.h"
#include "vfs/stdio_named.h"

/* The files of this process, and their names. */
struct files {
    sion_int64 *ranks;
    const char **paths;
    int count, capacity;
};

static void free_files(struct files *files)
{
    int i;

    for (i = 0; i < files->count; i++) {
        union {
            const char *constant;
            void *plain;
        } path = {.constant = files->paths[i]};

        free(path.plain);
    }
    free(files->ranks);
    free(files->paths);
}

static int add_file(struct files *files, sion_int64 rank, const char *path)
{
    if (files->count == files->capacity) {
        int capacity = 2 * files->capacity + 16;
        void *ranks = scion_array_grown(files->ranks, (size_t)capacity, sizeof *files->ranks);
        void *paths = scion_array_grown(files->paths, (size_t)capacity, sizeof *files->paths);

        files->ranks = ranks ? ranks : files->ranks;
        files->paths = paths ? paths : files->paths;
        if (!ranks || !paths) {
            tool_error("out of memory for %d files", capacity);
            return TOOL_FAILED;
        }
        files->capacity = capacity;
    }
    files->ranks[files->count] = rank;
    files->paths[files->count++] = path;
    return TOOL_RUN;
}

/* A line with the rank for every %r, %% for %; to be freed. NULL: out of memory. */
static char *expand(const char *line, int rank)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (; to && *line && *line != '\n'; line++) {
        if (line[0] == '%' && line[1] == 'r')
            fprintf(to, "%d", rank);
        else
            fputc(*line, to);
        line += line[0] == '%' && (line[1] == 'r' || line[1] == '%');
    }
    if (to)
        fclose(to);
    return text;
}

/* A single process packs one file for each rank; with several processes, each packs all its files
   for its own rank. */
static int rank_of_next(const struct scr_settings *settings, const struct files *files)
{
    return settings->alone ? files->count : settings->rank;
}

static int add_name(const struct scr_settings *settings, const char *name, struct files *files)
{
    int rank = rank_of_next(settings, files);
    char *path = expand(name, rank);

    return path ? add_file(files, rank, path) : TOOL_FAILED;
}

static int read_list(const struct scr_settings *settings, struct files *files)
{
    FILE *from = scion_stdio_open(settings->list, SCION_STDIO_READ);
    char *line = NULL;
    size_t size = 0;
    int status = TOOL_RUN;

    if (!from) {
        tool_error("cannot open %s: %s", settings->list, strerror(errno));
        return TOOL_FAILED;
    }
    while (status == TOOL_RUN && getline(&line, &size, from) > 0) {
        if (line[0] != '\n')
            status = add_name(settings, line, files);
    }
    if (status == TOOL_RUN && ferror(from)) {
        tool_error("cannot read %s: %s", settings->list, strerror(errno));
        status = TOOL_FAILED;
    }
    free(line);
    fclose(from);
    return status;
}

static int collect(const struct scr_settings *settings, int n, char **operands, struct files *files)
{
    int status = TOOL_RUN, i;

    if (settings->list)
        return read_list(settings, files);
    for (i = 0; i < n && status == TOOL_RUN; i++)
        status = add_name(settings, operands[i], files);
    return status;
}

int scr_pack(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    const struct sion_scr_pack_options options = {
        .prefix = settings->prefix, .id = settings->export.id, .map = &settings->map};
    struct files files = {0};
    int rc;

    if ((n == 0) != (settings->list != NULL)) {
        if (settings->rank == 0)
            tool_error("pack takes names of files, or --list");
        return TOOL_USAGE;
    }
    /* A process that cannot read its list passes an empty name, so that all processes fail
       together. */
    if (collect(settings, n, operands, &files) != TOOL_RUN)
        add_file(&files, settings->rank, strdup(""));
    rc = scion_scr_pack(settings->comm, settings->out, files.count, files.ranks, files.paths,
                        settings->size, &options);
    free_files(&files);
    return scr_status(settings, rc);
}
