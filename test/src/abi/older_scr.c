/*
 * A program of yesterday that uses SCR's files: what it passes has fewer members than the library
 * knows, and what follows in its memory is not taken for them.
 */
#include "src/abi/headers/sion_scr.h"

#include "check.h"
#include "fenced.h"
#include "sion_common.h"
#include "sion_error.h"
#include "sion_serial.h"
#include "support.h"

static void a_dataset_fits_into_a_smaller_struct(void)
{
    FENCED(struct sion_scr_dataset) dataset;

    PREPARE(dataset);
    CHECK_INT(sion_scr_dataset_init(&dataset.given, 7, "seven"), 1);
    CHECK_INT(dataset.given.id, 7);
    CHECK_STR(dataset.given.name, "seven");
    CHECK(dataset.given.created > 0);
    CHECK(is_whole(dataset.fence));
    dataset.given.size = 0;
    CHECK_INT(sion_scr_dataset_init(&dataset.given, 7, "seven"), 0);
    CHECK_CONTAINS(sion_error_text(), "SION_INIT");
}

static int note_dataset(void *user, const struct sion_scr_indexed *dataset)
{
    CHECK_INT(dataset->id, 7);
    CHECK_STR(dataset->name, "seven");
    CHECK(dataset->size > sizeof *dataset);
    ++*(int *)user;
    return 0;
}

/* Its fence is full of bytes, which would be wrong texts and flags of a dataset. */
static void members_that_the_program_does_not_have_are_0(void)
{
    FENCED(struct sion_scr_dataset) dataset;
    FENCED(struct sion_scr_place) place;
    FENCED(struct sion_scr_drop) drop;
    int visits = 0;

    PREPARE(dataset);
    PREPARE(place);
    PREPARE(drop);
    CHECK_INT(sion_scr_dataset_init(&dataset.given, 7, "seven"), 1);
    place.given.layout = 1;
    place.given.base = "seven";
    CHECK_INT(sion_scr_summary_write(&place.given, &dataset.given), 1);
    CHECK_INT(sion_scr_index_write(".", &dataset.given), 1);
    CHECK_INT(sion_scr_index_visit(".", note_dataset, &visits), 1);
    CHECK_INT(visits, 1);
    drop.given.name = "seven";
    CHECK_INT(sion_scr_index_drop(".", &drop.given, NULL, NULL), 1);
    CHECK_INT(sion_scr_index_visit(".", note_dataset, &visits), 0);
}

static void options_are_smaller(void)
{
    sion_int64 chunksize = 4096, *chunksizes = &chunksize;
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int32 fsblksize = 512;
    FENCED(struct sion_scr_export_options) options;
    struct {
        struct sion_scr_export_options given;
        size_t later[64];
    } newer;
    char name[] = "c.sion";

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_fwrite("abc", 1, 3, sid), 3);
    CHECK_INT(sion_close(sid), 1);
    PREPARE(options);
    CHECK_INT(sion_scr_export(name, &options.given), 1);
    memset(&newer, 0, sizeof newer);
    newer.given.size = sizeof newer;
    CHECK_INT(sion_scr_export(name, &newer.given), 1);
    newer.later[63] = 1;
    CHECK_INT(sion_scr_export(name, &newer.given), 0);
    CHECK_INT(sion_error_code(), SION_ERR_VERSION);
    CHECK_CONTAINS(sion_error_text(), "does not know");
}

int main(void)
{
    support_enter_folder();
    RUN(a_dataset_fits_into_a_smaller_struct);
    RUN(members_that_the_program_does_not_have_are_0);
    RUN(options_are_smaller);
    support_leave_folder();
    return check_done();
}
