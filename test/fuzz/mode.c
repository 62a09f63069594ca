/* The mode string of an open, and the modes that follow from it. */
#include "fuzz.h"

#include "base/mode.h"

static int is_in_range(const struct scion_mode *mode)
{
    return mode->access >= SCION_ACCESS_NONE && mode->access <= SCION_ACCESS_WRITE &&
           mode->buddies >= 0 && mode->sync >= SCION_SYNC_NONE && mode->sync <= SCION_SYNC_FLUSH &&
           mode->atomic >= -1 && mode->atomic <= 1 && mode->recover >= -1 && mode->recover <= 1 &&
           mode->checksum >= SCION_CHECKSUM_OFF && mode->checksum <= SCION_CHECKSUM_ON;
}

static void run(const uint8_t *bytes, size_t size)
{
    struct scion_mode mode, again;
    char *text = malloc(size + 1), *twice;
    int rc, keyval;

    FUZZ_CHECK(text != NULL);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    rc = scion_mode_parse(text, &mode);
    if (rc == 0) {
        FUZZ_CHECK(is_in_range(&mode));
        scion_mode_keyval_for_writing(&mode, &keyval);
        scion_mode_compare_keyval(&mode, 51);
        scion_mode_is_atomic(&mode);
        /* Every word counts once, however often it is there. */
        twice = malloc(2 * strlen(text) + 2);
        FUZZ_CHECK(twice != NULL);
        sprintf(twice, "%s,%s", text, text);
        FUZZ_CHECK(scion_mode_parse(twice, &again) == 0 && memcmp(&mode, &again, sizeof mode) == 0);
        free(twice);
    }
    free(text);
}

static void make(fuzz_take *take)
{
    static const char *const texts[] = {
        "wb,posix,collective,cmerge,collsize=4,collmsa,collread",
        "rb,ansi,keyval=inline,buffered,endianness=big,lock=no",
        "w,sync=flush,atomic,checksum,recover,buddy=2", "rb,checksum=open",
        "br,sync=close,atomic=no,checksum=no,recover=no,keyval=unknown,endianness=little",
        "w,collsize=-1,keyval=hash,keyval=meta,keyval=none,keyval,,other,other=1"};
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        take(texts[i], strlen(texts[i]));
}

const struct fuzz_target fuzz_target = {.run = run, .make = make, .rounds = 4000, .most = 512};
