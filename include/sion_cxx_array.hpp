/**
 * @file sion_cxx_array.hpp
 * Reading arrays in containers: the functions of sion_array.h with types in place of numbers.
 *
 *     sionlib::arrays arrays("x.sion");
 *     std::vector<double> part = arrays.get<double>("T", step, {0, 0}, {16, 1024});
 *
 * sion_cxx_array_writer.hpp writes. Link with libsionarray_64 or libsion_array, as C programs.
 * Types that arrays do not have do not compile. Calls return SION_SUCCESS or SION_NOT_SUCCESS, as
 * getReturnCode does afterwards, and sion_error_text tells the reason. What a program can know by
 * itself throws: std::invalid_argument for a type or a number of dimensions that is not the
 * array's.
 *
 * All calls are local. Different objects may be used by different threads at once.
 */
#ifndef SION_CXX_ARRAY_HPP
#define SION_CXX_ARRAY_HPP

#include <complex>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#ifdef __cpp_lib_mdspan
#include <array>
#include <mdspan>
#endif

#include "sion_array.h"

namespace sionlib
{

/** Extents, offsets: a number for each dimension, the last of which changes fastest. */
typedef std::vector<sion_int64> array_index;

/** The number of a type in enum sion_array_type; 0: arrays do not have it. */
template <class T>
struct array_type_of
    : std::integral_constant<int, !std::is_integral<T>::value || std::is_same<T, bool>::value ||
                                          std::is_same<T, wchar_t>::value ||
                                          std::is_same<T, char16_t>::value ||
                                          std::is_same<T, char32_t>::value || (sizeof(T) > 8)
                                      ? 0
                                      : (sizeof(T) == 1   ? SION_I8
                                         : sizeof(T) == 2 ? SION_I16
                                         : sizeof(T) == 4 ? SION_I32
                                                          : SION_I64) +
                                            (std::is_unsigned<T>::value ? 1 : 0)> {
};
template <> struct array_type_of<float> : std::integral_constant<int, SION_F32> {
};
template <> struct array_type_of<double> : std::integral_constant<int, SION_F64> {
};
template <> struct array_type_of<std::complex<float>> : std::integral_constant<int, SION_C64> {
};
template <> struct array_type_of<std::complex<double>> : std::integral_constant<int, SION_C128> {
};

/** The same; the compilation stops with a message if arrays do not have it. */
template <class T> int array_type()
{
    static_assert(
        array_type_of<T>::value != 0,
        "sionlib: arrays have elements of integers of 1, 2, 4 and 8 bytes, float, double, "
        "and std::complex of these two");
    return array_type_of<T>::value;
}

/** Elements of a block. */
inline std::size_t array_elements(const array_index &count)
{
    std::size_t elements = 1;

    for (std::size_t d = 0; d < count.size(); d++)
        elements *= static_cast<std::size_t>(count[d]);
    return elements;
}

/** Stop a call whose type or number of dimensions is not that of the array. */
inline void must_fit(const std::string &name, int type, int ndims, int wanted,
                     const array_index &offset, const array_index &count)
{
    if (type != wanted)
        throw std::invalid_argument("sionlib: array " + name + " has elements of another type");
    if (offset.size() != static_cast<std::size_t>(ndims) || count.size() != offset.size())
        throw std::invalid_argument("sionlib: array " + name + " has another number of dimensions");
}

/** A part of an array that was read: its elements without gaps, and how many in each dimension. */
template <class T> struct array_part {
    array_index extents;
    std::vector<T> elements; /**< empty if the read failed */

    T *data()
    {
        return elements.data();
    }
    const T *data() const
    {
        return elements.data();
    }
    /** The element at an index into the part, which has to be in it. */
    template <class... Index> T &operator()(Index... index)
    {
        return elements[place(index...)];
    }
    template <class... Index> const T &operator()(Index... index) const
    {
        return elements[place(index...)];
    }
#ifdef __cpp_lib_mdspan
    /** The part as std::mdspan of n dimensions, or std::invalid_argument. */
    template <std::size_t n> std::mdspan<T, std::dextents<sion_int64, n>> view()
    {
        std::array<sion_int64, n> each;

        if (extents.size() != n)
            throw std::invalid_argument("sionlib: the part has another number of dimensions");
        for (std::size_t d = 0; d < n; d++)
            each[d] = extents[d];
        return std::mdspan<T, std::dextents<sion_int64, n>>(elements.data(), each);
    }
#endif

  private:
    template <class... Index> std::size_t place(Index... index) const
    {
        const sion_int64 list[sizeof...(index) + 1] = {static_cast<sion_int64>(index)..., 0};
        std::size_t found = 0;

        if (extents.size() != sizeof...(index))
            throw std::invalid_argument("sionlib: the part has another number of dimensions");
        for (std::size_t d = 0; d < extents.size(); d++)
            found =
                found * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(list[d]);
        return found;
    }
};

/** The arrays of a container, for reading. It can be moved, and not be copied. */
class arrays
{
  public:
    /** The one with a name opens; isOpen tells whether it could. The end of an object closes. */
    arrays()
    {
    }
    explicit arrays(const std::string &file)
    {
        open(file);
    }
    ~arrays()
    {
        close();
    }

    arrays(const arrays &) = delete;
    arrays &operator=(const arrays &) = delete;
    arrays(arrays &&other) noexcept
    {
        *this = std::move(other);
    }
    arrays &operator=(arrays &&other) noexcept
    {
        std::swap(handle, other.handle);
        std::swap(return_code, other.return_code);
        return *this;
    }

