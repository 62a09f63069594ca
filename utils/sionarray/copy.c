/* sionarray copy: a container with the same arrays, whose blocks are compressed in another way. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "array/numbers.h"
#include "base/byteorder.h"
#include "base/error.h"
#include "base/memory.h"
#include "lib/builder.h"
#include "lib/input.h"
#include "lib/output.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "sionarray/commands.h"
#include "sionarray/copy.h"
#include "vfs/path.h"

/* ---- which codec ---- */

static int names_codec(const char *text)
{
    return strncmp(text, "none", 4) == 0 || strncmp(text, "zstd", 4) == 0 ||
           strncmp(text, "zfp:", 4) == 0;
}

/* The "=" between the name of an array and its codec; NULL: it is of all arrays. */
static const char *find_equals(const char *text)
{
    const char *found = NULL, *at;

    for (at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
        if (names_codec(at + 1))
            found = at;
    }
    return found || names_codec(text) ? found : strrchr(text, '=');
}

static int choose(const struct recoder *recoder, const struct scion_array *array, const char *codec)
{
    struct recoding *recoding = &recoder->recodings[array->number];
    int rc = scion_array_find_packing(codec, &array->definition, &recoding->packing);

    recoding->is_changed = 1;
    return rc == 0 ? scion_array_need_codec(recoding->packing.coding.codec) : rc;
}

static int choose_by(const struct recoder *recoder, const char *text)
{
    const char *equals = find_equals(text);
    const struct scion_array_index *index = recoder->arrays->index;
    const struct scion_array *array;
    uint32_t i;
    int rc = 0;

    for (i = 0; !equals && i < index->narrays && rc == 0; i++)
        rc = choose(recoder, index->arrays[i], text);
    if (!equals)
        return rc;
    array = scion_array_index_find(index, text, (size_t)(equals - text));
    return array ? choose(recoder, array, equals + 1)
                 : scion_fail(SION_ERR_ARGUMENT, "there is no array %.*s", (int)(equals - text),
                              text);
}

/* One index says one codec of an array, and plain blocks may be among its blocks. */
static int keep_coding(const struct recoder *recoder, const struct scion_array_block_entry *block)
{
    const struct scion_array_index *index = recoder->arrays->index;
    const struct scion_array_coding coding = scion_array_index_stored(index, block).coding;
    struct recoding *recoding = &recoder->recodings[block->array];
    struct scion_array_coding *kept = &recoding->packing.coding;

    if (recoding->is_changed || coding.codec == SCION_ARRAY_PLAIN)
        return 0;
    if (kept->codec != SCION_ARRAY_PLAIN &&
        (kept->codec != coding.codec || kept->shuffle != coding.shuffle))
        return scion_fail(SION_ERR_ARGUMENT,
                          "array %.200s: some of its blocks have the codec %s, and some %s: choose "
                          "one (--codec)",
                          index->arrays[block->array]->definition.name,
                          scion_array_coding_text(kept), scion_array_coding_text(&coding));
    recoding->packing = (struct scion_array_packing){.coding = coding, .level = 1};
    return 0;
}

static int choose_all(const struct recoder *recoder, const struct array_settings *settings)
{
    int rc = 0, i;
    uint32_t b;

    for (i = 0; i < settings->ncodecs && rc == 0; i++)
        rc = choose_by(recoder, settings->codecs[i]);
    for (b = 0; b < recoder->arrays->index->nblocks && rc == 0; b++)
        rc = keep_coding(recoder, &recoder->arrays->index->blocks[b]);
    return rc;
}

/* ---- which blocks ---- */

static int compare(const void *a, const void *b)
{
    const struct placed *one = a, *two = b;

    if (one->task != two->task)
        return one->task < two->task ? -1 : 1;
    return (one->position > two->position) - (one->position < two->position);
}

static void sort_blocks(const struct scion_array_index *index, uint32_t *first,
                        struct placed *blocks)
{
    uint32_t i;

    for (i = 0; i < index->nblocks; i++) {
        const struct scion_array_block_entry *block = &index->blocks[i];

        first[block->task + 1]++;
        blocks[i] = (struct placed){block->position, block->task, i};
    }
    for (i = 0; i < (uint32_t)index->ntasks; i++)
        first[i + 1] += first[i];
    qsort(blocks, index->nblocks, sizeof *blocks, compare);
}

