/**
 * @file sion_cxx_serial.hpp
 * Containers opened by one process.
 */
#ifndef SION_CXX_SERIAL_HPP
#define SION_CXX_SERIAL_HPP

#include "sion_cxx_base.hpp"
#include "sion_serial.h"

namespace sionlib
{
namespace serial
{

/** The destructor closes an object that is still open, so that no data are lost. */
class SIONFile : public SION_Base
{
  public:
    SIONFile(std::string name, std::string mode = "wb", int num_tasks = 1, int num_files = 1,
             sion_int64 *chunk_sizes = NULL, sion_int32 fs_blk_size = -1, int *global_ranks = NULL);
    ~SIONFile();
    SIONFile(SIONFile &&) = default;
    SIONFile &operator=(SIONFile &&other);

    /** Calls sion_open. The return code is the sid. */
    void open();
    /** Calls sion_open_rank for the task of setRank. */
    void openRank();
    /** Calls sion_close and returns its result. */
    int close();

    /** Write the bytes of one object: sion_fwrite. */
    template <class T> void write(const T &data)
    {
        put(&data, 1, sizeof data);
    }

    /** Write as many bytes from data as a chunk of the task of setRank holds. */
    template <class T> void write(T *data)
    {
        put(data, 1, chunk_of_rank());
    }

    /** Write length items of unit bytes of container.data(). */
    template <class T> void write(const T &container, int unit, int length)
    {
        put(container.data(), static_cast<std::size_t>(unit), static_cast<std::size_t>(length));
    }

    /** Read the bytes of one object: sion_fread. */
    template <class T> void read(T *data)
    {
        get(data, 1, sizeof *data);
    }

    /** Read length items of unit bytes to data, or to data->data(). */
    template <class T> void read(T *data, int unit, int length)
    {
        get(sionlib::data_of(data, 0), static_cast<std::size_t>(unit),
            static_cast<std::size_t>(length));
    }

    /** The same as write and read of one object. */
    template <class T> friend SIONFile &operator<<(SIONFile &file, const T &data)
    {
        file.write(data);
        return file;
    }

    template <class T> friend SIONFile &operator>>(SIONFile &file, T &data)
    {
        file.read(&data);
        return file;
    }

  private:
    std::size_t chunk_of_rank() const;
    void make_arrays();
    void keep_arrays(sion_int64 *sizes, int *ranks);
};

typedef SIONFile LSIONFile;

} // namespace serial
} // namespace sionlib

#endif
