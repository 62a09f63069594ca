#include "sion_cxx_stream.hpp"

#include <cstring>

namespace sionlib
{

static const std::size_t buffer_bytes = 8192;

streambuf::streambuf(SION_Base &file, int task) : file(file), task(task), buffer(buffer_bytes)
{
    setp(buffer.data(), buffer.data() + buffer.size());
    setg(buffer.data(), buffer.data(), buffer.data());
}

streambuf::~streambuf()
{
    write_out();
}

/* The container may have been used otherwise in the meantime. */
bool streambuf::select()
{
    if (task == SION_CURRENT_RANK)
        return true;
    file.selectTask(task);
    return file.getReturnCode() == SION_SUCCESS;
}

bool streambuf::write_out()
{
    const sion_int64 bytes = pptr() - pbase();
    const bool done = bytes == 0 || (select() && file.writeStream(pbase(), bytes) == bytes);

    setp(buffer.data(), buffer.data() + buffer.size());
    return done;
}

streambuf::int_type streambuf::overflow(int_type c)
{
    if (!write_out())
        return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof()))
        sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
}

std::streamsize streambuf::xsputn(const char *from, std::streamsize n)
{
    if (n < epptr() - pptr()) {
        std::memcpy(pptr(), from, static_cast<std::size_t>(n));
        pbump(static_cast<int>(n));
        return n;
    }
    if (!write_out() || !select())
        return 0;
    const sion_int64 done = file.writeStream(from, n);
    return done < 0 ? 0 : static_cast<std::streamsize>(done);
}

streambuf::int_type streambuf::underflow()
{
    if (gptr() == egptr()) {
        const sion_int64 bytes =
            select() ? file.readStream(buffer.data(), static_cast<sion_int64>(buffer.size())) : -1;

        if (bytes <= 0)
            return traits_type::eof();
        setg(buffer.data(), buffer.data(), buffer.data() + bytes);
    }
    return traits_type::to_int_type(*gptr());
}

std::streamsize streambuf::xsgetn(char *to, std::streamsize n)
{
    const std::streamsize ready = egptr() - gptr(), part = n < ready ? n : ready;

    std::memcpy(to, gptr(), static_cast<std::size_t>(part));
    gbump(static_cast<int>(part));
    if (part == n || !select())
        return part;
    const sion_int64 rest = file.readStream(to + part, n - part);
    return part + (rest < 0 ? 0 : static_cast<std::streamsize>(rest));
}

int streambuf::sync()
{
    return write_out() ? 0 : -1;
}

/* The position of writing cannot be chosen; it can only be asked for. */
streambuf::pos_type streambuf::seekoff(off_type offset, std::ios_base::seekdir from,
                                       std::ios_base::openmode which)
{
    const pos_type nowhere = off_type(-1);

    if (!select())
        return nowhere;
    const off_type at = file.tellStream() - (egptr() - gptr());
    if (which & std::ios_base::out)
        return offset == 0 && from == std::ios_base::cur ? pos_type(at + (pptr() - pbase()))
                                                         : nowhere;
    const off_type base = from == std::ios_base::beg   ? 0
                          : from == std::ios_base::cur ? at
                                                       : file.sizeStream();
    return offset == 0 && from == std::ios_base::cur ? pos_type(at) : seekpos(base + offset, which);
}

streambuf::pos_type streambuf::seekpos(pos_type position, std::ios_base::openmode which)
{
    const off_type offset = position;

    if ((which & std::ios_base::out) || !select() || offset < 0 || offset > file.sizeStream() ||
        sion_seek(file.getSid(), SION_CURRENT_RANK, SION_ABSOLUTE_POS, offset) != SION_SUCCESS)
        return off_type(-1);
    setg(buffer.data(), buffer.data(), buffer.data());
    return position;
}

ostream::ostream(SION_Base &file, int task) : std::ostream(NULL), buffer(file, task)
{
    rdbuf(&buffer);
}

istream::istream(SION_Base &file, int task) : std::istream(NULL), buffer(file, task)
{
    rdbuf(&buffer);
}

} // namespace sionlib
