#include "lib/input.h"

#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "base/checked.h"
#include "base/error.h"
#include "file/unzip.h"
#include "vfs/path.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "recover/recover.h"

/* File and index in it of a task. */
static const struct scion_physical *find(const struct input *input, int task, int *lrank)
{
    int file;

    scion_container_locate(input->container, task, &file, lrank);
    return scion_container_file(input->container, file);
}

sion_int64 input_chunksize(const struct input *input, int task)
{
    int lrank;
    const struct scion_physical *file = find(input, task, &lrank);

    return file->chunksizes[lrank];
}

sion_int64 input_globalrank(const struct input *input, int task)
{
    int lrank;
    const struct scion_physical *file = find(input, task, &lrank);

    return file->globalranks[lrank];
}

sion_int64 input_count(const struct input *input, int task)
{
    int lrank;
    const struct scion_physical *file = find(input, task, &lrank);

    return file->counts[lrank];
}

sion_int64 input_used(const struct input *input, int task, sion_int64 chunk)
{
    int lrank;
    const struct scion_physical *file = find(input, task, &lrank);

    if (input->is_set && chunk >= file->counts[lrank])
        return -1;
    return file->used[(size_t)chunk * (size_t)file->head.ntasks + (size_t)lrank];
}

sion_int64 input_offset(const struct input *input, int task, sion_int64 chunk)
{
    int lrank;
    const struct scion_physical *file = find(input, task, &lrank);

    return file->starts[lrank] + chunk * file->layout.globalskip;
}

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* ---- damaged tasks ---- */

const struct scion_damage *input_damage(const struct input *input, int task)
{
    return scion_container_damage(input->container, task);
}

int input_leaves_out(const struct input *input, int task)
{
    const struct scion_damage *damage = input_damage(input, task);
    int lrank;

    if (!damage)
        return 0;
    scion_damage_fail(damage, find(input, task, &lrank)->path);
    tool_error("%s", scion_error_text());
    tool_note_left_out();
    return 1;
}

int input_read(const struct input *input, int task, sion_int64 chunk, sion_int64 pos, void *to,
               size_t bytes)
{
    return scion_container_read_chunk(input->container, task, chunk, pos, to, bytes) == 0
               ? TOOL_RUN
               : failed();
}

int input_run(const struct input *input, int task, sion_int64 chunk, sion_int64 pos,
              sion_int64 *run, int *is_hole)
{
    return scion_container_find_run(input->container, task, chunk, pos, run, is_hole) == 0
               ? TOOL_RUN
               : failed();
}

enum { TIMES_DATA = 8 };
static const sion_int64 gigabyte = 1 << 30;

static int count_data(const struct input *input, int task, sion_int64 chunk, sion_int64 *data)
{
    sion_int64 used = input_used(input, task, chunk), pos, run;
    int is_hole = 1, status = TOOL_RUN;

    for (pos = 0; pos < used && status == TOOL_RUN; pos += run) {
        run = used - pos;
        status = input_run(input, task, chunk, pos, &run, &is_hole);
        if (!is_hole)
            *data += run;
    }
    return status;
}

int input_check_holes(const struct input *input)
{
    sion_int64 data = 0, enough = (input->total - gigabyte) / TIMES_DATA, chunk;
    int task, status = TOOL_RUN;

    if (input->total <= gigabyte || tool_is_forced())
        return TOOL_RUN;
    for (task = 0; task < input->ntasks && data < enough; task++) {
        for (chunk = 0; chunk < input_count(input, task) && status == TOOL_RUN; chunk++)
            status = count_data(input, task, chunk, &data);
    }
    if (status != TOOL_RUN || data >= enough)
        return status;
    tool_error("%s says that it has %lld bytes, but all except %lld are holes: use --force to take "
               "them for data",
               input->name, input->total, data);
    return TOOL_FAILED;
}

int input_check_tasks(const struct input *input, const struct numbers *tasks)
{
    return numbers_check(tasks, input->ntasks);
}

int input_check_keyval(const struct input *input)
{
    if (input->keyval == SION_KEYVAL_INLINE)
        return TOOL_RUN;
    tool_error("%s has no key-value records, of which --keys could choose", input->name);
    return TOOL_FAILED;
}

