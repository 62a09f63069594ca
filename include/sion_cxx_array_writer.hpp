/**
 * @file sion_cxx_array_writer.hpp
 * Writing arrays into containers: the functions of sion_array.h with types in place of numbers.
 *
 *     sionlib::array_writer writer(file.getSid());
 *     writer.define<double>("T", {1024, 1024});
 *     writer.put("T", step, {256 * rank, 0}, {256, 1024}, field);
 *
 * Types and results are those of sion_cxx_array.hpp. Beyond that, std::out_of_range is thrown for a
 * vector with fewer elements than the block has.
 */
#ifndef SION_CXX_ARRAY_WRITER_HPP
#define SION_CXX_ARRAY_WRITER_HPP

#include "sion_cxx_array.hpp"

namespace sionlib
{

/** Writes arrays into a container that is open for writing: the sid's, which it does not own. */
class array_writer
{
  public:
    /** For the container of a sid: getSid() of an object. */
    explicit array_writer(int container)
    {
        sid = container;
    }

    /** Result of the last call of this object. */
    int getReturnCode() const
    {
        return return_code;
    }

    /** Define an array of Ts; all tasks define the same ones; sion_array_define(). */
    template <class T> int define(const std::string &name, const array_index &shape)
    {
        const int type = array_type<T>(), ndims = static_cast<int>(shape.size());

        if (done(sion_array_define(sid, name.c_str(), type, ndims, shape.data())) == SION_SUCCESS)
            defined[name] = std::make_pair(type, ndims);
        return return_code;
    }
    /** Choose how blocks of the array are compressed; sion_array_codec(). */
    int setCodec(const std::string &name, const std::string &codec)
    {
        return done(sion_array_codec(sid, name.c_str(), codec.c_str()));
    }

    /** Store a text with an array, or with the container, if name is NULL. */
    int setAttribute(const char *name, const std::string &key, const std::string &value)
    {
        return done(sion_array_set_attribute(sid, name, key.c_str(), value.c_str()));
    }

    /** Write one block of an array that this object has defined; sion_array_put(). */
    template <class T>
    int put(const std::string &name, sion_int64 step, const array_index &offset,
            const array_index &count, const T *data)
    {
        const int type = array_type<T>();
        std::map<std::string, std::pair<int, int>>::const_iterator known = defined.find(name);

        if (known == defined.end())
            throw std::invalid_argument("sionlib: array " + name + " is not defined here");
        must_fit(name, known->second.first, known->second.second, type, offset, count);
        return done(sion_array_put(sid, name.c_str(), step, offset.data(), count.data(),
                                   known->second.first, data, array_elements(count) * sizeof(T)));
    }
    /** The same from a vector, which has as many elements as the block, or more. */
    template <class T, class A>
    int put(const std::string &name, sion_int64 step, const array_index &offset,
            const array_index &count, const std::vector<T, A> &data)
    {
        static_assert(!std::is_same<T, bool>::value,
                      "sionlib: a std::vector<bool> has no bytes of its own; take char");
        for (std::size_t d = 0; d < count.size(); d++)
            if (count[d] < 0)
                return put(name, step, offset, count, data.data()); /* which refuses it */
        if (data.size() < array_elements(count))
            throw std::out_of_range("sionlib: fewer elements than the block has");
        return put(name, step, offset, count, data.data());
    }

  private:
    int done(int code)
    {
        return return_code = code;
    }

    int sid, return_code = SION_SUCCESS;
    std::map<std::string, std::pair<int, int>> defined;
};

} // namespace sionlib

#endif
