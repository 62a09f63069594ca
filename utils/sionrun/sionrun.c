/* sionrun: run a program whose files become one container. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/memory.h"
#include "lib/tool.h"
#include "sionrun/child.h"
#include "sionrun/drains.h"
#include "sionrun/folder.h"
#include "sionrun/later.h"
#include "sionrun/namespace.h"
#include "sionrun/pack.h"

enum { PATIENCE = 300 };

static const char usage[] =
    "Usage: %s -o <container> --files=<pattern> [options] [--] <program> ...\n"
    "       sionrun --pack <folder> ...\n\n"
    "Runs the program; the files that match a pattern become one container.\n\n"
    "Options:\n"
    "  [-o <container>] what the files become\n"
    "  [-i <container>] also show the files of this container, made by sionrun before\n"
    "  [-V]             show version\n"
    "  [-h]             show this help\n";

static const char more_help[] =
    "  --files=<pattern>  files and folders, relative to the root; **: any folders\n"
    "  --except=<pattern> of these, those that are left where they are\n"
    "  --root=<folder>  to which patterns are relative: the working folder\n"
    "  --stage=<folder> of this node, where the files are until the end\n"
    "  --namespace      without a library that redirects calls: mount the folder for\n"
    "                   staging over folders, also for static programs\n"
    "  --by=process|node\n"
    "                   without MPI: a stream for each process, or one for each node\n"
    "  --pack-on=<signal>\n"
    "                   also make a container when this signal comes, as USR1\n"
    "  --pack-when=<pattern>\n"
    "                   also make one when a file of these names has been closed\n"
    "  --checksum       with checksums\n"
    "  --recover        with commit records, for sionrecover\n"
    "  --wait=<seconds> wait so long for a node that says nothing (300)\n"
    "  --drain          pack on the node, and copy the container from there meanwhile\n"
    "  --leave          end with the program: --pack makes the container later,\n"
    "                   or, with --drain, siondrain copies it\n"
    "  --pack           make the containers of the jobs that have left folders here\n"
    "  --reduced        with --pack: go on without nodes that are lost\n"
    "  --list           tell what jobs have left\n"
    "  --discard        remove what they have left\n" TOOL_PROGRESS_HELP;

/* ---- options ---- */

static int read_texts(const struct tool_option *option, const char *value, void *member)
{
    struct texts *texts = member;
    const char **grown = scion_array_grown(texts->text, (uint64_t)texts->n + 2, sizeof *grown);

    if (!*value) {
        tool_error("%s takes a name", tool_spelling(option));
        return TOOL_USAGE;
    }
    if (!grown) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    grown[texts->n++] = value;
    grown[texts->n] = NULL;
    texts->text = grown;
    return TOOL_RUN;
}

static int read_signal(const struct tool_option *option, const char *value, void *member)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}};
    const char *name = strncmp(value, "SIG", 3) == 0 ? value + 3 : value;
    size_t i;

    for (i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (strcmp(name, signals[i].name) == 0) {
            *(int *)member = signals[i].number;
            return TOOL_RUN;
        }
    }
    tool_error("--%s takes USR1, USR2 or HUP, not '%s'", option->name, value);
    return TOOL_USAGE;
}

static int read_by(const struct tool_option *option, const char *value, void *member)
{
    *(int *)member = strcmp(value, "node") == 0;
    if (*(int *)member || strcmp(value, "process") == 0)
        return TOOL_RUN;
    tool_error("--%s takes process or node, not '%s'", option->name, value);
    return TOOL_USAGE;
}

static const struct tool_option options[] = {
    TOOL_NAME("output", 'o', struct settings, output),
    {"input", 'i', read_texts, offsetof(struct settings, inputs), 0},
    {"files", 0, read_texts, offsetof(struct settings, files), 0},
    {"except", 0, read_texts, offsetof(struct settings, except), 0},
    {"pack-when", 0, read_texts, offsetof(struct settings, when), 0},
    {"pack-on", 0, read_signal, offsetof(struct settings, signal), 0},
    {"by", 0, read_by, offsetof(struct settings, by_node), 0},
    TOOL_TEXT("root", 0, struct settings, root),
    TOOL_TEXT("stage", 0, struct settings, stage),
    TOOL_NUMBER("wait", 0, struct settings, wait, 1),
    TOOL_FLAG("checksum", 0, struct settings, checksum),
    TOOL_FLAG("recover", 0, struct settings, recover),
    TOOL_FLAG("drain", 0, struct settings, drain),
    TOOL_FLAG("namespace", 0, struct settings, namespace),
    TOOL_FLAG("leave", 0, struct settings, leave),
    TOOL_FLAG("pack", 0, struct settings, pack),
    TOOL_FLAG("reduced", 0, struct settings, reduced),
    TOOL_FLAG("list", 0, struct settings, list),
    TOOL_FLAG("discard", 0, struct settings, discard),
    TOOL_PROGRESS_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionrun",
                                 .usage = usage,
                                 .options = options,
                                 .more_help = more_help,
                                 .operands = 1,
                                 .more_operands = 1,
                                 .runs_operands = 1};

