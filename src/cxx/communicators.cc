#include "sion_cxx_communicators.hpp"

namespace sionlib
{

CommunicatorFile::CommunicatorFile(const std::string &name, const std::string &mode, int num_files,
                                   int global_rank, MPI_Comm gComm, MPI_Comm lComm)
    : ParallelFile(name, mode, num_files, global_rank), global_comm(gComm), local_comm(lComm)
{
}

CommunicatorFile::~CommunicatorFile()
{
}

void CommunicatorFile::setLocalCommunicator(MPI_Comm comm)
{
    local_comm = comm;
}

MPI_Comm CommunicatorFile::getLocalCommunicator() const
{
    return local_comm;
}

void CommunicatorFile::setGlobalCommunicator(MPI_Comm comm)
{
    global_comm = comm;
}

MPI_Comm CommunicatorFile::getGlobalCommunicator() const
{
    return global_comm;
}

} // namespace sionlib
