/*
 * Compares random arrays in containers of one process with the model. They are written with chunks
 * of any size, and read with the index, and without it from the headers. CHECK_SEED repeats a case,
 * CHECK_ROUNDS tries more.
 */
#include "model.h"

#include <unistd.h>

#include "sion_common.h"
#include "sion_serial.h"

#define NAME "property.sion"

static long rounds(void)
{
    const char *text = getenv("CHECK_ROUNDS");

    return text ? strtol(text, NULL, 10) : 150;
}

/* Global ranks in any order, or others than 0, 1, ... */
static int open_random(int ntasks, int *number_of)
{
    sion_int64 chunksizes[MODEL_TASKS], *sizes = chunksizes;
    int ranks[MODEL_TASKS], *globalranks = ranks, nfiles = 1, t, kind = (int)check_below(3);
    sion_int32 fsblksize = check_below(2) ? 512 : 256 + (int)check_below(100);
    char name[] = NAME;

    for (t = 0; t < ntasks; t++) {
        chunksizes[t] = (sion_int64)(400 + check_below(8000));
        ranks[t] = kind == 0 ? t : kind == 1 ? ntasks - 1 - t : 3 * t;
        number_of[t] = kind == 1 ? ntasks - 1 - t : t;
    }
    return sion_open(name, check_below(2) ? "bw" : "bw,posix", &ntasks, &nfiles, &sizes, &fsblksize,
                     &globalranks, NULL);
}

/* Tasks take turns; sometimes one also writes plain bytes, which contain the magic. */
static int write_random(struct model *model, int sid, const int *number_of)
{
    static const char own[] = "bytes of the application \x89SIONARR and more of them";
    int puts = MODEL_PUTS * model->ntasks, good = model_define(model, sid), t;

    for (; puts > 0 && good; puts--) {
        t = (int)check_below((size_t)model->ntasks);
        good = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               model_put(model, number_of[t], sid);
        if (check_below(5) == 0)
            good &= sion_fwrite(own, 1, 1 + check_below(sizeof own - 1), sid) > 0;
    }
    return good;
}

static void what_is_written_is_read(void)
{
    static struct model model;
    int number_of[MODEL_TASKS], sid;
    long round;

    for (round = 0; round < rounds(); round++) {
        uint64_t seed = check_random_state;

        model_make(&model, 1 + (int)check_below(MODEL_TASKS));
        sid = open_random(model.ntasks, number_of);
        CHECK(sid >= 0);
        CHECK(write_random(&model, sid, number_of));
        CHECK_INT(sion_close(sid), 1);
        CHECK(model_compare(&model, NAME, 12));
        /* read again from the headers: without the end of the file, there is no index of task 0 */
        CHECK(model_break_trailers(NAME) > 0);
        CHECK(model_compare(&model, NAME, 12));
        if (check_failed_here) {
            printf("# in round %ld, CHECK_SEED=0x%" PRIx64 "\n", round, seed);
            return;
        }
    }
}

int main(void)
{
    check_seed(20261122);
    RUN(what_is_written_is_read);
    unlink(NAME);
    return check_done();
}