static int is_later(const struct settings *settings)
{
    return settings->pack || settings->list || settings->discard;
}

static int check(const struct settings *settings)
{
    if (settings->pack + settings->list + settings->discard > 1)
        tool_error("only one of --pack, --list and --discard can be used");
    else if (is_later(settings) && (settings->output || settings->files.n > 0))
        tool_error("--pack, --list and --discard take folders, and the jobs there know the rest");
    else if (settings->reduced && !settings->pack)
        tool_error("--reduced goes with --pack");
    else if (settings->leave && (is_later(settings) || !settings->output))
        tool_error("--leave goes with a program and -o");
    else if (settings->drain && (is_later(settings) || !settings->output))
        tool_error("--drain goes with a program and -o");
    else if (!is_later(settings) && !settings->output && settings->inputs.n == 0)
        tool_error("-o says which container the files become: see sionrun --help");
    else if (!is_later(settings) && settings->files.n == 0)
        tool_error("--files says which files the container has: see sionrun --help");
    else
        return settings->namespace ? namespace_check(settings) : TOOL_RUN;
    return TOOL_USAGE;
}

/* ---- run ---- */

struct run {
    const struct settings *settings;
    struct folder folder;
};

static void pack_now(void *context)
{
    const struct run *run = context;

    pack_meanwhile(&run->folder, run->settings);
}

static int is_wanted(void *context)
{
    const struct run *run = context;

    return pack_is_wanted(&run->folder);
}

/* The program could not even be started. */
static int give_up(const struct folder *folder, int status)
{
    folder_remove(folder);
    return status;
}

/* The job does not wait until they are packed. */
static int leave(const struct folder *folder)
{
    tool_warning("the files stay in %s until 'sionrun --pack' makes %s of them", folder->path,
                 folder->output);
    return TOOL_RUN;
}

/* The program's exit status, unless that is good and the files could not be packed. */
static int run_program(struct run *run, char **program)
{
    const struct settings *settings = run->settings;
    char *pipe = settings->when.n > 0 ? folder_file(&run->folder, "notify") : NULL;
    const struct child_events events = {
        .signal = settings->signal,
        .pipe = pipe,
        .pack = pack_now,
        .is_wanted = run->folder.is_numbered && run->folder.size > 1 ? is_wanted : NULL,
        .context = run};
    int leads, exit_status = 0, status = child_run(&run->folder, program, &events, &exit_status);

    free(pipe);
    if (folder_leave(&run->folder, exit_status, &leads) != TOOL_RUN)
        status = TOOL_FAILED;
    if (leads > 0)
        namespace_end(&run->folder);
    if (leads < 0)
        status = TOOL_FAILED;
    else if (leads)
        status = status != TOOL_RUN                    ? give_up(&run->folder, status)
                 : settings->leave && !settings->drain ? leave(&run->folder)
                                                       : pack_at_end(&run->folder, settings);
    if (settings->drain && drains_end(settings->leave) != TOOL_RUN)
        status = TOOL_FAILED;
    if (exit_status != 0)
        return exit_status;
    return status == TOOL_RUN ? TOOL_DONE : status;
}

static int run(const struct settings *settings, char **program)
{
    struct run run = {.settings = settings};
    int status = child_check(program[0], settings->namespace);

    /* Not when the program has run for hours. */
    if (status == TOOL_RUN && settings->checksum && !scion_crc_find()) {
        scion_crc_missing();
        tool_error("%s", scion_error_text());
        return TOOL_FAILED;
    }
    if (status == TOOL_RUN)
        status = folder_join(&run.folder, settings);
    return status == TOOL_RUN ? run_program(&run, program) : status;
}

int main(int argc, char **argv)
{
    struct settings settings = {.root = ".", .wait = PATIENCE};
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN)
        status = check(&settings);
    if (status == TOOL_RUN)
        status = is_later(&settings) ? later(argv + optind, argc - optind, &settings)
                                     : run(&settings, argv + optind);
    free(settings.inputs.text);
    free(settings.files.text);
    free(settings.except.text);
    free(settings.when.text);
    return tool_finish(status);
}
