/* How much of the chunks and blocks is used. */
#include <stdio.h>

#include "lib/text.h"
#include "lib/tool.h"
#include "siondump/parts.h"

enum {
    /* Width of the labels here; that of the percentages differs from line to line. */
    SIZE_LABEL = 39
};

static void add_chunk(struct usage *usage, sion_int64 used, sion_int64 chunksize, int fsblksize)
{
    if (used == chunksize) {
        usage->full++;
        usage->full_bytes += used;
    } else if (used > 0) {
        usage->partly++;
        usage->partly_bytes += used;
    } else {
        usage->empty++;
        usage->empty_bytes += (unsigned long long)chunksize;
    }
    usage->full_fsblocks += used / fsblksize;
    if (used % fsblksize != 0) {
        usage->partly_fsblocks++;
        usage->partly_fsblocks_bytes += used % fsblksize;
    }
}

/* Chunks that other tasks have reached, but this one has not, count as empty. */
static void add_task(struct usage *usage, const struct input *input, int task)
{
    sion_int64 chunksize = input_chunksize(input, task), count = input_count(input, task);
    sion_int64 missing = input->maxchunks - count;

    usage->reserved += (unsigned long long)chunksize * (unsigned long long)count;
    usage->empty += missing;
    usage->empty_bytes += (unsigned long long)chunksize * (unsigned long long)missing;
}

void usage_collect(struct usage *usage, const struct input *input)
{
    const struct usage nothing = {0};
    sion_int64 chunk;
    int task;

    *usage = nothing;
    for (task = 0; task < input->ntasks; task++)
        add_task(usage, input, task);
    for (chunk = 0; chunk < input->maxchunks; chunk++) {
        for (task = 0; task < input->ntasks; task++) {
            if (chunk < input_count(input, task))
                add_chunk(usage, input_used(input, task, chunk), input_chunksize(input, task),
                          input->fsblksize);
        }
    }
}

static void bytes_line(const char *label, sion_int64 bytes)
{
    tool_line(stdout, SIZE_LABEL, label, "%12lld bytes  (%8.2f MB)", bytes, text_mb(bytes));
}

static void chunks_line(const char *label, sion_int64 bytes, sion_int64 chunks)
{
    tool_line(stdout, SIZE_LABEL, label, "%12lld bytes  (%8.2f MB) # %6lld", bytes, text_mb(bytes),
              chunks);
}

static void percent_line(int width, const char *label, sion_int64 part, sion_int64 whole)
{
    /* Rounded to a double on machines, too, that compute with more bits. */
    volatile double share = (double)part / (double)(whole > 0 ? whole : 1);

    if (whole > 0)
        tool_line(stdout, width, label, "%14.6f%%", share * 100.0);
}

static void fsblocks_line(const char *label, sion_int64 bytes, sion_int64 fsblocks)
{
    tool_line(stdout, SIZE_LABEL, label, "%12lld bytes  (%8.2f MB, %lld blocks)", bytes,
              text_mb(bytes), fsblocks);
}

static void dump_chunks(const struct input *input, const struct usage *usage)
{
    sion_int64 reserved = (sion_int64)usage->reserved;

    bytes_line("size of chunks:", reserved);
    bytes_line("datasize in file (aggr.):", input->total);
    chunks_line("size of full chunks:", usage->full_bytes, usage->full);
    chunks_line("size of partly filled chunks:", usage->partly_bytes, usage->partly);
    chunks_line("size of empty chunks:", (sion_int64)usage->empty_bytes, usage->empty);
    bytes_line("overhead compared to task-local file:", reserved - input->total);
    percent_line(37, "file usage (user data/chunk size):", input->total, reserved);
}

static void dump_fsblocks(const struct input *input, const struct usage *usage)
{
    sion_int64 fsblocks = usage->full_fsblocks + usage->partly_fsblocks;
    sion_int64 full = usage->full_fsblocks * input->fsblksize;
    sion_int64 partly = usage->partly_fsblocks * input->fsblksize;

    fsblocks_line("fsblocks, size of used blocks:", full + partly, fsblocks);
    fsblocks_line("fsblocks, size of fully used blocks:", full, usage->full_fsblocks);
    tool_line(stdout, SIZE_LABEL, "fsblocks, size of partly used blocks:",
              "%12lld bytes of %12lld bytes (%6.2f MB of %6.2f MB, %lld blocks)",
              usage->partly_fsblocks_bytes, partly, text_mb(usage->partly_fsblocks_bytes),
              text_mb(partly), usage->partly_fsblocks);
    percent_line(38, "fsblocks, used fsblocks/chunk size:", full + partly,
                 (sion_int64)usage->reserved);
    percent_line(38, "fsblocks, user data/used blocks:", input->total, full + partly);
}

void dump_usage(const struct input *input)
{
    struct usage usage;

    usage_collect(&usage, input);
    dump_chunks(input, &usage);
    dump_fsblocks(input, &usage);
}
