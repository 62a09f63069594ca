#include "base/zfp.h"

#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/error.h"
#include "base/library.h"

#ifdef HAVE_ZFP
#include <zfp.h>

/* The functions of libzfp, as its header declares them. */
struct library {
    __typeof__(&zfp_field_1d) field_1d;
    __typeof__(&zfp_field_2d) field_2d;
    __typeof__(&zfp_field_3d) field_3d;
    __typeof__(&zfp_field_4d) field_4d;
    __typeof__(&zfp_field_free) free_field;
    __typeof__(&zfp_stream_open) open;
    __typeof__(&zfp_stream_close) close;
    __typeof__(&zfp_stream_set_bit_stream) set_bits;
    __typeof__(&zfp_stream_rewind) rewind;
    __typeof__(&zfp_stream_set_accuracy) set_accuracy;
    __typeof__(&zfp_stream_set_rate) set_rate;
    __typeof__(&zfp_stream_set_reversible) set_reversible;
    __typeof__(&zfp_stream_maximum_size) bound;
    __typeof__(&zfp_compress) encode;
    __typeof__(&zfp_decompress) decode;
    __typeof__(&zfp_write_header) write_header;
    __typeof__(&zfp_read_header) read_header;
    __typeof__(&stream_open) open_bits;
    __typeof__(&stream_close) close_bits;
};

/* Other machines have words of other bytes in the stream. */
static const struct library *zfp(void)
{
    static const char *const names[] = {"zfp_field_1d",
                                        "zfp_field_2d",
                                        "zfp_field_3d",
                                        "zfp_field_4d",
                                        "zfp_field_free",
                                        "zfp_stream_open",
                                        "zfp_stream_close",
                                        "zfp_stream_set_bit_stream",
                                        "zfp_stream_rewind",
                                        "zfp_stream_set_accuracy",
                                        "zfp_stream_set_rate",
                                        "zfp_stream_set_reversible",
                                        "zfp_stream_maximum_size",
                                        "zfp_compress",
                                        "zfp_decompress",
                                        "zfp_write_header",
                                        "zfp_read_header",
                                        "stream_open",
                                        "stream_close",
                                        NULL};
    static void *loaded;

    _Static_assert(sizeof names == sizeof(struct library) + sizeof *names, "a name for each");
    return scion_host_is_big() ? NULL : scion_library_functions(&loaded, "libzfp.so.1", names);
}

int scion_zfp_need(void)
{
    return zfp() ? 0
                 : scion_fail(SION_ERR_ARGUMENT, "%s",
                              scion_host_is_big()
                                  ? "codec zfp needs a machine with low bytes first"
                                  : "codec zfp needs libzfp 1.0 (libzfp.so.1), which is not "
                                    "installed");
}

/* ---- a box ---- */

static zfp_field *new_field(const struct library *library, const struct scion_zfp_box *box,
                            const void *data)
{
    const zfp_type type = box->is_double ? zfp_type_double : zfp_type_float;
    const size_t *n = box->count;
    void *at = (void *)(uintptr_t)data; /* it is not changed where that is not wanted */

    switch (box->ndims) {
    case 1:
        return library->field_1d(at, type, n[0]);
    case 2:
        return library->field_2d(at, type, n[1], n[0]);
    case 3:
        return library->field_3d(at, type, n[2], n[1], n[0]);
    default:
        return library->field_4d(at, type, n[3], n[2], n[1], n[0]);
    }
}

/* What is needed for a call, and its end. */
struct call {
    const struct library *library;
    zfp_stream *stream;
    zfp_field *field;
    bitstream *bits;
};

static void end(struct call *call)
{
    if (call->bits)
        call->library->close_bits(call->bits);
    if (call->field)
        call->library->free_field(call->field);
    if (call->stream)
        call->library->close(call->stream);
}

static const char *begin(struct call *call, const struct scion_zfp_box *box, const void *data)
{
    call->library = zfp();
    if (!call->library)
        return "there is no libzfp";
    call->stream = call->library->open(NULL);
    call->field = new_field(call->library, box, data);
    return call->stream && call->field ? NULL : "out of memory";
}

/* The stream is in these bytes. */
static int set_bits(struct call *call, unsigned char *bytes, size_t size)
{
    call->bits = call->library->open_bits(bytes, size);
    if (!call->bits)
        return 0;
    call->library->set_bits(call->stream, call->bits);
    call->library->rewind(call->stream);
    return 1;
}

/* ---- compressing ---- */

