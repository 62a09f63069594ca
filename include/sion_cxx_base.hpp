/**
 * @file sion_cxx_base.hpp
 * The common part of the container classes of all interfaces.
 *
 * A container object holds the arguments of the C functions. The application sets them before the
 * open; opening for reading sets them to the values in the file. An object cannot be copied, but it
 * can be moved; the object that it was moved from is then not open. getReturnCode returns the
 * result of the last C function that the object has called, and sion_error_text the reason of a
 * failure. Objects throw only what the standard library throws.
 */
#ifndef SION_CXX_BASE_HPP
#define SION_CXX_BASE_HPP

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "sion_common.h"
#include "sion_const.h"
#include "sion_datatypes.h"
#include "sion_stream.h"

namespace sionlib
{

/** Address of the bytes to read into: those in a container (std::vector), or the object itself. */
template <class T> auto data_of(T *object, int) -> decltype(static_cast<void *>(object->data()))
{
    return static_cast<void *>(object->data());
}
template <class T> void *data_of(T *object, long)
{
    return static_cast<void *>(object);
}

/**
 * Whether the bytes of a T are its value, so that they can be written and read back: not for types
 * that own memory, and not for addresses.
 */
template <class T>
struct is_data : std::integral_constant<
                     bool, std::is_trivially_copyable<T>::value &&
                               !std::is_pointer<typename std::remove_all_extents<T>::type>::value &&
                               !std::is_member_pointer<T>::value> {
};
template <> struct is_data<void> : std::true_type {
};

/** Stops the compilation with a message if T is not data. */
template <class T> void must_be_data()
{
    static_assert(is_data<typename std::remove_cv<T>::type>::value,
                  "sionlib: the bytes of this type are not its value, because it is a pointer or "
                  "not trivially copyable. Write and read its elements: a std::vector, std::string "
                  "or std::array of plain numbers or structs, or a pointer and a count.");
}

/**
 * Check `length` items of `unit` bytes of a container: they must be data, or the compilation stops,
 * and there must be as many, or std::out_of_range is thrown. For plain memory, only the first can
 * be checked.
 */
template <class T>
auto check_items(const T *container, int unit, int length, int)
    -> decltype(void(container->size()), void(container->data()))
{
    const std::size_t bytes = container->size() * sizeof *container->data();

    must_be_data<typename std::remove_reference<decltype(*container->data())>::type>();
    if (unit < 0 || length < 0 ||
        (unit > 0 && static_cast<std::size_t>(length) > bytes / static_cast<std::size_t>(unit)))
        throw std::out_of_range("sionlib: more items than the container has");
}
template <class T> void check_items(const T *, int, int, long)
{
    must_be_data<typename std::conditional<std::is_class<T>::value, char, T>::type>();
}

} // namespace sionlib

class SION_Base
{
  public:
    /** Does not open anything. name: name of the container's first file. */
    SION_Base();
    explicit SION_Base(const std::string &name);
    virtual ~SION_Base();

    SION_Base(const SION_Base &) = delete;
    SION_Base &operator=(const SION_Base &) = delete;
    SION_Base(SION_Base &&other);
    SION_Base &operator=(SION_Base &&other);

    /** The name that was passed to the constructor. Owned by the object. */
    char *getSionFileName();
    /** A file mode, as for sion_open. */
    void setMode(std::string mode);
    std::string getMode() const;
    /** Number of physical files; the default is 1. */
    void setNumberOfFiles(int num_files);
    int getNumberOfFiles() const;
    /** Number of tasks of a container opened by one process; the default is 1. */
    void setNumberOfTasks(int num_tasks);
    int getNumberOfTasks() const;
    /** The task that openRank opens. */
    void setRank(int rank);
    int getRank() const;
    /** Bytes per chunk; in a serial container for each task, if no chunk sizes are set. */
    void setChunkSize(sion_int64 chunk_size);
    sion_int64 getChunkSize() const;
    /** One size for each task; the caller's array, which must live until the open. */
    void setChunkSizes(sion_int64 *chunk_sizes);
    /** The caller's array; of a container open for reading, an array owned by the object. */
    sion_int64 *getChunkSizes();
    /** One rank for each task, as setChunkSizes. NULL: 0, 1, 2, ... */
    void setGlobalRanks(int *global_ranks);
    int *getGlobalRanks();
    /** Block size in bytes; -1: that of the file system. */
    void setFileSystemBlockSize(sion_int32 fs_blk_size);
    sion_int32 getFileSystemBlockSize() const;

    /** Number of items that the last read returned. */
    int getNumberOfSuccessfulReadElements() const;
    /** The sid, for C functions; negative if not open. */
    int getSid() const;
    /** Result of the last C function that this object has called. */
    int getReturnCode() const;

