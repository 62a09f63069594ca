#include "sioncat/unshuffle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shuffle.h"
#include "file/unzip_table.h"
#include "lib/tool.h"

/* What the bytes at the input are: of each frame, how many. */
struct shuffled {
    size_t element, largest;
    struct scion_zipped_task frames; /* n == 0: all are of the largest size, but for the last one */
    unsigned char *in, *out;
};

/* ---- what the frames are ---- */

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int find_numbers(const char *text, struct shuffled *shuffled)
{
    unsigned long element, frame = SCION_FRAME_USUAL;
    char *end;

    element = strtoul(text, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        frame = strtoul(end + 1, &end, 10);
    if (*end || element < 1 || element > SCION_SHUFFLE_MOST || frame < SCION_FRAME_LEAST ||
        frame > SCION_FRAME_MOST) {
        tool_error(
            "--unshuffle takes a stored stream, or BYTES or BYTES:FRAME with elements of 1 to "
            "%d bytes and frames of %d to %d",
            SCION_SHUFFLE_MOST, SCION_FRAME_LEAST, SCION_FRAME_MOST);
        return TOOL_USAGE;
    }
    shuffled->element = element;
    shuffled->largest = frame;
    return TOOL_RUN;
}

static int find_frames(const char *name, struct scion_file *file, struct shuffled *shuffled)
{
    struct scion_damage damage = {.kind = SCION_SOUND};
    struct scion_zipped_task *frames = &shuffled->frames;
    sion_int64 size;
    int rc = scion_file_size(file, &size);

    frames->place.chunksize = size;
    scion_lengths_view(&frames->lengths, &size, 1, 1);
    if (rc == 0)
        rc = scion_zipped_find_frames(frames, file, &damage);
    scion_lengths_free(&frames->lengths);
    tool_print_warnings();
    if (rc != 0)
        return failed();
    if (damage.kind != SCION_SOUND || frames->head.frame == 0) {
        tool_error("%s is no compressed stream, as sioncat --stored writes it", name);
        return TOOL_FAILED;
    }
    shuffled->element = frames->head.shuffle;
    shuffled->largest = frames->head.frame;
    return TOOL_RUN;
}

static int find(const char *how, struct shuffled *shuffled)
{
    struct scion_file *file;
    int status;

    if (isdigit((unsigned char)*how) && strspn(how, "0123456789:") == strlen(how))
        return find_numbers(how, shuffled);
    if (scion_file_open(how, SCION_OPEN_READ, 0, &file) != 0)
        return failed();
    status = find_frames(how, file, shuffled);
    scion_file_close(file);
    return status;
}

/* ---- what they become ---- */

static int write_frame(const struct shuffled *shuffled, size_t bytes)
{
    scion_unshuffle(shuffled->in, bytes, shuffled->element, shuffled->out);
    if (fwrite(shuffled->out, 1, bytes, stdout) == bytes)
        return TOOL_RUN;
    tool_error("cannot write the output");
    return TOOL_FAILED;
}

static int pass_equal(const struct shuffled *shuffled)
{
    int status = TOOL_RUN;
    size_t got = shuffled->largest;

    while (status == TOOL_RUN && got == shuffled->largest) {
        got = fread(shuffled->in, 1, shuffled->largest, stdin);
        status = write_frame(shuffled, got);
    }
    return status;
}

static int pass_known(const struct shuffled *shuffled)
{
    const sion_int64 *plain = shuffled->frames.plain;
    int status = TOOL_RUN;
    sion_int64 i;

    for (i = 0; status == TOOL_RUN && i < shuffled->frames.n; i++) {
        size_t bytes = (size_t)(plain[i + 1] - plain[i]);

        if (fread(shuffled->in, 1, bytes, stdin) == bytes)
            status = write_frame(shuffled, bytes);
        else
            break;
    }
    if (status == TOOL_RUN && (i < shuffled->frames.n || getchar() != EOF)) {
        tool_error("the input is not what zstd -d makes of the stored stream: that has %lld bytes",
                   plain[shuffled->frames.n]);
        status = TOOL_FAILED;
    }
    return status;
}

static int pass(struct shuffled *shuffled)
{
    int status;

    shuffled->in = malloc(shuffled->largest);
    shuffled->out = malloc(shuffled->largest);
    if (!shuffled->in || !shuffled->out) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    status = (shuffled->frames.n > 0 ? pass_known : pass_equal)(shuffled);
    if (status == TOOL_RUN && ferror(stdin)) {
        tool_error("cannot read the input");
        status = TOOL_FAILED;
    }
    return status == TOOL_RUN ? TOOL_DONE : status;
}

int sioncat_unshuffle(const char *how)
{
    struct shuffled shuffled = {0};
    int status = find(how, &shuffled);

    if (status == TOOL_RUN)
        status = pass(&shuffled);
    free(shuffled.frames.stored);
    free(shuffled.frames.plain);
    free(shuffled.in);
    free(shuffled.out);
    return status;
}