static int prepare(struct recoder *recoder, const struct array_settings *settings)
{
    const struct scion_array_index *index = recoder->arrays->index;
    uint32_t *first = calloc((size_t)index->ntasks + 2, sizeof *first);
    struct placed *blocks = scion_array((uint64_t)index->nblocks + 1, sizeof *blocks);
    char text[SCION_ERROR_TEXT];
    int rc = 0, t;

    recoder->first = first;
    recoder->blocks = blocks;
    recoder->recodings = calloc((size_t)index->narrays + 1, sizeof *recoder->recodings);
    if (!first || !blocks || !recoder->recodings)
        return scion_fail_memory("blocks");
    if (scion_arrays_damage(recoder->arrays, text))
        return scion_fail(SION_ERR_DAMAGED, "%s", text);
    rc = choose_all(recoder, settings);
    sort_blocks(index, first, blocks);
    for (t = 0; t < index->ntasks && rc == 0; t++)
        rc = recode_check(recoder, t);
    return rc;
}

/* ---- a container in which each task has as much room as it may need ---- */

struct draft {
    char *folder, *name;
    int ntasks;
    int *numbers; /* [ntasks] by which arrays name the tasks */
};

static int fill_draft(struct recoder *recoder, const struct draft *draft, int sid)
{
    int rc = recode_define(recoder, sid), t;

    for (t = 0; t < draft->ntasks && rc == 0; t++) {
        if (sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) != SION_SUCCESS)
            return sion_error_code();
        if (draft->numbers[t] == 0)
            rc = recode_attributes(recoder, sid);
        if (rc == 0)
            rc = recode_blocks(recoder, sid, draft->numbers[t]);
    }
    return rc;
}

