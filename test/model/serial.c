/* Compares containers of the serial interface with the model. */
#include "serial.h"

static void one_case(void)
{
    static const struct model_flavour *const readers[] = {&model_serially, &model_rank_by_rank};

    model_ones(1 + (int)check_below(8));
    model.serial = 1;
    model.nfiles = 1;
    model.keyval = check_below(3) == 0;
    model.posix = check_below(4) == 0;
    model_generate();
    model_try(&model_serially, readers, 2);
}

static void data_are_at_the_places_of_the_format(void)
{
    model_run_cases(150, one_case, &model_serially);
}

int main(void)
{
    support_enter_folder();
    check_seed(4711);
    RUN(data_are_at_the_places_of_the_format);
    support_leave_folder();
    return check_done();
}
