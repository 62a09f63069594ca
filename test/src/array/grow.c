/*
 * Arrays of containers that are written on: each session's blocks are found beside all older ones,
 * by indexes that have only what is new. Random sessions are compared with the model. CHECK_SEED
 * repeats a case, CHECK_ROUNDS tries more.
 */
#include "model.h"

#include <unistd.h>

#include "base/zstd.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "grow.sion"

enum { CHUNK = 4096, COUNT = 4 };

static long rounds(void)
{
    const char *text = getenv("CHECK_ROUNDS");

    return text ? strtol(text, NULL, 10) : 60;
}

static int open_tasks(const char *mode, int ntasks)
{
    sion_int64 chunksizes[MODEL_TASKS], *sizes = chunksizes;
    int ranks[MODEL_TASKS], *globalranks = ranks, nfiles = 1, t;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    for (t = 0; t < ntasks; t++) {
        chunksizes[t] = CHUNK;
        ranks[t] = t;
    }
    return sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &globalranks, NULL);
}

/* ---- the model ---- */

static int write_session(struct model *model, int sid, int plain)
{
    static const char own[] = "bytes of the application \x89SIONARR and more of them";
    int puts = (int)check_below(3 * (size_t)model->ntasks), good = model_define(model, sid), t;
    static struct model published;
    int is_published = 0;

    for (; puts > 0 && good; puts--) {
        t = (int)check_below((size_t)model->ntasks);
        good =
            sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 && model_put(model, t, sid);
        if (plain && check_below(4) == 0)
            good &= sion_fwrite(own, 1, 1 + check_below(sizeof own - 1), sid) > 0;
        if (check_below(3) == 0) {
            good &= sion_publish(sid) == SION_SUCCESS;
            published = *model;
            is_published = 1;
        }
        if (is_published)
            good &= model_compare(&published, NAME, 2);
    }
    return good;
}

static void each_session_is_found(void)
{
    static struct model model;
    long round;

    for (round = 0; round < rounds() && !check_failed_here; round++) {
        uint64_t seed = check_random_state;
        int sessions = 1 + (int)check_below(4), plain = (int)check_below(2), s, sid;

        model_make(&model, 1 + (int)check_below(MODEL_TASKS));
        for (s = 0; s < sessions && !check_failed_here; s++) {
            sid = open_tasks(s == 0 ? "bw" : "ba", model.ntasks);
            CHECK(sid >= 0);
            CHECK(write_session(&model, sid, plain));
            CHECK_INT(sion_close(sid), 1);
            CHECK(model_compare(&model, NAME, 8));
        }
        CHECK(model_break_trailers(NAME) > 0);
        CHECK(model_compare(&model, NAME, 8));
        if (check_failed_here)
            printf("# in round %ld, CHECK_SEED=0x%" PRIx64 "\n", round, seed);
    }
}

/* ---- single cases ---- */

static const sion_int64 shape[] = {2 * COUNT};

/* Blocks of one step of tasks 0 to `tasks` - 1. */
static int put_step(int sid, const char *name, sion_int64 step, int tasks)
{
    const sion_int64 count[] = {COUNT};
    double data[COUNT] = {0};
    int t, good = 1;

    data[0] = (double)step;
    for (t = 0; t < tasks && good; t++) {
        const sion_int64 offset[] = {COUNT * t};

        good = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               sion_array_define(sid, name, SION_F64, 1, shape) == SION_SUCCESS &&
               sion_array_put(sid, name, step, offset, count, SION_F64, data, sizeof data) ==
                   SION_SUCCESS;
    }
    return good;
}

static void write_steps(const char *mode, const char *name, sion_int64 first, int steps, int tasks)
{
    int sid = open_tasks(mode, 2);

    CHECK(sid >= 0);
    for (; steps > 0; steps--, first++)
        CHECK(put_step(sid, name, first, tasks));
    CHECK_INT(sion_close(sid), 1);
}

static sion_int64 steps_of(const char *name, enum scion_array_source source)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    struct sion_array_info info = {.size = sizeof info};

    CHECK(arrays != NULL);
    if (!arrays)
        return -1;
    CHECK_INT(arrays->source, source);
    CHECK_INT(sion_array_reader_info(arrays, name, &info), SION_SUCCESS);
    sion_array_reader_close(arrays);
    return info.steps;
}

