/**
 * @file sion_cxx_drain.hpp
 * Staged containers: whether they are complete; the functions of sion_drain.h.
 *
 *     sionlib::drain("x.sion").wait();
 *
 * Calls return what those functions do, as getReturnCode does afterwards, and sion_error_text tells
 * the reason of a failure. All calls are local. Different objects may be used by different threads
 * at once.
 */
#ifndef SION_CXX_DRAIN_HPP
#define SION_CXX_DRAIN_HPP

#include <cstring>
#include <string>
#include <utility>

#include "sion_const.h"
#include "sion_drain.h"

namespace sionlib
{

/** The containers of a name, or all that this process has staged. */
class drain
{
  public:
    /** All that this process has staged, or those of a name. */
    drain() : return_code(SION_SUCCESS)
    {
    }
    explicit drain(std::string of_name) : name(std::move(of_name)), return_code(SION_SUCCESS)
    {
    }

    /** Whether they are complete: 1; 0: not yet; -1: a drain has failed. */
    int test()
    {
        return return_code = sion_drain_test(name_or_all());
    }
    /** Wait until they are; SION_NOT_SUCCESS if a drain has failed. */
    int wait()
    {
        return return_code = sion_drain_wait(name_or_all());
    }
    /** Their progress, in bytes and in containers, and why a drain has failed. */
    sion_drain_progress getProgress()
    {
        sion_drain_progress progress;

        SION_INIT(&progress);
        return_code = sion_drain_get_progress(name_or_all(), &progress);
        return progress;
    }
    /** Result of the last call. */
    int getReturnCode() const
    {
        return return_code;
    }

  private:
    const char *name_or_all() const
    {
        return name.empty() ? NULL : name.c_str();
    }

    std::string name;
    int return_code;
};

} // namespace sionlib

#endif
