#include "base/zstd.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/library.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

/* The functions of libzstd, as its header declares them. */
struct library {
    __typeof__(&ZSTD_createCCtx) new_encoder;
    __typeof__(&ZSTD_freeCCtx) free_encoder;
    __typeof__(&ZSTD_CCtx_setParameter) set;
    __typeof__(&ZSTD_compressBound) bound;
    __typeof__(&ZSTD_compress2) encode;
    __typeof__(&ZSTD_createDCtx) new_decoder;
    __typeof__(&ZSTD_freeDCtx) free_decoder;
    __typeof__(&ZSTD_decompressDCtx) decode;
    __typeof__(&ZSTD_isError) is_error;
    __typeof__(&ZSTD_getErrorName) name;
};

static const struct library *zstd(void)
{
    static const char *const names[] = {"ZSTD_createCCtx",
                                        "ZSTD_freeCCtx",
                                        "ZSTD_CCtx_setParameter",
                                        "ZSTD_compressBound",
                                        "ZSTD_compress2",
                                        "ZSTD_createDCtx",
                                        "ZSTD_freeDCtx",
                                        "ZSTD_decompressDCtx",
                                        "ZSTD_isError",
                                        "ZSTD_getErrorName",
                                        NULL};
    static void *loaded;

    _Static_assert(sizeof names == sizeof(struct library) + sizeof *names, "a name for each");
    return scion_library_functions(&loaded, "libzstd.so.1", names);
}

int scion_zstd_need(const char *what)
{
    return zstd() ? 0
                  : scion_fail(SION_ERR_ARGUMENT,
                               "%s need libzstd 1.4 or newer (libzstd.so.1), which is not "
                               "installed",
                               what);
}

struct scion_zstd_encoder {
    ZSTD_CCtx *context;
    int level, threads;
    pid_t owner; /* the process that has its threads */
};

static ZSTD_CCtx *new_context(int level, int threads)
{
    const struct library *library = zstd();
    ZSTD_CCtx *context = library ? library->new_encoder() : NULL;

    if (!context)
        return NULL;
    library->set(context, ZSTD_c_compressionLevel, level);
    library->set(context, ZSTD_c_checksumFlag, 1);
    /* A libzstd without threads refuses them, and compresses all the same. */
    if (threads > 0)
        library->set(context, ZSTD_c_nbWorkers, threads);
    return context;
}

struct scion_zstd_encoder *scion_zstd_encoder_new(int level, int threads)
{
    struct scion_zstd_encoder *new = calloc(1, sizeof *new);

    if (!new)
        return NULL;
    *new = (struct scion_zstd_encoder){.context = new_context(level, threads),
                                       .level = level,
                                       .threads = threads,
                                       .owner = threads > 0 ? getpid() : 0};
    if (new->context)
        return new;
    free(new);
    return NULL;
}

/* A child of fork has none of the threads, and would wait for them; even the end of them does. */
static int has_its_threads(const struct scion_zstd_encoder *encoder)
{
    return encoder->threads == 0 || encoder->owner == getpid();
}

void scion_zstd_encoder_free(struct scion_zstd_encoder *encoder)
{
    if (encoder && encoder->context && has_its_threads(encoder))
        zstd()->free_encoder(encoder->context);
    free(encoder);
}

size_t scion_zstd_bound(size_t bytes)
{
    return zstd()->bound(bytes);
}

size_t scion_zstd_encode(struct scion_zstd_encoder *encoder, const void *from, size_t bytes,
                         void *to, size_t room)
{
    const struct library *library = zstd();
    size_t got;

    if (!has_its_threads(encoder)) {
        encoder->context = new_context(encoder->level, encoder->threads);
        encoder->owner = getpid();
    }
    if (!encoder->context)
        return 0;
    got = library->encode(encoder->context, to, room, from, bytes);
    return library->is_error(got) ? 0 : got;
}

struct scion_zstd_decoder *scion_zstd_decoder_new(void)
{
    const struct library *library = zstd();

    return library ? (struct scion_zstd_decoder *)library->new_decoder() : NULL;
}

void scion_zstd_decoder_free(struct scion_zstd_decoder *decoder)
{
    if (decoder)
        zstd()->free_decoder((ZSTD_DCtx *)decoder);
}

const char *scion_zstd_decode(struct scion_zstd_decoder *decoder, const void *from, size_t bytes,
                              void *to, size_t room)
{
    const struct library *library = zstd();
    size_t got = library->decode((ZSTD_DCtx *)decoder, to, room, from, bytes);

    if (library->is_error(got))
        return library->name(got);
    return got == room ? NULL : "they hold fewer bytes than they should";
}

#else

int scion_zstd_need(const char *what)
{
    return scion_fail(SION_ERR_ARGUMENT, "%s need libzstd, without which Scion was built", what);
}

struct scion_zstd_encoder *scion_zstd_encoder_new(int level, int threads)
{
    (void)level, (void)threads;
    return NULL;
}

void scion_zstd_encoder_free(struct scion_zstd_encoder *encoder)
{
    (void)encoder;
}

size_t scion_zstd_bound(size_t bytes)
{
    return bytes;
}

size_t scion_zstd_encode(struct scion_zstd_encoder *encoder, const void *from, size_t bytes,
                         void *to, size_t room)
{
    (void)encoder, (void)from, (void)bytes, (void)to, (void)room;
    return 0;
}

struct scion_zstd_decoder *scion_zstd_decoder_new(void)
{
    return NULL;
}

void scion_zstd_decoder_free(struct scion_zstd_decoder *decoder)
{
    (void)decoder;
}

const char *scion_zstd_decode(struct scion_zstd_decoder *decoder, const void *from, size_t bytes,
                              void *to, size_t room)
{
    (void)decoder, (void)from, (void)bytes, (void)to, (void)room;
    return "there is no libzstd";
}
#endif
