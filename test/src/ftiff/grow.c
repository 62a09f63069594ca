/*
 * How a file grows: special cases of the rule, and random histories compared with a simple model.
 * seed.sh has the seven checkpoints of FTI's description.
 */
#include "fti_check.h"

/* One step of a history: the image grows to hold what is protected now. */
static struct scion_fti_image image;

static void begin(enum scion_fti_era era)
{
    scion_fti_image_clear(&image);
    image.era = era;
}

static void step(const struct scion_fti_demand *demands, int n)
{
    struct scion_fti_image next = {.era = image.era};

    CHECK_INT(scion_fti_grow(&image, demands, n, &next), 0);
    CHECK_INT(scion_fti_image_check(&next), 0);
    scion_fti_image_clear(&image);
    image = next;
}

/* Check container `at` of the file. */
static void is(int at, int id, int idx, int containerid, sion_int64 dptr, sion_int64 chunksize,
               sion_int64 containersize)
{
    const struct scion_fti_var *var = &image.vars[at];

    CHECK(at < image.nvars);
    CHECK_INT(var->id, id);
    if (image.idx)
        CHECK_INT(image.idx[at], idx);
    CHECK_INT(var->containerid, containerid);
    CHECK_INT(var->dptr, dptr);
    CHECK_INT(var->chunksize, chunksize);
    CHECK_INT(var->containersize, containersize);
}

static void a_variable_that_grows_gets_another_container(void)
{
    begin(SCION_FTI_F);
    step((struct scion_fti_demand[]){{5, 100}, {3, 10}}, 2);
    CHECK_INT(image.nblocks, 1);
    is(0, 5, 0, 0, 0, 100, 100);
    is(1, 3, 1, 0, 0, 10, 10);
    step((struct scion_fti_demand[]){{5, 130}, {3, 10}, {4, 7}}, 3);
    CHECK_INT(image.nblocks, 2);
    CHECK_INT(scion_fti_numvars(&image, 1), 2);
    is(0, 5, 0, 0, 0, 100, 100);
    is(2, 5, 0, 1, 100, 30, 30);
    is(3, 4, 2, 0, 0, 7, 7);
    CHECK_INT(image.fb.datasize, 147);
    CHECK_INT(image.fb.metasize, 106 + 2 * 12 + 4 * 58);
}

static void a_variable_that_shrinks_leaves_empty_containers(void)
{
    begin(SCION_FTI_A);
    step((struct scion_fti_demand[]){{1, 100}}, 1);
    step((struct scion_fti_demand[]){{1, 150}}, 1);
    step((struct scion_fti_demand[]){{1, 100}}, 1);
    CHECK_INT(image.nblocks, 2);
    is(0, 1, 0, 0, 0, 100, 100);
    is(1, 1, 0, 1, 100, 0, 50);
    step((struct scion_fti_demand[]){{1, 99}}, 1);
    is(0, 1, 0, 0, 0, 99, 100);
    step((struct scion_fti_demand[]){{1, 0}}, 1);
    is(0, 1, 0, 0, 0, 0, 100);
    is(1, 1, 0, 1, 100, 0, 50);
    step((struct scion_fti_demand[]){{1, 151}}, 1);
    is(1, 1, 0, 1, 100, 50, 50);
    is(2, 1, 0, 2, 150, 1, 1);
    CHECK_INT(image.fb.fs, 96 + 3 * 76 + 151);
}

static void an_empty_variable_has_an_empty_container(void)
{
    begin(SCION_FTI_F);
    step((struct scion_fti_demand[]){{1, 0}, {2, 5}}, 2);
    is(0, 1, 0, 0, 0, 0, 0);
    is(1, 2, 1, 0, 0, 5, 5);
    step((struct scion_fti_demand[]){{1, 0}, {2, 5}}, 2);
    CHECK_INT(image.nvars, 2);
    step((struct scion_fti_demand[]){{1, 8}, {2, 5}}, 2);
    is(2, 1, 0, 1, 0, 8, 8);
}

static void a_forgotten_variable_keeps_its_containers(void)
{
    begin(SCION_FTI_A);
    step((struct scion_fti_demand[]){{1, 10}, {2, 20}, {3, 30}}, 3);
    step((struct scion_fti_demand[]){{3, 30}}, 1);
    CHECK_INT(image.nblocks, 1);
    is(0, 1, 1, 0, 0, 0, 10);
    is(1, 2, 2, 0, 0, 0, 20);
    is(2, 3, 0, 0, 0, 30, 30);
    step((struct scion_fti_demand[]){{2, 25}, {3, 30}}, 2);
    is(0, 1, 2, 0, 0, 0, 10);
    is(1, 2, 0, 0, 0, 20, 20);
    is(3, 2, 0, 1, 20, 5, 5);
}

static void new_containers_have_the_order_of_the_protects(void)
{
    begin(SCION_FTI_A);
    step((struct scion_fti_demand[]){{1, 10}, {2, 20}}, 2);
    step((struct scion_fti_demand[]){{2, 21}, {1, 11}}, 2);
    is(0, 1, 1, 0, 0, 10, 10);
    is(1, 2, 0, 0, 0, 20, 20);
    is(2, 2, 0, 1, 20, 1, 1);
    is(3, 1, 1, 1, 10, 1, 1);
}