/* Where the trailers of the file are, at most `most` of them. Returns their number. */
static int find_trailers(const unsigned char *bytes, size_t size,
                         struct scion_array_trailer *trailers, int most)
{
    size_t i;
    int n = 0, is_later;

    for (i = 0; i + SCION_ARRAY_TRAILER <= size && n < most; i++)
        n += scion_array_trailer_decode(bytes + i, &trailers[n], &is_later);
    return n;
}

/* Each publish writes the index of what is new. */
static void a_step_is_there_when_it_is_published(void)
{
    struct scion_array_trailer trailers[80];
    int sid = open_tasks("bw", 2), step, n, i;
    unsigned char *bytes;
    size_t size;

    for (step = 0; step < 20; step++) {
        CHECK(put_step(sid, "T", step, 2));
        if (step > 0)
            CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), step);
        CHECK_INT(sion_publish(sid), SION_SUCCESS);
        CHECK_INT(sion_publish(sid), SION_SUCCESS); /* nothing is new */
        CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), step + 1);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), 20);
    bytes = model_read_file(NAME, &size);
    n = find_trailers(bytes, size, trailers, 80);
    CHECK_INT(n, 40);
    for (i = 0; i < n; i++)
        CHECK_INT(trailers[i].blocks, 1 + trailers[i].is_whole);
    free(bytes);
}

/* Compressed blocks of sessions that publish, in a container that is written on. */
static void a_compressed_step_is_there_when_it_is_published(void)
{
    enum { WIDE = 300 };
    const sion_int64 wide[] = {2 * WIDE}, count[] = {WIDE};
    static double data[WIDE], found[2 * WIDE];
    int sid, session, step = 0, t, i;
    sion_array_reader *arrays;

    if (scion_zstd_need("compressed arrays") != 0) {
        SKIP("there is no libzstd");
        return;
    }
    for (session = 0; session < 3; session++) {
        sid = open_tasks(session == 0 ? "bw" : "ba", 2);
        CHECK_INT(sion_array_define(sid, "Z", SION_F64, 1, wide), 1);
        CHECK_INT(sion_array_codec(sid, "Z", "zstd:3,shuffle"), 1);
        for (; step < 3 * (session + 1); step++) {
            for (t = 0; t < 2; t++) {
                const sion_int64 offset[] = {WIDE * t};

                for (i = 0; i < WIDE; i++)
                    data[i] = 1000 * step + WIDE * t + i;
                CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
                CHECK_INT(put_any(sid, "Z", step, offset, count, data), 1);
            }
            CHECK_INT(sion_publish(sid), 1);
            arrays = sion_array_reader_open(NAME);
            CHECK_INT(get_any(arrays, "Z", step, (sion_int64[]){0}, wide, found), 1);
            for (i = 0; i < 2 * WIDE; i++)
                CHECK(found[i] == 1000 * step + i);
            CHECK_INT(get_any(arrays, "Z", 0, (sion_int64[]){0}, wide, found), 1);
            CHECK(found[2 * WIDE - 1] == 2 * WIDE - 1);
            sion_array_reader_close(arrays);
        }
        CHECK_INT(sion_close(sid), 1);
    }
    arrays = sion_array_reader_open(NAME);
    CHECK(arrays && arrays->source == SCION_ARRAY_FROM_WHOLE);
    for (i = 0; i < step; i++) {
        CHECK_INT(get_any(arrays, "Z", i, (sion_int64[]){0}, wide, found), 1);
        CHECK(found[WIDE + 1] == 1000 * i + WIDE + 1);
    }
    sion_array_reader_close(arrays);
}

static void an_index_has_what_is_new(void)
{
    struct scion_array_trailer trailers[8];
    unsigned char *bytes;
    size_t size;
    int n, i, whole = 0;

    write_steps("bw", "T", 0, 20, 2);
    write_steps("ba", "T", 20, 1, 2);
    write_steps("ba", "T", 21, 1, 2);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), 22);
    bytes = model_read_file(NAME, &size);
    n = find_trailers(bytes, size, trailers, 8);
    CHECK_INT(n, 6);
    for (i = 0; i < n; i++) {
        CHECK_INT(trailers[i].blocks, trailers[i].before > 0 ? 1 + trailers[i].is_whole
                                                             : 20 * (1 + trailers[i].is_whole));
        whole += trailers[i].is_whole;
    }
    CHECK_INT(whole, 3);
    free(bytes);
}

