#include "sion_cxx_common.hpp"

#include <cstdlib>

namespace sionlib
{

ParallelFile::ParallelFile(const std::string &name, const std::string &mode, int num_files,
                           int global_rank)
    : SION_Base(name), global_rank(global_rank)
{
    setMode(mode);
    setNumberOfFiles(num_files);
}

char *ParallelFile::getNewSionFileName()
{
    return &new_name[0];
}

void ParallelFile::setGlobalRank(int global_rank)
{
    this->global_rank = global_rank;
}

int ParallelFile::getGlobalRank() const
{
    return global_rank;
}

void ParallelFile::ensureFreeSpace(long bytes)
{
    return_code = sion_ensure_free_space(sid, bytes);
}

void ParallelFile::endOfFile()
{
    return_code = sion_feof(sid);
}

const std::vector<int> &ParallelFile::getTasks() const
{
    return own_tasks;
}

void ParallelFile::put_collectively(const void *data, std::size_t size, std::size_t nitems)
{
    note(static_cast<sion_int64>(sion_coll_fwrite(data, size, nitems, sid)));
}

void ParallelFile::get_collectively(void *data, std::size_t size, std::size_t nitems)
{
    note(static_cast<sion_int64>(sion_coll_fread(data, size, nitems, sid)));
    num_read = return_code;
}

void ParallelFile::opened(char *new_name)
{
    return_code = sid;
    if (is_open())
        setRank(global_rank);
    this->new_name = new_name ? new_name : "";
    std::free(new_name);
    own_tasks.clear();
}

void ParallelFile::opened_shared(int ntasks, const int *ranks)
{
    opened(NULL);
    if (is_open())
        own_tasks.assign(ranks, ranks + ntasks);
}

} // namespace sionlib
