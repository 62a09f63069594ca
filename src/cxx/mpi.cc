/*
 * The classes of the MPI and of the hybrid interface, which differ in names only. Compiled once for
 * each, with SCION_CXX_HYBRID for the hybrid one.
 */
#ifdef SCION_CXX_HYBRID
#define SION_OMPI
#include "sion_cxx_ompi.hpp"
#define INTERFACE      ompi
#define PAROPEN        sion_paropen_ompi
#define PAROPEN_SHARED sion_paropen_shared_ompi
#define PARCLOSE       sion_parclose_ompi
#else
#define SION_MPI
#include "sion_cxx_mpi.hpp"
#define INTERFACE      mpi
#define PAROPEN        sion_paropen_mpi
#define PAROPEN_SHARED sion_paropen_shared_mpi
#define PARCLOSE       sion_parclose_mpi
#endif

namespace sionlib
{
namespace INTERFACE
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
    sid = PAROPEN(name.c_str(), mode.c_str(), &num_files, global_comm, &local_comm, &chunk_size,
                  &fs_blk_size, &global_rank, NULL, &new_name);
    opened(new_name);
}

void SIONFile::openShared(int by, const std::string &reading_mode)
{
    int ntasks = 0, *ranks = NULL;

    if (!may_open())
        return;
    sid = PAROPEN_SHARED(name.c_str(), reading_mode.c_str(), global_comm, by, &ntasks, &ranks);
    opened_shared(ntasks, ranks);
}

void SIONFile::close()
{
    return_code = PARCLOSE(sid);
    sid = not_open;
}

} // namespace INTERFACE
} // namespace sionlib