static void set_mode(struct call *call, const struct scion_zfp_box *box, enum scion_zfp_mode mode,
                     double parameter)
{
    if (mode == SCION_ZFP_ACCURACY)
        call->library->set_accuracy(call->stream, parameter);
    else if (mode == SCION_ZFP_RATE)
        call->library->set_rate(call->stream, parameter, call->field->type, (unsigned)box->ndims,
                                zfp_false);
    else
        call->library->set_reversible(call->stream);
}

static const char *encode(struct call *call, unsigned char **to, size_t *stored)
{
    size_t room = call->library->bound(call->stream, call->field);

    *to = room > 0 ? malloc(room) : NULL;
    if (!*to || !set_bits(call, *to, room))
        return "out of memory";
    if (call->library->write_header(call->stream, call->field, ZFP_HEADER_FULL) == 0)
        return "zfp has no block with so many elements in a dimension";
    *stored = call->library->encode(call->stream, call->field);
    return *stored > 0 ? NULL : "zfp cannot compress it";
}

const char *scion_zfp_encode(const struct scion_zfp_box *box, enum scion_zfp_mode mode,
                             double parameter, const void *from, unsigned char **to, size_t *stored)
{
    struct call call = {0};
    const char *why = begin(&call, box, from);

    *to = NULL;
    if (!why) {
        set_mode(&call, box, mode, parameter);
        why = encode(&call, to, stored);
    }
    end(&call);
    if (why) {
        free(*to);
        *to = NULL;
    }
    return why;
}

/* ---- back ---- */

enum { HEADER = 64 }; /* more than the bytes of zfp's header, in whole words */

static int is_box(const zfp_field *field, const zfp_field *box)
{
    return field->type == box->type && field->nx == box->nx && field->ny == box->ny &&
           field->nz == box->nz && field->nw == box->nw;
}

/* The box that the header describes must be the one that is wanted. */
static const char *read_header(struct call *call, const struct scion_zfp_box *box)
{
    zfp_field *wanted = new_field(call->library, box, call->field->data);
    void *data = call->field->data;
    const char *why = wanted ? NULL : "out of memory";

    if (!why && call->library->read_header(call->stream, call->field, ZFP_HEADER_FULL) == 0)
        why = "it has no header of zfp";
    if (!why && !is_box(call->field, wanted))
        why = "its header is of another box";
    call->field->data = data;
    if (wanted)
        call->library->free_field(wanted);
    return why;
}

/* zfp reads as many bytes as its mode may need at most, so these have to be there. */
static const char *decode(struct call *call, const struct scion_zfp_box *box, const void *from,
                          size_t stored, unsigned char **bytes)
{
    unsigned char head[HEADER] = {0};
    size_t padded = box->is_double ? 8 : 4, room, i;
    const char *why;

    for (i = 0; i < (size_t)box->ndims; i++)
        padded *= (box->count[i] + 3) / 4 * 4; /* zfp has blocks of 4 in each dimension */
    memcpy(head, from, stored < HEADER ? stored : HEADER);
    if (!set_bits(call, head, sizeof head))
        return "out of memory";
    why = read_header(call, box);
    room = why ? 0 : call->library->bound(call->stream, call->field);
    call->library->close_bits(call->bits);
    call->bits = NULL;
    if (why)
        return why;
    if (room == 0 || room / 2 > padded + HEADER)
        return "its mode is none of those that are written";
    room = (room > stored ? room : stored) + HEADER;
    *bytes = calloc(room, 1);
    if (!*bytes || !set_bits(call, *bytes, room))
        return "out of memory";
    memcpy(*bytes, from, stored);
    why = read_header(call, box);
    return why || call->library->decode(call->stream, call->field) > 0 ? why : "it is damaged";
}

const char *scion_zfp_decode(const struct scion_zfp_box *box, const void *from, size_t stored,
                             void *to)
{
    struct call call = {0};
    unsigned char *bytes = NULL;
    const char *why = begin(&call, box, to);

    if (!why)
        why = decode(&call, box, from, stored, &bytes);
    end(&call);
    free(bytes);
    return why;
}

#else

int scion_zfp_need(void)
{
    return scion_fail(SION_ERR_ARGUMENT, "codec zfp needs libzfp, without which Scion was built");
}

const char *scion_zfp_encode(const struct scion_zfp_box *box, enum scion_zfp_mode mode,
                             double parameter, const void *from, unsigned char **to, size_t *stored)
{
    (void)box, (void)mode, (void)parameter, (void)from, (void)to, (void)stored;
    return "there is no libzfp";
}

const char *scion_zfp_decode(const struct scion_zfp_box *box, const void *from, size_t stored,
                             void *to)
{
    (void)box, (void)from, (void)stored, (void)to;
    return "there is no libzfp";
}
#endif