/* What the environment wants of containers is not for this one. */
static int write_draft(struct recoder *recoder, struct draft *draft, int *ranks, sion_int64 *chunks)
{
    static const char mode[] = "bw,keyval=none,compress=none,sync=none,lock=no,"
                               "recover=none,atomic=none,publish=none,stage=none";
    sion_int32 fsblksize = 4096;
    int nfiles = 1, t, rc, sid;

    for (t = 0; t < draft->ntasks; t++)
        chunks[t] = recode_room(recoder, draft->numbers[t]);
    sid = sion_open(draft->name, mode, &draft->ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
    if (sid < 0)
        return sion_error_code();
    rc = fill_draft(recoder, draft, sid);
    return sion_close(sid) != SION_SUCCESS && rc == 0 ? sion_error_code() : rc;
}

static int number_tasks(const struct input *input, struct draft *draft, int *ranks)
{
    sion_int64 *globalranks = scion_array((size_t)input->ntasks, sizeof *globalranks);
    int t;

    if (!globalranks)
        return scion_fail_memory("tasks");
    for (t = 0; t < input->ntasks; t++) {
        globalranks[t] = input_globalrank(input, t);
        ranks[t] = (int)globalranks[t];
    }
    scion_array_number_tasks(globalranks, input->ntasks, draft->numbers);
    free(globalranks);
    return 0;
}

static int make_draft(struct recoder *recoder, const struct input *input, const char *output,
                      struct draft *draft)
{
    size_t n = (size_t)input->ntasks;
    int *ranks = scion_array(n, sizeof *ranks), rc = 0, errnum;
    sion_int64 *chunks = scion_array(n, sizeof *chunks);

    draft->ntasks = input->ntasks;
    draft->numbers = scion_array(n, sizeof *draft->numbers);
    draft->folder = scion_path_beside(output);
    draft->name = draft->folder ? scion_path_new(draft->folder, "arrays") : NULL;
    if (!ranks || !chunks || !draft->numbers || !draft->name)
        rc = scion_fail_memory("copy");
    errnum = rc == 0 ? scion_make_private_folder(draft->folder) : 0;
    if (errnum != 0)
        rc = scion_fail_errno(errnum, "cannot write %s", output);
    if (rc == 0)
        rc = number_tasks(input, draft, ranks);
    if (rc == 0)
        rc = write_draft(recoder, draft, ranks, chunks);
    free(ranks);
    free(chunks);
    return rc;
}

static void remove_draft(struct draft *draft)
{
    if (draft->name) {
        scion_file_remove(draft->name);
        (void)scion_remove_folder(draft->folder);
    }
    free(draft->name);
    free(draft->folder);
    free(draft->numbers);
}

/* ---- the container ---- */

static int move_task(const struct input *input, struct builder *builder, int task, char *piece)
{
    sion_int64 count = input_count(input, task), chunk, at, pos = 0;
    int status = TOOL_RUN;

    for (chunk = 0; chunk < count && status == TOOL_RUN; chunk++) {
        sion_int64 used = input_used(input, task, chunk), part;

        for (at = 0; at < used && status == TOOL_RUN; at += part, pos += part) {
            part = used - at < COPY_PIECE ? used - at : COPY_PIECE;
            status = input_read(input, task, chunk, at, piece, (size_t)part);
            if (status == TOOL_RUN)
                status = builder_write(builder, task, pos, piece, (size_t)part);
        }
    }
    return status;
}

/* One chunk of each task, as long as what it has. */
static int move(const struct input *draft, const char *name, mode_t permissions)
{
    size_t n = (size_t)draft->ntasks;
    struct builder_plan plan = {.name = name,
                                .ntasks = draft->ntasks,
                                .keyval = SION_KEYVAL_NONE,
                                .big_endian = scion_host_is_big(),
                                .permissions = permissions,
                                .used = scion_array(n, sizeof *plan.used),
                                .globalranks =
                                    scion_container_file(draft->container, 0)->globalranks};
    char *piece = malloc(COPY_PIECE);
    struct builder builder;
    int status = plan.used && piece ? TOOL_RUN : TOOL_FAILED, t;

    if (status != TOOL_RUN)
        tool_error("out of memory");
    for (t = 0; t < draft->ntasks && status == TOOL_RUN; t++)
        plan.used[t] = input_bytes(draft, t);
    if (status == TOOL_RUN)
        status = builder_create(&builder, &plan);
    else
        free(plan.used);
    if (status == TOOL_RUN) {
        for (t = 0; t < draft->ntasks && status == TOOL_RUN; t++)
            status = move_task(draft, &builder, t, piece);
        status = builder_end(&builder, status);
    }
    free(piece);
    return status;
}

static int move_draft(const struct draft *draft, const char *name, mode_t permissions)
{
    struct input input;
    int status = input_open_tables(draft->name, &input); /* --generation is of the input */

    return status == TOOL_RUN ? input_close(&input, move(&input, name, permissions)) : status;
}

static int copy(struct recoder *recoder, const struct array_settings *settings,
                const struct input *input, const char *output)
{
    struct draft draft = {.name = NULL};
    int rc = prepare(recoder, settings), status = TOOL_FAILED;

    if (rc == 0)
        rc = make_draft(recoder, input, output, &draft);
    progress_end(&recoder->progress);
    if (rc == 0)
        status = move_draft(&draft, output, input_permissions(input));
    else
        array_failed(input->name);
    remove_draft(&draft);
    return status;
}

static void free_recoder(struct recoder *recoder)
{
    free(recoder->recodings);
    free(recoder->first);
    free(recoder->blocks);
    free(recoder->buffer);
    scion_array_packer_free(recoder->packer);
    sion_array_reader_close(recoder->arrays);
}

static sion_int64 bytes_of_all(const struct scion_array_index *index)
{
    sion_int64 bytes = 0;
    uint32_t i;

    for (i = 0; i < index->narrays; i++)
        bytes += index->arrays[i]->bytes;
    return bytes;
}

int array_copy(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct recoder recoder = {.arrays = array_open_blocks(operands[0])};
    struct input input;
    int status = recoder.arrays ? input_open(operands[0], &input) : TOOL_FAILED;

    (void)n;
    if (status == TOOL_RUN) {
        progress_start(&recoder.progress, bytes_of_all(recoder.arrays->index), 0);
        status = input_close(&input, output_is_input(operands[1], &input)
                                         ? TOOL_FAILED
                                         : copy(&recoder, settings, &input, operands[1]));
    }
    free_recoder(&recoder);
    return status == TOOL_RUN ? TOOL_DONE : status;
}