static void arrays_of_earlier_sessions_stay(void)
{
    write_steps("bw", "T", 0, 3, 2);
    write_steps("ba", "P", 0, 2, 1);
    write_steps("ba", "T", 7, 1, 1);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), 4);
    CHECK_INT(steps_of("P", SCION_ARRAY_FROM_WHOLE), 2);
}

static void a_container_without_arrays_gets_some(void)
{
    int sid = open_tasks("bw", 2);

    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite("plain", 1, 5, sid), 5);
    CHECK_INT(sion_close(sid), 1);
    write_steps("ba", "T", 0, 2, 2);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_HEADERS), 2);
    write_steps("bw", "none", 0, 0, 2);
    write_steps("ba", "T", 0, 2, 2);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), 2);
}

static void another_shape_is_refused(void)
{
    const sion_int64 other[] = {3};
    int sid;

    write_steps("bw", "T", 0, 1, 2);
    sid = open_tasks("ba", 2);
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 1, other), SION_NOT_SUCCESS);
    CHECK(strstr(sion_error_text(), "array T was defined with another type or shape in the "
                                    "container") != NULL);
    CHECK(put_step(sid, "T", 1, 2));
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), 2);
}

/* ---- generations ---- */

/* Numbers of those that the container has, and what the last ones have. */
static struct {
    int oldest, newest, keep;
    struct model last[4];
} kept;

/* Before a state: sometimes others go than those that are too many. */
static int forget_some(int sid)
{
    int before = (int)check_below(4) == 0 ? (int)check_below((size_t)kept.newest + 2) : 0;

    if (before == 0)
        return 1;
    kept.oldest = before > kept.oldest ? before : kept.oldest;
    return sion_forget(sid, before) == SION_SUCCESS;
}

/* A state has a new one, or, at a close, not. */
static void settle(int is_new, const struct model *shown)
{
    kept.newest += is_new;
    kept.last[kept.newest % 4] = *shown;
    if (kept.oldest <= kept.newest - kept.keep)
        kept.oldest = kept.newest - kept.keep + 1;
}

static int has_kept(void)
{
    char mode[40];
    int g, good = 1, is_there;

    support_catch();
    for (g = kept.oldest > 1 ? kept.oldest - 1 : 1; g <= kept.newest + 1; g++) {
        is_there = g >= kept.oldest && g <= kept.newest;
        snprintf(mode, sizeof mode, "br,generation=%d", g);
        good &= model_compare_by(&kept.last[g % 4], NAME, mode, 2) == is_there;
        snprintf(mode, sizeof mode, "br,generation=%d", g - kept.newest);
        if (g < kept.newest)
            good &= model_compare_by(&kept.last[g % 4], NAME, mode, 2) == is_there;
    }
    return good;
}

/* Each publish with a new block makes a generation, which has that and all definitions. */
static int write_generations(struct model *model, struct model *shown, int sid)
{
    int puts = (int)check_below(4 * (size_t)model->ntasks), good = 1, is_new = 0, t;

    for (; puts > 0 && good; puts--) {
        t = (int)check_below((size_t)model->ntasks);
        good =
            sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 && model_put(model, t, sid);
        is_new = 1;
        if (check_below(3) == 0) {
            good &= forget_some(sid) && sion_publish(sid) == SION_SUCCESS &&
                    sion_publish(sid) == SION_SUCCESS;
            *shown = *model;
            model_forget(model);
            is_new = 0;
            settle(1, shown);
            good &= model_compare(shown, NAME, 6) && has_kept();
        }
    }
    good &= !is_new || forget_some(sid);
    if (is_new) {
        *shown = *model;
        model_forget(model);
    }
    settle(is_new || kept.newest == 0, shown); /* which has the definitions, at least */
    return good;
}

static void a_generation_is_read_by_itself(void)
{
    static struct model model, shown;
    long round;

    for (round = 0; round < rounds() && !check_failed_here; round++) {
        uint64_t seed = check_random_state;
        int sessions = 1 + (int)check_below(4), s, sid;
        char mode[40];

        model_make(&model, 1 + (int)check_below(MODEL_TASKS));
        model.keeps = 1;
        shown = model;
        kept.oldest = 1;
        kept.newest = 0;
        for (s = 0; s < sessions && !check_failed_here; s++) {
            kept.keep = 1 + (int)check_below(3);
            snprintf(mode, sizeof mode, "%s,keep=%d", s == 0 ? "bw" : "ba", kept.keep);
            sid = open_tasks(mode, model.ntasks);
            CHECK(sid >= 0);
            CHECK(model_define(&model, sid));
            CHECK(write_generations(&model, &shown, sid));
            CHECK_INT(sion_close(sid), 1);
            CHECK(model_compare(&shown, NAME, 8));
            CHECK(has_kept());
        }
        if (check_failed_here)
            printf("# in round %ld, CHECK_SEED=0x%" PRIx64 "\n", round, seed);
    }
}

