/**
 * @file sion_cxx_base.hpp
 * What the container classes of all interfaces have in common.
 *
 * A container object holds the arguments of the C functions. They are set before the open, and a
 * container that is open for reading has those of the file. An object is not copied, as a sid is
 * not; it can be moved, and what it was moved from is as if never opened. Errors are told by
 * getReturnCode, the result of the last C function that the object has called; sion_error_text says
 * why. Nothing is thrown but what the standard library throws.
 */
#ifndef SION_CXX_BASE_HPP
#define SION_CXX_BASE_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "sion_common.h"
#include "sion_const.h"
#include "sion_datatypes.h"

namespace sionlib
{

/** Where the bytes of an object to read into are: in a container (std::vector), or the object. */
template <class T> auto data_of(T *object, int) -> decltype(static_cast<void *>(object->data()))
{
    return static_cast<void *>(object->data());
}
template <class T> void *data_of(T *object, long)
{
    return static_cast<void *>(object);
}

} // namespace sionlib

class SION_Base
{
  public:
    /** Nothing is opened. name: of the container's first file. */
    SION_Base();
    explicit SION_Base(const std::string &name);
    virtual ~SION_Base();

    SION_Base(const SION_Base &) = delete;
    SION_Base &operator=(const SION_Base &) = delete;
    SION_Base(SION_Base &&other);
    SION_Base &operator=(SION_Base &&other);

    /** The name that the object was made with. Owned by the object. */
    char *getSionFileName();
    /** A file mode, as for sion_open. */
    void setMode(std::string mode);
    std::string getMode() const;
    /** Physical files; the default is 1. */
    void setNumberOfFiles(int num_files);
    int getNumberOfFiles() const;
    /** Tasks of a container that is opened by one process; the default is 1. */
    void setNumberOfTasks(int num_tasks);
    int getNumberOfTasks() const;
    /** The task that openRank opens. */
    void setRank(int rank);
    int getRank() const;
    /** Bytes per chunk; of a serial container for each task, if there are no chunk sizes. */
    void setChunkSize(sion_int64 chunk_size);
    sion_int64 getChunkSize() const;
    /** One for each task; the caller's array, which must live until the open. */
    void setChunkSizes(sion_int64 *chunk_sizes);
    /** The caller's array, or that of the container open for reading; owned as said. */
    sion_int64 *getChunkSizes();
    /** As setChunkSizes. NULL: 0, 1, 2, ... */
    void setGlobalRanks(int *global_ranks);
    int *getGlobalRanks();
    /** In bytes; -1: that of the file system. */
    void setFileSystemBlockSize(sion_int32 fs_blk_size);
    sion_int32 getFileSystemBlockSize() const;

    /** Items that the last read has got. */
    int getNumberOfSuccessfulReadElements() const;
    /** The sid, for C functions; negative: not open. */
    int getSid() const;
    /** Result of the last C function that this object has called. */
    int getReturnCode() const;

    /**
     * Stay in the present task, where it is: sion_seek() with SION_CURRENT_RANK. Another task is
     * selected by sion_seek() of getSid().
     */
    void seek();
    /** 1: big, 0: little; sion_get_file_endianness(). */
    int getFileEndianness();
    /** Of the present task; sion_get_bytes_written() and sion_get_bytes_read(). */
    sion_int64 getBytesWritten();
    sion_int64 getBytesRead();
    /** sion_bytes_avail_in_block() and sion_bytes_avail_in_chunk(). */
    sion_int64 getBytesAvailInBlock();
    sion_int64 getBytesAvailInChunk();
    /** In the physical file, in bytes; sion_get_position(). */
    sion_int64 getPosition();

  protected:
    enum { not_open = -9999 };

    bool is_open() const;
    /** Keep a result as return code, which holds at most INT_MAX, and hand it on. */
    sion_int64 note(sion_int64 result);
    /** Whether the object may be opened now; if not, that is the return code. */
    bool may_open();
    void put(const void *data, std::size_t size, std::size_t nitems);
    void get(void *data, std::size_t size, std::size_t nitems);

    std::string name;
    std::string mode;
    int num_tasks;
    int num_files;
    int rank;
    sion_int64 chunk_size;
    sion_int64 *chunk_sizes;
    int *global_ranks;
    sion_int32 fs_blk_size;
    int num_read;
    int sid;
    int return_code;

    /* What is behind the two pointers if it is the object's own. */
    std::vector<sion_int64> own_chunk_sizes;
    std::vector<int> own_global_ranks;
};

#endif