    /** Open the arrays of another container; what is open is closed; sion_array_reader_open(). */
    int open(const std::string &file)
    {
        close();
        handle = sion_array_reader_open(file.c_str());
        return done(handle ? SION_SUCCESS : SION_NOT_SUCCESS);
    }
    /** The same with the words of a mode; sion_array_reader_open_mode(). */
    int open(const std::string &file, const std::string &mode)
    {
        close();
        handle = sion_array_reader_open_mode(file.c_str(), mode.c_str());
        return done(handle ? SION_SUCCESS : SION_NOT_SUCCESS);
    }
    /** Close what is open; sion_array_reader_close(). */
    void close()
    {
        sion_array_reader_close(handle);
        handle = NULL;
    }
    /** Whether arrays are open. */
    bool isOpen() const
    {
        return handle != NULL;
    }
    /** Result of the last call of this object. */
    int getReturnCode() const
    {
        return return_code;
    }
    /** For C functions; the object's. */
    sion_array_reader *getHandle()
    {
        return handle;
    }

    /** Number of arrays. */
    int count() const
    {
        return sion_array_reader_count(handle);
    }
    /** Their names, in the order of definition. */
    std::vector<std::string> names() const
    {
        std::vector<std::string> all;

        for (int i = 0; i < count(); i++)
            all.push_back(sion_array_reader_name(handle, i));
        return all;
    }
    /** What is known of an array; sion_array_reader_info(). */
    int info(const std::string &name, sion_array_info &info)
    {
        SION_INIT(&info);
        return done(sion_array_reader_info(handle, name.c_str(), &info));
    }
    /** Steps that have blocks, in ascending order; none if there is no such array. */
    std::vector<sion_int64> steps(const std::string &name) const
    {
        std::vector<sion_int64> all;
        sion_int64 step, i;

        for (i = 0; (step = sion_array_reader_step(handle, name.c_str(), i)) >= 0; i++)
            all.push_back(step);
        return all;
    }
    /** The texts of an array by key; of the container, if name is NULL. */
    std::map<std::string, std::string> attributes(const char *name = NULL) const
    {
        std::map<std::string, std::string> all;
        const char *key;
        int i;

        for (i = 0; (key = sion_array_reader_key(handle, name, i)) != NULL; i++)
            all[key] = sion_array_reader_attribute(handle, name, key);
        return all;
    }

    /** Read any part of an array into memory that has room for it; sion_array_reader_get(). */
    template <class T>
    int get(const std::string &name, sion_int64 step, const array_index &offset,
            const array_index &count, T *data)
    {
        return read(false, name, step, offset, count, data);
    }
    /** The same as a vector, which is empty after a failure. */
    template <class T>
    std::vector<T> get(const std::string &name, sion_int64 step, const array_index &offset,
                       const array_index &count)
    {
        return read_part<T>(false, name, step, offset, count).elements;
    }
    /** The same with its extents, to be indexed; without extents after a failure. */
    template <class T>
    array_part<T> part(const std::string &name, sion_int64 step, const array_index &offset,
                       const array_index &count)
    {
        return read_part<T>(false, name, step, offset, count);
    }

    /** Read any part of an array of any type as Ts. The call fails if T cannot represent an
        element's value; sion_array_reader_get_as(). */
    template <class T>
    int get_as(const std::string &name, sion_int64 step, const array_index &offset,
               const array_index &count, T *data)
    {
        return read(true, name, step, offset, count, data);
    }
    /** The same as a vector, which is empty after a failure. */
    template <class T>
    std::vector<T> get_as(const std::string &name, sion_int64 step, const array_index &offset,
                          const array_index &count)
    {
        return read_part<T>(true, name, step, offset, count).elements;
    }

  private:
    int done(int code)
    {
        return return_code = code;
    }
    template <class T>
    int read(bool converts, const std::string &name, sion_int64 step, const array_index &offset,
             const array_index &count, T *data)
    {
        const int type = array_type<T>();
        const std::size_t bytes = array_elements(count) * sizeof(T);
        sion_array_info known;

        if (info(name, known) != SION_SUCCESS)
            return return_code;
        must_fit(name, converts ? type : known.type, known.ndims, type, offset, count);
        return done(converts ? sion_array_reader_get_as(handle, name.c_str(), step, offset.data(),
                                                        count.data(), type, data, bytes)
                             : sion_array_reader_get(handle, name.c_str(), step, offset.data(),
                                                     count.data(), type, data, bytes));
    }
    template <class T>
    array_part<T> read_part(bool converts, const std::string &name, sion_int64 step,
                            const array_index &offset, const array_index &count)
    {
        const int type = array_type<T>();
        array_part<T> found;
        sion_array_info known;

        /* Only a part of the array is worth memory. */
        if (info(name, known) != SION_SUCCESS)
            return found;
        must_fit(name, converts ? type : known.type, known.ndims, type, offset, count);
        for (std::size_t d = 0; d < count.size(); d++)
            if (count[d] < 0 || count[d] > known.shape[d])
                return fail_get(name, step, offset, count, known.type), found;
        found.extents = count;
        found.elements.resize(array_elements(count));
        if (read(converts, name, step, offset, count, found.elements.data()) != SION_SUCCESS)
            return array_part<T>();
        return found;
    }
    /* For the library's message: the box is refused before memory is written to. */
    void fail_get(const std::string &name, sion_int64 step, const array_index &offset,
                  const array_index &count, int type)
    {
        done(sion_array_reader_get(handle, name.c_str(), step, offset.data(), count.data(), type,
                                   NULL, 0));
    }

    sion_array_reader *handle = NULL;
    int return_code = SION_SUCCESS;
};

} // namespace sionlib

#endif