static sion_array_reader *open_arrays(enum scion_array_source source)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);

    CHECK(arrays && arrays->source == source);
    return arrays;
}

static void check_text(const sion_array_reader *arrays, const char *name, const char *key,
                       const char *wanted)
{
    const char *found = sion_array_reader_attribute(arrays, name, key);

    CHECK(found && strcmp(found, wanted) == 0);
}

/* What a later session does not define or set stays. */
static void definitions_survive(void)
{
    struct sion_array_info info = {.size = sizeof info};
    const sion_int64 offset[] = {0}, count[] = {1};
    sion_array_reader *arrays;
    double found;
    int sid = open_tasks("bw,keep=2", 2), s;

    CHECK(put_step(sid, "T", 0, 2));
    CHECK_INT(sion_array_set_attribute(sid, "T", "units", "m"), SION_SUCCESS);
    CHECK_INT(sion_array_set_attribute(sid, NULL, "title", "old"), SION_SUCCESS);
    CHECK_INT(sion_publish(sid), SION_SUCCESS);
    CHECK(put_step(sid, "T", 1, 2));
    CHECK_INT(sion_close(sid), 1);
    arrays = open_arrays(SCION_ARRAY_FROM_WHOLE);
    check_text(arrays, "T", "units", "m");
    CHECK_INT(get_any(arrays, "T", 1, offset, count, &found), SION_SUCCESS);
    CHECK(found == 1);
    CHECK_INT(get_any(arrays, "T", 0, offset, count, &found), SION_NOT_SUCCESS);
    CHECK(strstr(sion_error_text(), "array T has no step 0: it was forgotten") != NULL);
    sion_array_reader_close(arrays);
    for (s = 0; s < 3; s++) {
        sid = open_tasks("ba", 2);
        CHECK(put_step(sid, "P", s, 1));
        if (s == 1)
            CHECK_INT(sion_array_set_attribute(sid, NULL, "title", "new"), SION_SUCCESS);
        CHECK_INT(sion_close(sid), 1);
        sid = open_tasks("ba", 2); /* without anything new */
        CHECK_INT(sion_array_define(sid, "P", SION_F64, 1, shape), SION_SUCCESS);
        CHECK_INT(sion_close(sid), 1);
        arrays = open_arrays(SCION_ARRAY_FROM_WHOLE);
        CHECK_INT(sion_array_reader_info(arrays, "T", &info), SION_SUCCESS);
        CHECK(info.steps == 0 && info.shape[0] == shape[0]);
        CHECK_INT(sion_array_reader_info(arrays, "P", &info), SION_SUCCESS);
        CHECK(info.steps == 1 && sion_array_reader_step(arrays, "P", 0) == s);
        check_text(arrays, "T", "units", "m");
        check_text(arrays, NULL, "title", s == 0 ? "old" : "new");
        sion_array_reader_close(arrays);
    }
    sid = open_tasks("ba", 2);
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 1, shape), SION_NOT_SUCCESS);
    CHECK_INT(sion_close(sid), 1);
}

