#define SION_OMPI
#include "sion_cxx_ompi.hpp"

namespace sionlib
{
namespace ompi
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
    sid = sion_paropen_ompi(name.c_str(), mode.c_str(), &num_files, global_comm, &local_comm,
                            &chunk_size, &fs_blk_size, &global_rank, NULL, &new_name);
    opened(new_name);
}

void SIONFile::close()
{
    return_code = sion_parclose_ompi(sid);
    sid = not_open;
}

} // namespace ompi
} // namespace sionlib
