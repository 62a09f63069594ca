#include "sion_cxx_serial.hpp"

#include <cstdlib>
#include <utility>

#include "api/mode_writes.h"

namespace sionlib
{
namespace serial
{

SIONFile::SIONFile(std::string name, std::string mode, int num_tasks, int num_files,
                   sion_int64 *chunk_sizes, sion_int32 fs_blk_size, int *global_ranks)
    : SION_Base(name)
{
    setMode(std::move(mode));
    setNumberOfTasks(num_tasks);
    setNumberOfFiles(num_files);
    setChunkSizes(chunk_sizes);
    setFileSystemBlockSize(fs_blk_size);
    setGlobalRanks(global_ranks);
}

SIONFile::~SIONFile()
{
    if (is_open())
        close();
}

SIONFile &SIONFile::operator=(SIONFile &&other)
{
    if (this != &other && is_open())
        close();
    SION_Base::operator=(std::move(other));
    return *this;
}

/* Arrays of our own where the application has given none. */
void SIONFile::make_arrays()
{
    std::size_t tasks = num_tasks > 0 ? static_cast<std::size_t>(num_tasks) : 0;

    if (!chunk_sizes) {
        own_chunk_sizes.assign(tasks, chunk_size);
        chunk_sizes = own_chunk_sizes.data();
    }
    if (!global_ranks) {
        own_global_ranks.resize(tasks);
        for (std::size_t task = 0; task < tasks; task++)
            own_global_ranks[task] = static_cast<int>(task);
        global_ranks = own_global_ranks.data();
    }
}

/* Those of a container open for reading, which were allocated for us. */
void SIONFile::keep_arrays(sion_int64 *sizes, int *ranks)
{
    own_chunk_sizes.assign(sizes, sizes + num_tasks);
    own_global_ranks.assign(ranks, ranks + num_tasks);
    chunk_sizes = own_chunk_sizes.data();
    global_ranks = own_global_ranks.data();
    std::free(sizes);
    std::free(ranks);
}

void SIONFile::open()
{
    bool writes = scion_mode_writes(mode.c_str());
    sion_int64 *sizes = NULL;
    int *ranks = NULL;

    if (!may_open())
        return;
    if (writes) {
        make_arrays();
        sizes = chunk_sizes;
        ranks = global_ranks;
    }
    sid = sion_open(getSionFileName(), mode.c_str(), &num_tasks, &num_files, &sizes, &fs_blk_size,
                    &ranks, NULL);
    return_code = sid;
    if (is_open() && !writes)
        keep_arrays(sizes, ranks);
}

void SIONFile::openRank()
{
    if (!may_open())
        return;
    sid = sion_open_rank(getSionFileName(), mode.c_str(), &chunk_size, &fs_blk_size, &rank, NULL);
    return_code = sid;
}

int SIONFile::close()
{
    return_code = sion_close(sid);
    sid = not_open;
    return return_code;
}

std::size_t SIONFile::chunk_of_rank() const
{
    bool listed = chunk_sizes && rank >= 0 && rank < num_tasks;

    return static_cast<std::size_t>(listed ? chunk_sizes[rank] : chunk_size);
}

} // namespace serial
} // namespace sionlib
