/* Programs without other processes. */
#ifndef TEST_FAULTS_ONE_PROCESS_H
#define TEST_FAULTS_ONE_PROCESS_H

#include "product.h"

static void product_collect(void)
{
    product.all[0] = product.mine;
}

static long product_tell(long number)
{
    return number;
}

static int product_of_kinds(const struct kind *kinds, size_t n)
{
    size_t i;

    product.processes = 1;
    support_enter_folder();
    for (i = 0; i < n; i++) {
        product_begin(&kinds[i]);
        check_run_test(kinds[i].name, product_of_faults);
    }
    support_leave_folder();
    return check_done();
}

#endif
