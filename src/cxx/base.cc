#include "sion_cxx_base.hpp"

#include <climits>
#include <utility>

#include "api/bindings.h"

static const sion_int64 default_chunk_size = 2 * 1024 * 1024;

SION_Base::SION_Base() : SION_Base(std::string())
{
}

SION_Base::SION_Base(const std::string &name)
    : name(name), num_tasks(1), num_files(1), rank(0), chunk_size(default_chunk_size),
      chunk_sizes(NULL), global_ranks(NULL), fs_blk_size(-1), num_read(0), sid(not_open),
      return_code(0)
{
}

/* A serial container has been closed before. A close of others is collective, and an object may go
   at any time. */
SION_Base::~SION_Base()
{
    if (is_open())
        sion_layer_lose(sid);
}

SION_Base::SION_Base(SION_Base &&other) : SION_Base()
{
    *this = std::move(other);
}

/* Vectors keep their memory when they are moved, so the two pointers stay valid. */
SION_Base &SION_Base::operator=(SION_Base &&other)
{
    if (this == &other)
        return *this;
    if (is_open())
        sion_layer_lose(sid);
    name = std::move(other.name);
    mode = std::move(other.mode);
    num_tasks = other.num_tasks;
    num_files = other.num_files;
    rank = other.rank;
    chunk_size = other.chunk_size;
    chunk_sizes = other.chunk_sizes;
    global_ranks = other.global_ranks;
    fs_blk_size = other.fs_blk_size;
    num_read = other.num_read;
    sid = other.sid;
    return_code = other.return_code;
    own_chunk_sizes = std::move(other.own_chunk_sizes);
    own_global_ranks = std::move(other.own_global_ranks);
    other.sid = not_open;
    other.chunk_sizes = NULL;
    other.global_ranks = NULL;
    return *this;
}

char *SION_Base::getSionFileName()
{
    return &name[0];
}

void SION_Base::setMode(std::string mode)
{
    this->mode = std::move(mode);
}

std::string SION_Base::getMode() const
{
    return mode;
}

#define SET_AND_GET(name, type, member)                                                            \
    void SION_Base::set##name(type member)                                                         \
    {                                                                                              \
        this->member = member;                                                                     \
    }                                                                                              \
    type SION_Base::get##name() const                                                              \
    {                                                                                              \
        return member;                                                                             \
    }
SET_AND_GET(NumberOfFiles, int, num_files)
SET_AND_GET(NumberOfTasks, int, num_tasks)
SET_AND_GET(Rank, int, rank)
SET_AND_GET(ChunkSize, sion_int64, chunk_size)
SET_AND_GET(FileSystemBlockSize, sion_int32, fs_blk_size)

void SION_Base::setChunkSizes(sion_int64 *chunk_sizes)
{
    this->chunk_sizes = chunk_sizes;
}

sion_int64 *SION_Base::getChunkSizes()
{
    return chunk_sizes;
}

void SION_Base::setGlobalRanks(int *global_ranks)
{
    this->global_ranks = global_ranks;
}

int *SION_Base::getGlobalRanks()
{
    return global_ranks;
}

int SION_Base::getNumberOfSuccessfulReadElements() const
{
    return num_read;
}

int SION_Base::getSid() const
{
    return sid;
}

int SION_Base::getReturnCode() const
{
    return return_code;
}

void SION_Base::seek()
{
    return_code = sion_seek(sid, SION_CURRENT_RANK, SION_CURRENT_BLK, SION_CURRENT_POS);
}

void SION_Base::selectTask(int task)
{
    return_code = sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS);
}

int SION_Base::getFileEndianness()
{
    return_code = sion_get_file_endianness(sid);
    return return_code;
}

#define NOTED(name, function)                                                                      \
    sion_int64 SION_Base::name()                                                                   \
    {                                                                                              \
        return note(function(sid));                                                                \
    }
NOTED(getBytesWritten, sion_get_bytes_written)
NOTED(getBytesRead, sion_get_bytes_read)
NOTED(getBytesAvailInBlock, sion_bytes_avail_in_block)
NOTED(getBytesAvailInChunk, sion_bytes_avail_in_chunk)
NOTED(getPosition, sion_get_position)
NOTED(tellStream, sion_stream_tell)
NOTED(sizeStream, sion_stream_size)
NOTED(refresh, sion_refresh)

int SION_Base::getGeneration(sion_int64 *generation, sion_int64 *forgotten)
{
    return_code = sion_get_generation(sid, generation, forgotten);
    return return_code;
}

sion_int64 SION_Base::writeStream(const void *data, sion_int64 bytes)
{
    return note(sion_stream_write(sid, data, bytes));
}

sion_int64 SION_Base::readStream(void *data, sion_int64 bytes)
{
    return note(sion_stream_read(sid, data, bytes));
}

sion_int64 SION_Base::skipStream(sion_int64 bytes)
{
    return note(sion_stream_skip(sid, bytes));
}

static int number_of(const std::vector<int> &ranks)
{
    if (ranks.size() > INT_MAX)
        throw std::length_error("sionlib: more tasks than a container can have");
    return static_cast<int>(ranks.size());
}

sion_int64 SION_Base::sizeStreams(const std::vector<int> &ranks, std::vector<sion_int64> *starts)
{
    const int ntasks = number_of(ranks);

    starts->assign(ranks.size() + 1, 0);
    return note(sion_stream_sizes(sid, ntasks, ranks.data(), starts->data()));
}

sion_int64 SION_Base::readStreams(const std::vector<int> &ranks,
                                  const std::vector<sion_int64> &starts, void *data,
                                  sion_int64 bytes)
{
    if (starts.size() < ranks.size())
        throw std::out_of_range("sionlib: fewer starts than tasks");
    return note(
        sion_stream_read_tasks(sid, number_of(ranks), ranks.data(), starts.data(), data, bytes));
}

sion_int64 SION_Base::readStreams(const std::vector<int> &ranks, std::vector<sion_int64> *starts,
                                  std::vector<char> *data)
{
    const sion_int64 bytes = sizeStreams(ranks, starts);

    data->resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
    return bytes < 0 ? bytes : readStreams(ranks, *starts, data->data(), bytes);
}

bool SION_Base::is_open() const
{
    return sid >= 0;
}

sion_int64 SION_Base::note(sion_int64 result)
{
    return_code = result > INT_MAX ? INT_MAX : static_cast<int>(result);
    return result;
}

bool SION_Base::may_open()
{
    if (is_open())
        return_code = SION_ID_NOT_VALID;
    return !is_open();
}

void SION_Base::put(const void *data, std::size_t size, std::size_t nitems)
{
    note(static_cast<sion_int64>(sion_fwrite(data, size, nitems, sid)));
}

void SION_Base::get(void *data, std::size_t size, std::size_t nitems)
{
    note(static_cast<sion_int64>(sion_fread(data, size, nitems, sid)));
    num_read = return_code;
}

void SION_Base::get_items(void *data, std::size_t size, std::size_t count)
{
    const sion_int64 bytes = readStream(data, static_cast<sion_int64>(size * count));

    num_read = bytes > 0 ? static_cast<int>(static_cast<std::size_t>(bytes) / size) : 0;
}