    /**
     * Call sion_seek() with SION_CURRENT_RANK, which keeps task and position. To select another
     * task, call sion_seek() with getSid().
     */
    void seek();
    /** Select a task at its own position, which at first is its start; sion_seek(). */
    void selectTask(int task);
    /** 1: big, 0: little; sion_get_file_endianness(). */
    int getFileEndianness();
    /** Bytes of the current task; sion_get_bytes_written() and sion_get_bytes_read(). */
    sion_int64 getBytesWritten();
    sion_int64 getBytesRead();
    /** sion_bytes_avail_in_block() and sion_bytes_avail_in_chunk(). */
    sion_int64 getBytesAvailInBlock();
    sion_int64 getBytesAvailInChunk();
    /** Position in the physical file, in bytes; sion_get_position(). */
    sion_int64 getPosition();

    /**
     * Write the bytes of one object, with sion_fwrite(): an object is not larger than a chunk.
     * Types whose bytes are not their value (pointers, and what is not trivially copyable) do not
     * compile. The return code is the number of bytes.
     */
    template <class T> void write(const T &data)
    {
        sionlib::must_be_data<T>();
        put(&data, 1, sizeof data);
    }
    /**
     * Write `count` objects, over any number of chunks, with sion_stream_write(). The return code
     * is the number of bytes.
     */
    template <class T> void write(const T *data, std::size_t count)
    {
        sionlib::must_be_data<T>();
        writeStream(data, static_cast<sion_int64>(count * sizeof *data));
    }
    /** Write all elements, but not their number, like the function above. */
    template <class T, class A> void write(const std::vector<T, A> &data)
    {
        static_assert(!std::is_same<T, bool>::value,
                      "sionlib: a std::vector<bool> has no bytes of its own; take char");
        write(data.data(), data.size());
    }
    template <class T, class R, class A> void write(const std::basic_string<T, R, A> &data)
    {
        write(data.data(), data.size());
    }
    template <class T, std::size_t n> void write(const std::array<T, n> &data)
    {
        write(data.data(), n);
    }

    /** Read the bytes of one object, with sion_fread(). */
    template <class T> void read(T *data)
    {
        sionlib::must_be_data<T>();
        get(data, 1, sizeof *data);
    }
    /**
     * Read `count` objects from any number of chunks, with sion_stream_read(). The return code is
     * the number of bytes; getNumberOfSuccessfulReadElements returns the number of objects.
     */
    template <class T> void read(T *data, std::size_t count)
    {
        sionlib::must_be_data<T>();
        get_items(data, sizeof *data, count);
    }
    /** Read as many elements as the container has: resize it before. */
    template <class T, class A> void read(std::vector<T, A> *data)
    {
        static_assert(!std::is_same<T, bool>::value,
                      "sionlib: a std::vector<bool> has no bytes of its own; take char");
        read(data->data(), data->size());
    }
    template <class T, class R, class A> void read(std::basic_string<T, R, A> *data)
    {
        read(data->empty() ? static_cast<T *>(NULL) : &(*data)[0], data->size());
    }
    template <class T, std::size_t n> void read(std::array<T, n> *data)
    {
        read(data->data(), n);
    }

    /** Write bytes over any number of chunks; sion_stream_write(). */
    sion_int64 writeStream(const void *data, sion_int64 bytes);
    /** Read bytes over any number of chunks; sion_stream_read(). */
    sion_int64 readStream(void *data, sion_int64 bytes);
    /** Go forward; sion_stream_skip(). */
    sion_int64 skipStream(sion_int64 bytes);
    /** Position in the task's stream and its size, in bytes; sion_stream_tell(), _size(). */
    sion_int64 tellStream();
    sion_int64 sizeStream();
    /** Go on with the newest state of a container that is written; sion_refresh(). */
    sion_int64 refresh();
    /** Which generation is shown, and what was forgotten; sion_get_generation(). */
    int getGeneration(sion_int64 *generation, sion_int64 *forgotten);
    /**
     * Get the sizes of the streams of many tasks, given by their ranks, as the places that the
     * streams take one after the other: starts gets one more element than ranks. Returns the sum of
     * the sizes, or -1 after a failure; sion_stream_sizes().
     */
    sion_int64 sizeStreams(const std::vector<int> &ranks, std::vector<sion_int64> *starts);
    /**
     * Read the whole streams of many tasks, each to its place in data, which has room for `bytes`
     * bytes; sion_stream_read_tasks(). Throws std::out_of_range if starts has fewer elements than
     * ranks, and std::length_error if there are too many tasks.
     */
    sion_int64 readStreams(const std::vector<int> &ranks, const std::vector<sion_int64> &starts,
                           void *data, sion_int64 bytes);
    /** The same for streams one after the other, of any size: the call resizes both vectors. */
    sion_int64 readStreams(const std::vector<int> &ranks, std::vector<sion_int64> *starts,
                           std::vector<char> *data);

  protected:
    enum { not_open = -9999 };

    bool is_open() const;
    /** Store a result as the return code, which is at most INT_MAX, and return it. */
    sion_int64 note(sion_int64 result);
    /** Test whether the object may be opened now; if not, set the return code. */
    bool may_open();
    void put(const void *data, std::size_t size, std::size_t nitems);
    void get(void *data, std::size_t size, std::size_t nitems);
    void get_items(void *data, std::size_t size, std::size_t count);

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

    /* The arrays of the two pointers, if the object owns them. */
    std::vector<sion_int64> own_chunk_sizes;
    std::vector<int> own_global_ranks;
};

#endif
