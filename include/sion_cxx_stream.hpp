/**
 * @file sion_cxx_stream.hpp
 * Standard streams over the tasks of a container.
 *
 * The bytes written to an ostream become the task's stream, over any number of chunks. The
 * container must stay open while its streams are used. Several streams, each of another task, may
 * be used in turn over one container that was opened by one process.
 */
#ifndef SION_CXX_STREAM_HPP
#define SION_CXX_STREAM_HPP

#include <istream>
#include <ostream>
#include <streambuf>
#include <vector>

#include "sion_cxx_base.hpp"

namespace sionlib
{

/** A buffer of a few KiB before a task's stream. */
class streambuf : public std::streambuf
{
  public:
    /** task: as for selectTask; SION_CURRENT_RANK: the one that is selected when it is used. */
    explicit streambuf(SION_Base &file, int task = SION_CURRENT_RANK);
    /** Writes what is buffered. */
    ~streambuf();
    streambuf(const streambuf &) = delete;
    streambuf &operator=(const streambuf &) = delete;

  protected:
    int_type overflow(int_type c) override;
    int_type underflow() override;
    std::streamsize xsputn(const char *from, std::streamsize n) override;
    std::streamsize xsgetn(char *to, std::streamsize n) override;
    int sync() override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

  private:
    bool select();
    bool write_out();

    SION_Base &file;
    int task;
    std::vector<char> buffer;
};

/**
 * Write a task's stream with the operators of std::ostream.
 *
 * flush() and the destructor pass buffered bytes to the container, and they are in the file when
 * the container is closed. badbit is set if the container does not take all of them.
 */
class ostream : public std::ostream
{
  public:
    /** task: as for selectTask; SION_CURRENT_RANK: the one that is selected when it is used. */
    explicit ostream(SION_Base &file, int task = SION_CURRENT_RANK);

  private:
    streambuf buffer;
};

/** Read a task's stream with the operators of std::istream. seekg and tellg count its bytes. */
class istream : public std::istream
{
  public:
    /** task: as for selectTask; SION_CURRENT_RANK: the one that is selected when it is used. */
    explicit istream(SION_Base &file, int task = SION_CURRENT_RANK);

  private:
    streambuf buffer;
};

} // namespace sionlib

#endif