sion_int64 input_bytes_of(const struct input *input, const struct numbers *tasks)
{
    sion_int64 bytes = 0;
    int task;

    for (task = 0; task < input->ntasks; task++)
        bytes += numbers_have(tasks, (uint64_t)task) ? input_bytes(input, task) : 0;
    return bytes;
}

static int add(struct input *input, int task, sion_int64 used)
{
    if ((input->bytes && scion_add(input->bytes[task], used, &input->bytes[task])) ||
        scion_add(input->total, used, &input->total)) {
        tool_error("%s holds more than 2^63-1 bytes", input->name);
        return TOOL_FAILED;
    }
    return TOOL_RUN;
}

/* Chunk by chunk: so the table is walked in the order in which it is in memory. */
static int add_up(struct input *input)
{
    sion_int64 chunk;
    int task, status = TOOL_RUN;

    if (input->maxchunks > 1) {
        input->bytes = calloc((size_t)input->ntasks, sizeof *input->bytes);
        if (!input->bytes) {
            tool_error("out of memory for %d tasks of %s", input->ntasks, input->name);
            return TOOL_FAILED;
        }
    }
    for (chunk = 0; chunk < input->maxchunks; chunk++) {
        for (task = 0; task < input->ntasks && status == TOOL_RUN; task++) {
            if (chunk < input_count(input, task))
                status = add(input, task, input_used(input, task, chunk));
        }
    }
    return status;
}

/* The numbers are those that sion_open and the queries of SIONlib give. */
static void look_up(struct input *input)
{
    const struct scion_container *container = input->container;

    input->is_set = scion_container_mapping(container) != NULL;
    input->sid = input->is_set;
    input->ntasks = scion_container_ntasks(container);
    input->nfiles = scion_container_nfiles(container);
    input->keyval = scion_container_keyval_mode(container);
    input->maxchunks = scion_container_maxchunks(container);
    input->head = &scion_container_file(container, 0)->head;
    input->is_merged = scion_container_file(container, 0)->members_at > 0;
    input->fsblksize = input->head->fsblksize;
    input->start_of_varheader = scion_container_file(container, 0)->start_of_varheader;
}

static const struct scion_mode mode = {.access = SCION_ACCESS_READ, .posix = 1};
static const struct scion_mode by_members = {.access = SCION_ACCESS_READ, .posix = 1, .merge = 1};
static const struct scion_mode as_stored = {
    .access = SCION_ACCESS_READ, .posix = 1, .merge = 1, .compress = SCION_COMPRESS_STORED};

static const struct scion_mode as_in_file = {.access = SCION_ACCESS_READ,
                                             .posix = 1,
                                             .compress = SCION_COMPRESS_STORED,
                                             .all_generations = 1};
static struct scion_mode chosen; /* which generation */

int input_read_generation(const struct tool_option *option, const char *value, void *into)
{
    char text[64];

    (void)into;
    snprintf(text, sizeof text, "rb,generation=%s", value);
    if (strlen(value) < 32 && !strchr(value, ',') && scion_mode_parse(text, &chosen) == 0)
        return TOOL_RUN;
    tool_error("%s takes latest, all, a number, or -1 for the one before the latest, not '%s'",
               tool_spelling(option), value);
    return TOOL_USAGE;
}

const struct scion_mode *input_generation(void)
{
    return &chosen;
}

static int open_by(const struct scion_mode *how, char *name, struct input *input)
{
    const struct input nothing = {.name = name};
    struct scion_mode wanted = *how;
    int rc = scion_name_check(name);

    wanted.generation = chosen.generation;
    wanted.all_generations |= chosen.all_generations;

    *input = nothing;
    if (rc == 0)
        rc = scion_container_open_metadata(name, &wanted, &input->container);
    if (rc != 0)
        return failed();
    tool_print_warnings();
    look_up(input);
    return add_up(input) == TOOL_RUN ? TOOL_RUN : input_close(input, TOOL_FAILED);
}

static int view(struct scion_salvage *salvage, struct input *input)
{
    if (salvage->evidence == SCION_EVIDENCE_HOLES) {
        tool_error("%s has no commit records, only an upper bound is known: see sionrecover",
                   salvage->name);
        return TOOL_FAILED;
    }
    if (scion_salvage_view(salvage, &mode, &input->container) != 0)
        return failed();
    if (scion_container_unzip_all(input->container) == 0)
        return TOOL_RUN;
    scion_container_close(input->container);
    return failed();
}