static void without_variables_there_is_only_the_file_block(void)
{
    begin(SCION_FTI_F);
    step(NULL, 0);
    CHECK_INT(image.fb.fs, 106);
    CHECK_INT(image.nblocks, 0);
}

static void sizes_that_overflow_are_refused(void)
{
    struct scion_fti_image next = {.era = SCION_FTI_F};
    const sion_int64 most = 0x7fffffffffffffff;

    begin(SCION_FTI_F);
    CHECK_INT(scion_fti_grow(&image, (struct scion_fti_demand[]){{1, most}, {2, 1}}, 2, &next),
              SION_ERR_ARGUMENT);
    CHECK(scion_fti_grow(&image, (struct scion_fti_demand[]){{1, most - 5}}, 1, &next) < 0);
    CHECK_INT(scion_fti_grow(&image, (struct scion_fti_demand[]){{1, -1}}, 1, &next),
              SION_ERR_ARGUMENT);
    next.era = SCION_FTI_E;
    CHECK_INT(scion_fti_grow(&image, (struct scion_fti_demand[]){{1, 0x7fffffff}}, 1, &next),
              SION_ERR_ARGUMENT);
    CHECK_INT(next.nvars, 0);
}

/* The largest file of layout E: 82 bytes of file block, 8 of the block, and 50 of the container. */
static void layout_e_holds_sizes_of_31_bits(void)
{
    const sion_int64 most = 0x7fffffff - 82 - 8 - 50;
    struct scion_fti_image next = {.era = SCION_FTI_E};

    begin(SCION_FTI_E);
    step((struct scion_fti_demand[]){{1, most}}, 1);
    CHECK_INT(image.fb.fs, 0x7fffffff);
    begin(SCION_FTI_E);
    CHECK_INT(scion_fti_grow(&image, (struct scion_fti_demand[]){{1, most + 1}}, 1, &next),
              SION_ERR_ARGUMENT);
    /* The largest size that a variable ever had counts. */
    begin(SCION_FTI_F);
    step((struct scion_fti_demand[]){{1, most + 1}}, 1);
    next.era = SCION_FTI_E;
    CHECK_INT(scion_fti_grow(&image, (struct scion_fti_demand[]){{1, 1}}, 1, &next),
              SION_ERR_ARGUMENT);
}

/* ---- random histories ---- */

enum { VARIABLES = 6, STEPS = 30 };

/* A variable's bytes fill its containers in turn, and no container has moved or shrunk. */
static void compare_with_model(const struct scion_fti_image *before, const sion_int64 *sizes)
{
    int id, i;

    for (i = 0; i < before->nvars; i++) {
        CHECK_INT(image.vars[i].id, before->vars[i].id);
        CHECK_INT(image.vars[i].containerid, before->vars[i].containerid);
        CHECK_INT(image.vars[i].containersize, before->vars[i].containersize);
        CHECK_INT(image.vars[i].dptr, before->vars[i].dptr);
    }
    for (id = 0; id < VARIABLES; id++) {
        struct scion_fti_variable variable = {.size = 0};
        int found = scion_fti_variable_find(&image, id, &variable), ended = 0;

        CHECK_INT(variable.size, sizes[id] < 0 ? 0 : sizes[id]);
        CHECK(found || sizes[id] < 0);
        for (i = 0; i < variable.count; i++) {
            const struct scion_fti_var *var = &image.vars[image.order[variable.first + i]];

            CHECK(!ended || var->chunksize == 0);
            ended |= var->chunksize < var->containersize;
        }
    }
}

static int choose(struct scion_fti_demand *demands, sion_int64 *sizes)
{
    int id, n = 0;

    for (id = 0; id < VARIABLES; id++) {
        size_t kind = check_below(8);

        if (kind == 0)
            sizes[id] = -1;
        else if (kind < 4 || sizes[id] < 0)
            sizes[id] = (sion_int64)check_below(kind == 1 ? 3 : 1000);
        if (sizes[id] >= 0)
            demands[n++] = (struct scion_fti_demand){id, sizes[id]};
    }
    return n;
}

static void random_histories_follow_the_rule(void)
{
    int history, i;

    check_seed(20261121);
    for (history = 0; history < 200; history++) {
        sion_int64 sizes[VARIABLES] = {0};

        begin((enum scion_fti_era)(history % SCION_FTI_ERAS));
        for (i = 0; i < STEPS; i++) {
            struct scion_fti_demand demands[VARIABLES];
            int n = choose(demands, sizes);
            struct scion_fti_image before = image;

            image = (struct scion_fti_image){.era = before.era};
            CHECK_INT(scion_fti_grow(&before, demands, n, &image), 0);
            CHECK_INT(scion_fti_image_check(&image), 0);
            compare_with_model(&before, sizes);
            scion_fti_image_clear(&before);
        }
    }
}

int main(void)
{
    RUN(a_variable_that_grows_gets_another_container);
    RUN(a_variable_that_shrinks_leaves_empty_containers);
    RUN(an_empty_variable_has_an_empty_container);
    RUN(a_forgotten_variable_keeps_its_containers);
    RUN(new_containers_have_the_order_of_the_protects);
    RUN(without_variables_there_is_only_the_file_block);
    RUN(sizes_that_overflow_are_refused);
    RUN(layout_e_holds_sizes_of_31_bits);
    RUN(random_histories_follow_the_rule);
    scion_fti_image_clear(&image);
    return check_done();
}
