/* Compares containers of the MPI interface with the model: one task per rank, mapped, and with
   copies. */
#include "mpi_opens.h"

static const struct model_flavour *const readers[] = {&model_serially,      &model_rank_by_rank,
                                                      &model_mapped_by_mpi, &model_shared_by_mpi,
                                                      &model_by_mpi,        &model_by_mpi_buddies};

static void one_case(void)
{
    model_ones(mpi_size);
    model.split = check_below(2) ? MODEL_RUNS : MODEL_GROUPS;
    model.nfiles = model_number_of_files(1);
    model.keyval = check_below(4) == 0;
    model.posix = check_below(4) == 0;
    model.collective = check_below(2) == 0;
    model.collsize = (int)check_below(5);
    model.merge = model.collective && !model.keyval && check_below(3) == 0;
    model.by_count = model.collective && check_below(4) == 0;
    model_generate();
    model_try(&model_by_mpi, readers, 5);
}

/* Other numbers of processes than of tasks write and read the container. */
static void one_mapped_case(void)
{
    model_ones(1 + (int)check_below(12));
    model.split = MODEL_ANY;
    model.mapped = 1;
    model.workers = mpi_size;
    model.nfiles = model_number_of_files(1);
    model.keyval = check_below(2) == 0;
    model.posix = check_below(4) == 0;
    model_generate();
    model_try(&model_mapped_by_mpi, readers, model.ntasks == mpi_size ? 5 : 4);
}

static void one_buddy_case(void)
{
    model_ones(mpi_size);
    model.split = MODEL_GROUPS;
    model.nfiles = model_number_of_files(2);
    model.copies = 1 + (int)check_below((size_t)model.nfiles - 1);
    model.collective = check_below(2) == 0;
    model.collsize = (int)check_below(5);
    model_generate();
    model_try(&model_by_mpi, readers, 5);
    model_lose_nodes();
    model_try_reading(readers + 5, 1);
}

static void one_serial_case(void)
{
    model_ones(mpi_size);
    model.serial = 1;
    model.nfiles = 1;
    model.keyval = check_below(3) == 0;
    model_generate();
    model_try(&model_serially, readers + 2, 3);
}

/* Ranks that share a core are slow. */
static int usual_rounds(void)
{
    return mpi_size < 3 ? 20 : mpi_size < 5 ? 8 : 3;
}

static void every_rank_has_its_stream_at_the_places_of_the_format(void)
{
    model_run_cases(usual_rounds(), one_case, &model_by_mpi);
}

static void mapped_tasks_are_at_the_places_in_the_map(void)
{
    model_run_cases(usual_rounds(), one_mapped_case, &model_mapped_by_mpi);
}

static void copies_replace_lost_files(void)
{
    if (mpi_size < 2)
        SKIP("needs 2 ranks");
    else
        model_run_cases(usual_rounds(), one_buddy_case, &model_by_mpi);
}

static void all_ranks_read_serial_containers(void)
{
    model_run_cases(usual_rounds(), one_serial_case, &model_serially);
}

int main(int argc, char **argv)
{
    model_begin_mpi(&argc, &argv);
    check_seed(2718);
    RUN_MPI(every_rank_has_its_stream_at_the_places_of_the_format);
    RUN_MPI(mapped_tasks_are_at_the_places_in_the_map);
    RUN_MPI(copies_replace_lost_files);
    RUN_MPI(all_ranks_read_serial_containers);
    return mpi_end();
}
