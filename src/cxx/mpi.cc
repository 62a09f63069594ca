#define SION_MPI
#include "sion_cxx_mpi.hpp"

namespace sionlib
{
namespace mpi
{

SIONFile::SIONFile(std::string name, std::string mode, int num_files, int global_rank,
                   MPI_Comm gComm, MPI_Comm lComm)
    : CommunicatorFile(name, mode, num_files, global_rank, gComm, lComm)
{
}

SIONFile::~SIONFile()
{
}

void SIONFile::open()
{
    char *new_name = NULL;

    if (!may_open())
        return;
    sid = sion_paropen_mpi(name.c_str(), mode.c_str(), &num_files, global_comm, &local_comm,
                           &chunk_size, &fs_blk_size, &global_rank, NULL, &new_name);
    opened(new_name);
}

void SIONFile::close()
{
    return_code = sion_parclose_mpi(sid);
    sid = not_open;
}

} // namespace mpi
} // namespace sionlib
