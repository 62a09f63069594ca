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

    using SION_Base::read;
    using SION_Base::write;

    /** Write as many bytes from data as a chunk of the task of setRank holds. */
    template <class T> void write(T *data)
    {
        sionlib::must_be_data<T>();
        put(data, 1, chunk_of_rank());
    }

    /** Write length items of unit bytes of container.data(), which must have them. */
    template <class T> void write(const T &container, int unit, int length)
    {
        sionlib::check_items(&container, unit, length, 0);
        put(container.data(), static_cast<std::size_t>(unit), static_cast<std::size_t>(length));
    }

    /** Read length items of unit bytes to data, or to data->data(). */
    template <class T> void read(T *data, int unit, int length)
    {
        sionlib::check_items(data, unit, length, 0);
        get(sionlib::data_of(data, 0), static_cast<std::size_t>(unit),
            static_cast<std::size_t>(length));
    }

    /** The same as write and read. */
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
