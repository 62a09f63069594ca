/* A container that is written on: the arrays that it has, and where their indexes end. */
#include <stdlib.h>

#include "array/reader.h"
#include "array/writer.h"
#include "sion_array.h"

/* The task's last index is at the end of its stream, or it is not known what is in the stream. */
int scion_array_look_back_at(const struct scion_array_writer *writer,
                             const struct sion_layer_room *room, struct scion_array_chain *chain)
{
    unsigned char bytes[SCION_ARRAY_TRAILER];
    struct scion_array_trailer trailer;
    int rc, is_later;

    if (!writer->appends || writer->keeps || room->stream == 0)
        return 0;
    chain->past = SCION_ARRAY_LOST;
    if (room->stream < SCION_ARRAY_TRAILER)
        return 0;
    rc = sion_layer_read_end(writer->sid, bytes, sizeof bytes);
    if (rc == 0 && scion_array_trailer_decode(bytes, &trailer, &is_later))
        *chain = (struct scion_array_chain){SCION_ARRAY_BEHIND, room->stream, 0};
    return rc;
}

static int keep_definitions(struct scion_array_writer *writer,
                            const struct scion_array_index *index)
{
    uint32_t i;
    int rc = 0;

    for (i = 0; i < index->narrays && rc == 0; i++)
        rc = scion_array_add_definition(&writer->old, &index->arrays[i]->definition, i);
    return rc;
}

/* The next generation names what the newest one does. */
static int take_over(struct scion_array_writer *writer, struct sion_array_reader *arrays)
{
    int is_there = 0, rc = scion_array_load_whole(arrays, &is_there);

    if (rc == 0 && !is_there)
        rc = scion_array_load(arrays);
    if (rc != 0)
        return rc;
    writer->past = arrays->index;
    arrays->index = NULL;
    return keep_definitions(writer, writer->past);
}

/* Without an index of all tasks, there can be none unless no stream has a byte. */
static int look_at(struct scion_array_writer *writer, struct sion_array_reader *arrays)
{
    int is_there = 0, n = scion_array_streams_count(arrays->streams), t;
    int rc = scion_array_load_whole(arrays, &is_there);
    sion_int64 length;

    if (rc != 0)
        return rc;
    if (is_there) {
        length = scion_array_streams_length(arrays->streams, 0);
        writer->whole = (struct scion_array_chain){SCION_ARRAY_BEHIND, length, 0};
        return keep_definitions(writer, arrays->index);
    }
    for (t = 0; t < n && rc == 0; t++) {
        length = scion_array_streams_length(arrays->streams, t);
        rc = length < 0 ? SION_ERR_MEMORY : 0;
        writer->whole.past = length > 0 ? SCION_ARRAY_LOST : writer->whole.past;
    }
    return rc;
}

int scion_array_look_back(struct scion_array_writer *writer)
{
    struct sion_array_reader *arrays = calloc(1, sizeof *arrays);
    int rc = arrays ? sion_layer_appends(writer->sid, &arrays->file) : scion_fail_memory("arrays");

    writer->appends = writer->has_generation = rc > 0;
    if (rc > 0 && arrays->file) {
        rc = scion_array_streams_open(arrays->file, "rb", &arrays->streams);
        if (rc == 0)
            rc = writer->keeps ? take_over(writer, arrays) : look_at(writer, arrays);
    }
    sion_array_reader_close(arrays);
    return rc < 0 ? rc : 0;
}
