/**
 * @file sion_cxx_communicators.hpp
 * The common part of the classes of the MPI and the hybrid interface: their communicators.
 */
#ifndef SION_CXX_COMMUNICATORS_HPP
#define SION_CXX_COMMUNICATORS_HPP

#include <mpi.h>

#include "sion_cxx_common.hpp"

namespace sionlib
{

/** Set the communicators before the open; they must live until the close. */
class CommunicatorFile : public ParallelFile
{
  public:
    CommunicatorFile(const std::string &name, const std::string &mode, int num_files,
                     int global_rank, MPI_Comm gComm, MPI_Comm lComm);
    virtual ~CommunicatorFile();
    CommunicatorFile(CommunicatorFile &&) = default;
    CommunicatorFile &operator=(CommunicatorFile &&) = default;

    /** Tasks that share a physical file; used only if the number of files is 0 or less. */
    void setLocalCommunicator(MPI_Comm comm);
    MPI_Comm getLocalCommunicator() const;
    /** All tasks of the container. */
    void setGlobalCommunicator(MPI_Comm comm);
    MPI_Comm getGlobalCommunicator() const;

  protected:
    MPI_Comm global_comm, local_comm;
};

} // namespace sionlib

#endif
