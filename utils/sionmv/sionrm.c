/* sionrm: remove all files of a container, or its older generations. */
#include <stdlib.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/escape.h"
#include "file/forget.h"
#include "lib/tool.h"
#include "sionmv/place.h"
#include "stage/find.h"
#include "stage/queue.h"
#include "vfs/writer_lock.h"
#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
#endif

struct settings {
    int force, verbose;
    int keep, before; /* 0: the container itself goes */
};

static const char usage[] =
    "Usage: %s [options] <container> ...\n\n"
    "Removes containers with all their files.\n\n"
    "Options:\n"
    "  [-f]               also what is left of a container of which files are missing or\n"
    "                     damaged, by their names; no error if there is nothing\n"
    "  [-v]               tell what is done\n"
    "  [-V]               show version\n"
    "  [-h]               show this help\n";

static const char more_help[] =
    "  --keep=<k>       of containers with generations, only those before the last <k>:\n"
    "                   the containers stay, and the bytes of these are freed\n"
    "  --before=<n>     the same of generations with smaller numbers; the newest "
    "stays\n" TOOL_QUIET_HELP;

static void tell(const char *name)
{
    scion_print_escaped(stdout, name);
    puts(" is removed");
}

/* Files that the header of file 0 denies stay. */
static void leave_others(struct members *set)
{
    size_t kept = 0, i;

    for (i = 0; i < set->count; i++) {
        if (set->member[i].is_other)
            free(set->member[i].suffix);
        else
            set->member[kept++] = set->member[i];
    }
    set->count = kept;
}

static int remove_found(const char *name, const struct settings *settings)
{
    struct members set;
    int status = members_find(name, settings->force, &set);

    if (status != TOOL_RUN)
        return status;
    leave_others(&set);
    if (!settings->force)
        status = members_check(&set, name, "; -f removes the others");
    if (status == TOOL_RUN)
        status = remove_all(&set, name);
    if (status == TOOL_RUN && settings->verbose && set.count > 0)
        tell(name);
    members_free(&set);
    return status;
}

/* Nodes may have left something of a container that was staged. */
static void clean_notes(const char *name)
{
    char *target = scion_staged_target(name);

    if (target)
        scion_stage_clean_notes(target);
    free(target);
}

static int remove_one(const char *name, const struct settings *settings)
{
    struct scion_writer_lock *lock;
    int status = lock_name(name, &lock);

    if (status != TOOL_RUN)
        return status;
    status = remove_found(name, settings);
    if (status == TOOL_RUN)
        clean_notes(name);
    scion_writer_lock_release(lock, 0);
    return status;
}

/* In place: the container keeps its name, its newest generation, and all that is not removed. */
static int forget(const char *name, const struct settings *settings)
{
    struct scion_forgotten result;
    int rc = scion_forget_generations(name, settings->keep, settings->before, &result);

    tool_print_warnings();
    if (rc != 0) {
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    if (settings->verbose) {
        scion_print_escaped(stdout, name);
        printf(": %lld of %lld generations are removed", result.before - result.after,
               result.before);
        if (result.after > 0)
            printf(", %lld is the oldest now", result.oldest);
        putchar('\n');
    }
    return TOOL_RUN;
}

static const struct tool_option options[] = {
    TOOL_NUMBER("keep", 0, struct settings, keep, 1),
    TOOL_NUMBER("before", 0, struct settings, before, 1),
    TOOL_FLAG("force", 'f', struct settings, force),
    TOOL_FLAG("verbose", 'v', struct settings, verbose),
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionrm",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = more_help,
                                 .operands = 1,
                                 .more_operands = 1};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    int status = tool_parse(&tool, argc, argv, &settings), i;
    int of_generations = settings.keep > 0 || settings.before > 0;

    if (status != TOOL_RUN)
        return tool_finish(status);
    if (of_generations && settings.force) {
        tool_error("-f removes whole containers, --keep and --before their generations");
        return tool_finish(TOOL_USAGE);
    }
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    status = TOOL_DONE;
    for (i = optind; i < argc; i++) {
        int one = of_generations ? forget(argv[i], &settings) : remove_one(argv[i], &settings);

        if (one != TOOL_RUN)
            status = TOOL_FAILED;
    }
    return tool_finish(status);
}
