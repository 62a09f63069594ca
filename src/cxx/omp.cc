#define SION_OMP
#include "sion_cxx_omp.hpp"

namespace sionlib
{
namespace omp
{

SIONFile::SIONFile(std::string name, std::string mode, int global_rank)
    : ParallelFile(name, mode, 1, global_rank)
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
    sid = sion_paropen_omp(name.c_str(), mode.c_str(), &chunk_size, &fs_blk_size, &global_rank,
                           NULL, &new_name);
    opened(new_name);
}

void SIONFile::openShared(int by, const std::string &reading_mode)
{
    int ntasks = 0, *ranks = NULL;

    if (!may_open())
        return;
    sid = sion_paropen_shared_omp(name.c_str(), reading_mode.c_str(), by, &ntasks, &ranks);
    opened_shared(ntasks, ranks);
}

void SIONFile::close()
{
    return_code = sion_parclose_omp(sid);
    sid = not_open;
}

} // namespace omp
} // namespace sionlib
