/**
 * @file sion_cxx_ompi.hpp
 * Containers opened by all threads of all tasks of an MPI communicator. Empty unless SION_OMPI is
 * defined.
 */
#ifndef SION_CXX_OMPI_HPP
#define SION_CXX_OMPI_HPP

#if defined(SION_OMPI)

#include "sion_cxx_communicators.hpp"
#include "sion_ompi.h"

namespace sionlib
{
namespace ompi
{

/** Each thread has its own object and must close it; the close is collective over all. */
class SIONFile : public CommunicatorFile
{
  public:
    SIONFile(std::string name, std::string mode = "bw", int num_files = 1, int global_rank = 0,
             MPI_Comm gComm = MPI_COMM_WORLD, MPI_Comm lComm = MPI_COMM_WORLD);
    virtual ~SIONFile();
    SIONFile(SIONFile &&) = default;
    SIONFile &operator=(SIONFile &&) = default;

    /** Calls sion_paropen_ompi; collective over all threads of all tasks. The return code is the
     * sid. */
    void open();
    /**
     * Open for reading with any number of threads; collective. by and reading_mode, which takes
     * the place of the object's mode, are those of sion_paropen_shared_ompi. getTasks returns the
     * tasks that this thread reads. close closes the container. The return code is the sid.
     */
    void openShared(int by = SION_SHARE_TASKS, const std::string &reading_mode = "br");
    /** Calls sion_parclose_ompi; collective over the same threads. */
    void close();
};

typedef SIONFile LSIONFile;

} // namespace ompi
} // namespace sionlib

#endif

#endif
