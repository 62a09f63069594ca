/* sionscr dump: trees of keys as text. */
#include <stdio.h>

#include "sion_scr.h"

#include "lib/message.h"
#include "sionscr/commands.h"
#include "scr/kvtree/kvtree.h"
#include "vfs/path.h"

struct dump {
    const struct scr_settings *settings;
    const char *path;
    sion_int64 offset; /* of the next record */
    sion_int64 size;   /* of the file */
    int printed;       /* records */
};

/* TOOL_RUN: there are no more records. */
static int print_record(struct dump *dump)
{
    sion_kvtree *tree;
    sion_int64 used;

    int rc = scion_kvtree_read_at(dump->path, dump->offset, &tree, &used);

    if (rc == SION_ERR_NOT_SION && dump->printed > 0)
        return TOOL_RUN;
    if (rc != 0) {
        tool_error("%s", sion_error_text());
        return TOOL_FAILED;
    }
    if (dump->printed++ > 0 && !dump->settings->json)
        putchar('\n');
    if (dump->settings->json)
        sion_kvtree_print_json(tree, stdout);
    else
        sion_kvtree_print(tree, stdout);
    sion_kvtree_free(tree);
    dump->offset += used;
    return TOOL_DONE;
}

static sion_int64 size_of(const char *path)
{
    struct stat status;

    return scion_path_status(path, &status) == 0 ? status.st_size : -1;
}

static int dump_file(struct dump *dump)
{
    int status;

    do
        status = print_record(dump);
    while (status == TOOL_DONE && dump->settings->all && dump->offset < dump->size);
    if (status != TOOL_FAILED && dump->offset < dump->size)
        tool_error("%s: %lld more bytes after the %s record", dump->path, dump->size - dump->offset,
                   dump->settings->all ? "last" : "first");
    return status == TOOL_RUN ? TOOL_DONE : status;
}

int scr_dump(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    int i, status = TOOL_DONE;

    for (i = 0; i < n; i++) {
        struct dump dump = {.settings = settings, .path = operands[i]};

        dump.size = size_of(operands[i]);
        if (dump_file(&dump) != TOOL_DONE)
            status = TOOL_FAILED;
    }
    return status;
}
