/**
 * @file sion_cxx_omp.hpp
 * Containers opened by all threads of an OpenMP team. Empty unless SION_OMP is defined.
 */
#ifndef SION_CXX_OMP_HPP
#define SION_CXX_OMP_HPP

#if defined(SION_OMP)

#include "sion_cxx_common.hpp"
#include "sion_omp.h"

namespace sionlib
{
namespace omp
{

/** Each thread has its own object and must close it; the close is collective over the team. */
class SIONFile : public ParallelFile
{
  public:
    SIONFile(std::string name, std::string mode = "bw", int global_rank = 0);
    virtual ~SIONFile();
    SIONFile(SIONFile &&) = default;
    SIONFile &operator=(SIONFile &&) = default;

    /** Calls sion_paropen_omp; collective over the team. The return code is the sid. */
    void open();
    /**
     * Open for reading with any number of threads; collective. by and reading_mode, which takes
     * the place of the object's mode, are those of sion_paropen_shared_omp. getTasks returns the
     * tasks that this thread reads. close closes the container. The return code is the sid.
     */
    void openShared(int by = SION_SHARE_TASKS, const std::string &reading_mode = "br");
    /** Calls sion_parclose_omp; collective over the team. */
    void close();
};

typedef SIONFile LSIONFile;

} // namespace omp
} // namespace sionlib

#endif

#endif
