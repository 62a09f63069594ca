/**
 * @file sion_cxx_mpi.hpp
 * Containers opened by all tasks of an MPI communicator. Empty without MPI.
 */
#ifndef SION_CXX_MPI_HPP
#define SION_CXX_MPI_HPP

#if defined(MPI_VERSION) || defined(SION_MPI)

#include "sion_cxx_communicators.hpp"
#include "sion_mpi.h"

namespace sionlib
{
namespace mpi
{

/** Close the object before it is destroyed: the close is collective, so the destructor cannot do
 * it. It writes what is buffered, and a warning says that the container was not closed. */
class SIONFile : public CommunicatorFile
{
  public:
    SIONFile(std::string name, std::string mode = "bw", int num_files = 1, int global_rank = 0,
             MPI_Comm gComm = MPI_COMM_WORLD, MPI_Comm lComm = MPI_COMM_WORLD);
    virtual ~SIONFile();
    SIONFile(SIONFile &&) = default;
    SIONFile &operator=(SIONFile &&) = default;

    /** Calls sion_paropen_mpi; collective. The return code is the sid. */
    void open();
    /**
     * Open for reading with any number of processes; collective. by and reading_mode, which takes
     * the place of the object's mode, are those of sion_paropen_shared_mpi. getTasks returns the
     * tasks that this process reads. close closes the container. The return code is the sid.
     */
    void openShared(int by = SION_SHARE_TASKS, const std::string &reading_mode = "br");
    /** Calls sion_parclose_mpi; collective. */
    void close();
};

typedef SIONFile LSIONFile;

} // namespace mpi
} // namespace sionlib

#endif

#endif
