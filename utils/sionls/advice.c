#include "sionls/advice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/json.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "vfs/path.h"

enum { LUSTRE_SIZE = 1 << 20, LUSTRE_UNIT = 1 << 16 }; /* its default, and what a stripe has */

static int is_plain(const char *text)
{
    size_t length;

    while ((length = scion_plain_length(text)) > 0)
        text += length;
    return !*text;
}

/* As a format of printf that has no special characters. */
static void put_numbers(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (isalnum((unsigned char)*text) || strchr("/._", *text))
            fputc(*text, to);
        else
            fprintf(to, "\\%03o", (unsigned char)*text);
    }
}

/* As a shell takes it. A newline in quotes would end the comment that some commands stand in. */
static void put_quoted(FILE *to, const char *text, const char *behind)
{
    if (!is_plain(text)) {
        fputs("\"$(printf '", to);
        put_numbers(to, text);
        fprintf(to, "%s')\"", behind);
        return;
    }
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    }
    fprintf(to, "%s'", behind);
}

static void put_name(FILE *to, const char *name)
{
    char *line = text_escaped(name);

    fprintf(to, "# %s: ", line ? line : "");
    free(line);
}

/* ---- folders ---- */

static void put_kind(FILE *to, const struct scion_storage *storage)
{
    char size[TEXT_SIZE];

    if (storage->kind != SCION_STORAGE_OTHER)
        fputs(storage->name, to);
    else
        fprintf(to, "file system of type 0x%lx", (unsigned long)storage->type & 0xffffffffUL);
    if (storage->stripe_size > 0)
        fprintf(to, ", stripes of %s", text_size(size, storage->stripe_size));
    else if (storage->block > 0)
        fprintf(to, ", blocks of %s", text_size(size, storage->block));
    if (storage->stripe_count > 0)
        fprintf(to, " on %d target%s", storage->stripe_count, text_plural(storage->stripe_count));
    else if (storage->stripe_count < 0)
        fputs(" on all targets", to);
    fputc('\n', to);
}

/* Stripes that blocks of containers can have as well, in units that Lustre takes. */
static sion_int64 stripe_to_set(const struct scion_storage *storage)
{
    sion_int64 size = storage->stripe_size > 0 ? storage->fsblksize : LUSTRE_SIZE;

    return size % LUSTRE_UNIT == 0 ? size : LUSTRE_SIZE;
}

static void put_striping(FILE *to, const char *folder, const struct scion_storage *storage)
{
    sion_int64 size = stripe_to_set(storage);

    fprintf(to, "# One file over all targets; for files that are made from now on:\n");
    fprintf(to, "lfs setstripe -S %lld -c -1 ", size);
    put_quoted(to, folder, "");
    fprintf(to,
            "\nnfiles=1\n"
            "# Or, for more than some ten thousand tasks, a file on each target:\n"
            "#   lfs setstripe -S %lld -c 1 ",
            size);
    put_quoted(to, folder, "");
    fprintf(to, "\n#   nfiles=$(lfs df ");
    put_quoted(to, folder, "");
    fprintf(to, " | grep -c OST)\n");
}

void advice_print(FILE *to, const char *folder, const struct scion_storage *storage)
{
    char size[TEXT_SIZE];

    put_name(to, folder);
    put_kind(to, storage);
    fprintf(to, "# New containers take blocks of %s; chunks of a multiple of that waste nothing.\n",
            text_size(size, storage->fsblksize));
    fprintf(to, "fsblksize=%d\n", storage->fsblksize);
    if (storage->kind == SCION_STORAGE_LUSTRE) {
        put_striping(to, folder, storage);
        return;
    }
    fprintf(to, "# There is no striping to set%s\n",
            storage->kind == SCION_STORAGE_BEEGFS ? " but by its administrator." : ".");
    fprintf(to, "nfiles=1\n");
}

/* ---- containers ---- */

/* Tasks write to one block of the file system, or some of them in many pieces. */
static int is_unaligned(const struct input *input, const struct scion_storage *storage)
{
    return input->ntasks > 1 && input->fsblksize % storage->fsblksize != 0;
}

void advice_print_container(FILE *to, const struct input *input,
                            const struct scion_storage *storage)
{
    char size[TEXT_SIZE];

    put_name(to, input->name);
    fprintf(to, "%d task%s, blocks of %s, at most %d chunk%s a task\n", input->ntasks,
            text_plural(input->ntasks), text_size(size, input->fsblksize), input->maxchunks,
            text_plural(input->maxchunks));
    if (is_unaligned(input, storage))
        fprintf(to, "# Chunks of several tasks share blocks of the file system.\n");
    if (input->maxchunks > 1)
        fprintf(to, "# Larger chunks would keep the data of each task together.\n");
    if (!is_unaligned(input, storage) && input->maxchunks <= 1) {
        fprintf(to, "# It is good as it is.\n");
        return;
    }
    fprintf(to, "siondefrag -q %d ", storage->fsblksize);
    put_quoted(to, input->name, "");
    fputc(' ', to);
    put_quoted(to, input->name, ".new");
    fputc('\n', to);
}

static int look_at(const char *name, struct scion_storage *storage)
{
    if (scion_storage_of(name, storage) == 0)
        return TOOL_RUN;
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

int advise(char *name)
{
    struct scion_storage storage;
    struct stat status;
    struct input input;
    int result = look_at(name, &storage);

    if (result != TOOL_RUN)
        return result;
    if (scion_path_status(name, &status) == 0 && S_ISDIR(status.st_mode)) {
        advice_print(stdout, name, &storage);
        return TOOL_RUN;
    }
    result = input_open(name, &input);
    if (result != TOOL_RUN)
        return result;
    advice_print_container(stdout, &input, &storage);
    return input_close(&input, TOOL_RUN);
}
