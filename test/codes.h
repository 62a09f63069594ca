/* For tests of interfaces that return SION_SUCCESS, or a number, and keep the reason of a failure.
 */
#ifndef TEST_CODES_H
#define TEST_CODES_H

#include "sion_const.h"
#include "sion_error.h"

/* 0 after a success, or the code of the failure. */
static inline int code_of(int result)
{
    return result == SION_SUCCESS ? 0 : sion_error_code();
}

/* The number, or the code of the failure. */
static inline int number_or_code(int number)
{
    return number >= 0 ? number : sion_error_code();
}

#endif
