/**
 * @file sion_cxx_common.hpp
 * The common part of the classes of the parallel interfaces: each task has its own stream.
 */
#ifndef SION_CXX_COMMON_HPP
#define SION_CXX_COMMON_HPP

#include "sion_cxx_base.hpp"
#include "sion_generic.h"

namespace sionlib
{

class ParallelFile : public SION_Base
{
  public:
    ParallelFile(const std::string &name, const std::string &mode, int num_files, int global_rank);
    ParallelFile(ParallelFile &&) = default;
    ParallelFile &operator=(ParallelFile &&) = default;

    /** Name of the task's physical file, once the container is open. Owned by the object. */
    char *getNewSionFileName();
    /** The task's number; set by the open, undefined before. */
    void setGlobalRank(int global_rank);
    int getGlobalRank() const;

    using SION_Base::read;
    using SION_Base::write;

    /**
     * Write length items of unit bytes of container.data(), which must have them:
     * sion_coll_fwrite. Collective.
     */
    template <class T> void write(const T &container, int unit, int length)
    {
        sionlib::check_items(&container, unit, length, 0);
        put_collectively(container.data(), static_cast<std::size_t>(unit),
                         static_cast<std::size_t>(length));
    }

    /** Read length items of unit bytes to data, or to data->data(): sion_coll_fread. Collective. */
    template <class T> void read(T *data, int unit, int length)
    {
        sionlib::check_items(data, unit, length, 0);
        get_collectively(data_of(data, 0), static_cast<std::size_t>(unit),
                         static_cast<std::size_t>(length));
    }

    /** Calls sion_ensure_free_space. */
    void ensureFreeSpace(long bytes);
    /** Calls sion_feof; getReturnCode returns the result. */
    void endOfFile();

    /**
     * The tasks that openShared has given to this process or thread, for selectTask; none after
     * other opens.
     */
    const std::vector<int> &getTasks() const;

  protected:
    void put_collectively(const void *data, std::size_t size, std::size_t nitems);
    void get_collectively(void *data, std::size_t size, std::size_t nitems);
    /** Store the result of an open, the task's number, and the name, which is freed. */
    void opened(char *new_name);
    /** Store the result of an open that shares the tasks out. */
    void opened_shared(int ntasks, const int *ranks);

    int global_rank;
    std::string new_name;
    std::vector<int> own_tasks;
};

/** The same as write and read. */
template <class T> ParallelFile &operator<<(ParallelFile &file, const T &data)
{
    file.write(data);
    return file;
}

template <class T> ParallelFile &operator>>(ParallelFile &file, T &data)
{
    file.read(&data);
    return file;
}

} // namespace sionlib

#endif