/* Bytes of the application count for positions. */
static void bytes_of_the_application_may_be_first(void)
{
    int sid = open_tasks("bw,keep=2", 2), step;

    for (step = 0; step < 4; step++) {
        CHECK_INT(sion_seek(sid, step % 2, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite("plain", 1, 5, sid), 5);
        CHECK(put_step(sid, "T", step, 2));
        CHECK_INT(step < 3 ? sion_publish(sid) : sion_close(sid), 1);
        CHECK_INT(steps_of("T", SCION_ARRAY_FROM_WHOLE), 1);
    }
}

/* They make a generation without any block, in which the arrays stay. */
static void bytes_of_the_application_may_be_all(void)
{
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;
    int sid, step;

    for (step = 0; step < 2; step++) { /* of task 1, which has no index of all */
        sid = open_tasks(step == 0 ? "bw,keep=3" : "ba", 2);
        CHECK(put_step(sid, "T", step, 2));
        CHECK_INT(sion_array_set_attribute(sid, "T", "units", "m"), SION_SUCCESS);
        CHECK_INT(sion_publish(sid), 1);
        CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite("plain", 1, 5, sid), 5);
        CHECK_INT(step == 0 ? sion_close(sid) : sion_publish(sid), 1);
        arrays = open_arrays(SCION_ARRAY_FROM_WHOLE);
        CHECK_INT(sion_array_reader_info(arrays, "T", &info), SION_SUCCESS);
        CHECK(info.steps == 0);
        check_text(arrays, "T", "units", "m");
        sion_array_reader_close(arrays);
    }
    CHECK_INT(sion_close(sid), 1); /* without anything new */
    arrays = open_arrays(SCION_ARRAY_FROM_WHOLE);
    check_text(arrays, "T", "units", "m");
    sion_array_reader_close(arrays);
}

/* The value of the last session counts. */
static void attributes_are_replaced(void)
{
    sion_array_reader *arrays;
    int s, sid;

    for (s = 0; s < 2; s++) {
        sid = open_tasks(s == 0 ? "bw" : "ba", 2);
        CHECK(put_step(sid, "T", s, 2));
        CHECK_INT(sion_array_set_attribute(sid, "T", "units", s == 0 ? "m" : "km"), SION_SUCCESS);
        CHECK_INT(sion_array_set_attribute(sid, NULL, s == 0 ? "first" : "second", "x"),
                  SION_SUCCESS);
        CHECK_INT(sion_close(sid), 1);
    }
    arrays = sion_array_reader_open(NAME);
    CHECK(arrays && strcmp(sion_array_reader_attribute(arrays, "T", "units"), "km") == 0);
    CHECK(arrays && sion_array_reader_attribute(arrays, NULL, "first") != NULL);
    CHECK(arrays && sion_array_reader_attribute(arrays, NULL, "second") != NULL);
    sion_array_reader_close(arrays);
}

/* One of several indexes is damaged: the blocks are found by their headers. */
static void a_damaged_index_is_not_needed(void)
{
    unsigned char *bytes;
    size_t size, i;
    int n = 0;

    write_steps("bw", "T", 0, 2, 2);
    write_steps("ba", "T", 2, 2, 2);
    write_steps("ba", "T", 4, 2, 2);
    bytes = model_read_file(NAME, &size);
    for (i = 0; i + 8 <= size; i++) {
        if (memcmp(bytes + i, "\x89SIONARE", 8) == 0 && n++ < 2)
            bytes[i + 16] ^= 1;
    }
    model_write_file(NAME, bytes, size);
    free(bytes);
    CHECK_INT(n, 6);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_HEADERS), 6);
}

/* It is not known what arrays other tasks have, so there is no index of all of them. */
static void without_an_index_of_all_each_task_has_its_own(void)
{
    unsigned char *bytes;
    size_t size, i;
    struct scion_array_trailer trailer;
    int is_later;

    write_steps("bw", "T", 0, 2, 2);
    bytes = model_read_file(NAME, &size);
    for (i = 0; i + SCION_ARRAY_TRAILER <= size; i++) {
        if (scion_array_trailer_decode(bytes + i, &trailer, &is_later) && trailer.is_whole)
            bytes[i] = 0;
    }
    model_write_file(NAME, bytes, size);
    free(bytes);
    write_steps("ba", "T", 2, 2, 2);
    CHECK_INT(steps_of("T", SCION_ARRAY_FROM_HEADERS), 4); /* of task 0 */
}

int main(void)
{
    check_seed(20261127);
    RUN(each_session_is_found);
    RUN(a_step_is_there_when_it_is_published);
    RUN(a_compressed_step_is_there_when_it_is_published);
    RUN(an_index_has_what_is_new);
    RUN(arrays_of_earlier_sessions_stay);
    RUN(a_container_without_arrays_gets_some);
    RUN(another_shape_is_refused);
    RUN(a_generation_is_read_by_itself);
    RUN(definitions_survive);
    RUN(bytes_of_the_application_may_be_first);
    RUN(bytes_of_the_application_may_be_all);
    RUN(attributes_are_replaced);
    RUN(a_damaged_index_is_not_needed);
    RUN(without_an_index_of_all_each_task_has_its_own);
    unlink(NAME);
    return check_done();
}