int input_open(char *name, struct input *input)
{
    return open_by(&mode, name, input);
}

int input_open_members(char *name, struct input *input)
{
    return open_by(&by_members, name, input);
}

int input_open_stored(char *name, struct input *input)
{
    return open_by(&as_stored, name, input);
}

int input_open_tables(char *name, struct input *input)
{
    return open_by(&as_in_file, name, input);
}

int input_is_zipped(const struct input *input)
{
    return scion_container_is_zipped(input->container);
}

int input_open_recovered(char *name, struct input *input)
{
    struct scion_salvage *salvage;
    int status;

    *input = (struct input){.name = name};
    if (scion_salvage_open(name, 0, &salvage) != 0)
        return failed();
    status = view(salvage, input);
    scion_salvage_free(salvage);
    if (status != TOOL_RUN)
        return status;
    tool_print_warnings();
    look_up(input);
    return add_up(input) == TOOL_RUN ? TOOL_RUN : input_close(input, TOOL_FAILED);
}

int input_close(struct input *input, int status)
{
    int rc = scion_container_close(input->container);

    free(input->bytes);
    return rc == 0 || status == TOOL_FAILED ? status : failed();
}

int input_includes(const struct input *input, const struct stat *file)
{
    int i;

    for (i = 0; i < scion_container_nopen(input->container); i++) {
        if (scion_path_is(scion_container_file(input->container, i)->path, file))
            return 1;
    }
    return 0;
}

mode_t input_permissions(const struct input *input)
{
    return scion_path_permissions(input->name);
}

void input_report_name(const struct input *input, FILE *to)
{
    tool_line(to, TOOL_LABEL, "sid:", "%d", input->sid);
    tool_line(to, TOOL_LABEL, "filename:", "%-30s", input->name);
}

void input_report_keyval(const struct input *input, FILE *to)
{
    int keyval = input->keyval;

    tool_line(to, TOOL_LABEL, "keyval:", "%d (%s)", keyval, sion_keyval_type_to_str(keyval));
}

static const char *endianness(int big)
{
    return big ? "big" : "little";
}

void input_report_endianness(const struct input *input, FILE *to)
{
    tool_line(to, TOOL_LABEL, "current endianness:", "%s", endianness(sion_get_endianness()));
    tool_line(to, TOOL_LABEL, "file endianness:", "%s", endianness(input->head->big_endian));
}

void input_report_bytes(FILE *to, const char *label, sion_int64 bytes, int blanks)
{
    tool_line(to, TOOL_LABEL, label, "%lld bytes%*s(%6.2f MB)", bytes, blanks, "", text_mb(bytes));
}

/* Bytes up to the end of the tables, as SIONlib counts; up to the end of the data, if a full disk
   has put the tables before them. */
static sion_int64 size_of_file(const struct input *input)
{
    const struct scion_layout *layout = &scion_container_file(input->container, 0)->layout;

    if (input->start_of_varheader < layout->start_of_data)
        return layout->start_of_data + input->maxchunks * layout->globalskip;
    return input->start_of_varheader + 8 * ((sion_int64)input->maxchunks + 1) * input->ntasks;
}

void input_report_sizes(const struct input *input, FILE *to)
{
    sion_int64 size = size_of_file(input);

    input_report_bytes(to, "fsblksize:", input->fsblksize, 1);
    tool_line(to, TOOL_LABEL, "max number of chunks:", "%d", input->maxchunks);
    input_report_bytes(to, "datasize in file (aggr.):", input->total, 2);
    input_report_bytes(to, "start_of_varheader:", input->start_of_varheader, 2);
    input_report_bytes(to, "size of file:", size, 2);
    tool_line(to, TOOL_LABEL, "file usage:", "%f%%", (double)input->total / (double)size * 100.0);
}

void input_report_max_chunksize(const struct input *input, FILE *to)
{
    sion_int64 largest = 0;
    int task;

    for (task = 0; task < input->ntasks; task++) {
        sion_int64 chunksize = input_chunksize(input, task);

        if (chunksize > largest)
            largest = chunksize;
    }
    tool_line(to, TOOL_LABEL, "max chunksize:", "%lld", largest);
}
