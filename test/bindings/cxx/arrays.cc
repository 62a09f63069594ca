// Arrays in C++: types, blocks, parts, and errors. With WRONG: calls that must not compile.
#include <sion_cxx_array_writer.hpp>
#include <sion_cxx_serial.hpp>
#include <sion_error.h>

#include <cstdint>
#include <cstdio>
#include <memory>

using sionlib::array_writer;
using sionlib::arrays;

static int failures;
static bool has_zstd; // else an array stays as it is

static void check(bool good, int line)
{
    if (!good)
        std::printf("arrays.cc:%d: failed\n", line);
    failures += !good;
}
#define CHECK(good) check(good, __LINE__)

template <class E, class F> static bool throws(F call)
{
    try {
        call();
    } catch (const E &) {
        return true;
    }
    return false;
}

template <class T> static void one_type(array_writer &writer, const char *name, int type)
{
    const std::vector<T> data(6, T(3));

    CHECK(sionlib::array_type<T>() == type);
    CHECK(writer.define<T>(name, {2, 3}) == SION_SUCCESS);
    CHECK(writer.put(name, 1, {0, 0}, {2, 3}, data) == SION_SUCCESS);
}

template <class T> static void read_type(arrays &reader, const char *name)
{
    CHECK(reader.get<T>(name, 1, {1, 1}, {1, 2}) == std::vector<T>(2, T(3)));
}

#define EACH_TYPE(CALL)                                                                            \
    CALL(signed char, "i8", SION_I8)                                                               \
    CALL(unsigned char, "u8", SION_U8)                                                             \
    CALL(short, "i16", SION_I16)                                                                   \
    CALL(unsigned short, "u16", SION_U16)                                                          \
    CALL(int, "i32", SION_I32)                                                                     \
    CALL(unsigned, "u32", SION_U32)                                                                \
    CALL(long long, "i64", SION_I64)                                                               \
    CALL(std::uint64_t, "u64", SION_U64)                                                           \
    CALL(float, "f32", SION_F32)                                                                   \
    CALL(double, "f64", SION_F64)                                                                  \
    CALL(std::complex<float>, "c64", SION_C64)                                                     \
    CALL(std::complex<double>, "c128", SION_C128)

static void write_all()
{
    sionlib::serial::SIONFile file("arrays.sion");
    std::vector<int> field(12);

    file.setMode("w");
    file.setChunkSize(1 << 14);
    file.open();
    array_writer writer(file.getSid());
#define WRITE(T, name, type) one_type<T>(writer, name, type);
    EACH_TYPE(WRITE)
    CHECK(writer.define<int>("T", {3, 4}) == SION_SUCCESS);
    for (int i = 0; i < 12; i++)
        field[static_cast<std::size_t>(i)] = i;
    CHECK(writer.put("T", 5, {0, 0}, {3, 4}, field) == SION_SUCCESS);
    CHECK(writer.put("T", 9, {2, 0}, {1, 4}, field.data()) == SION_SUCCESS);
    CHECK(writer.define<int>("large", {2}) == SION_SUCCESS);
    CHECK(writer.setCodec("large", "zip") == SION_NOT_SUCCESS);
    has_zstd = writer.setCodec("large", "zstd,shuffle") == SION_SUCCESS;
    CHECK(writer.put("large", 0, {0}, {2}, std::vector<int>({1, 300})) == SION_SUCCESS);
    CHECK(writer.setAttribute("T", "units", "K") == SION_SUCCESS);
    CHECK(writer.setAttribute(NULL, "title", "a test") == SION_SUCCESS);
    CHECK(writer.define<double>("T", {3, 4}) == SION_NOT_SUCCESS && *sion_error_text());
    CHECK(writer.put("T", 5, {2, 0}, {2, 4}, field) == SION_NOT_SUCCESS);
    CHECK(writer.put("T", 5, {0, 0}, {-1, 4}, field) == SION_NOT_SUCCESS);
    CHECK(writer.getReturnCode() == SION_NOT_SUCCESS);
    CHECK(throws<std::invalid_argument>([&] { writer.put("T", 5, {0}, {3}, field); }));
    CHECK(throws<std::invalid_argument>([&] { writer.put("U", 5, {0, 0}, {1, 1}, field); }));
    CHECK(throws<std::invalid_argument>([&] {
        writer.put("T", 5, {0, 0}, {1, 1}, std::vector<unsigned>(1));
    }));
    CHECK(throws<std::out_of_range>([&] {
        writer.put("T", 5, {0, 0}, {3, 4}, std::vector<int>(11));
    }));
    file.close();
    CHECK(file.getReturnCode() == SION_SUCCESS);
}

static void read_all()
{
    arrays reader("arrays.sion"), other;
    sion_array_info info;

    CHECK(reader.isOpen() && reader.count() == 14 && reader.names()[12] == "T");
#define READ(T, name, type) read_type<T>(reader, name);
    EACH_TYPE(READ)
    CHECK(reader.info("T", info) == SION_SUCCESS && info.shape[1] == 4 && info.type == SION_I32);
    CHECK(reader.steps("T") == std::vector<sion_int64>({5, 9}));
    CHECK(reader.info("large", info) == SION_SUCCESS &&
          std::string(info.codec) == (has_zstd ? "zstd,shuffle" : ""));
    CHECK(reader.get<int>("large", 0, {1}, {1}) == std::vector<int>({300}));
    CHECK(reader.attributes("T")["units"] == "K" && reader.attributes()["title"] == "a test");
    CHECK(reader.get<int>("T", 5, {1, 1}, {2, 2}) == std::vector<int>({5, 6, 9, 10}));
    CHECK(reader.get<int>("T", SION_ARRAY_NEWEST, {1, 3}, {2, 1}) == std::vector<int>({7, 3}));
    sionlib::array_part<int> part = reader.part<int>("T", 5, {1, 0}, {2, 3});
    CHECK(part(0, 0) == 4 && part(1, 2) == 10 && part.data()[3] == 8 && part.extents[1] == 3);
    CHECK(throws<std::invalid_argument>([&] { part(1); }));
#ifdef __cpp_lib_mdspan
    CHECK(part.view<2>().extent(0) == 2 && part.view<2>().extent(1) == 3);
    CHECK(throws<std::invalid_argument>([&] { part.view<1>(); }));
#endif
    part = reader.part<int>("T", 5, {2, 0}, {2, 3});
    CHECK(part.elements.empty() && throws<std::invalid_argument>([&] { part(1, 2) = 0; }));
    CHECK(reader.getReturnCode() == SION_NOT_SUCCESS && *sion_error_text());
    CHECK(reader.get<int>("T", 5, {0, 0}, {1LL << 60, 3}).empty());
    CHECK(reader.get<int>("T", 5, {0, 0}, {3, 1LL << 60}).empty());
    CHECK(reader.getReturnCode() == SION_NOT_SUCCESS);
    CHECK(reader.get<int>("nothing", 5, {0}, {1}).empty());
    CHECK(reader.info("nothing", info) == SION_NOT_SUCCESS && reader.steps("nothing").empty());
    CHECK(throws<std::invalid_argument>([&] { reader.get<float>("T", 5, {0, 0}, {1, 1}); }));
    CHECK(throws<std::invalid_argument>([&] { reader.get<int>("T", 5, {0}, {1}); }));
    CHECK(throws<std::invalid_argument>([&] { reader.get<int>("T", 5, {0, 0, 0}, {1, 1, 1}); }));
    other = std::move(reader);
    CHECK(other.count() == 14 && reader.count() == 0 && !reader.isOpen());
    arrays third(std::move(other));
    CHECK(third.isOpen() && !other.isOpen());
    CHECK(third.open("nothing.sion") == SION_NOT_SUCCESS && !third.isOpen());
    CHECK(third.open("arrays.sion", "rb") == SION_SUCCESS && third.count() == 14);
    CHECK(third.open("nothing.sion", "rb") == SION_NOT_SUCCESS && !third.isOpen());
}

// Values that a type has are converted, others are refused.
static void read_as()
{
    arrays reader("arrays.sion");
    double some[2] = {0, 0};

    CHECK(reader.get_as<double>("T", 5, {1, 1}, {2, 2}) == std::vector<double>({5, 6, 9, 10}));
    CHECK(reader.get_as<int>("T", 5, {1, 1}, {1, 2}) == std::vector<int>({5, 6}));
    CHECK(reader.get_as("T", 5, {2, 2}, {1, 2}, some) == SION_SUCCESS && some[0] > 9 &&
          some[1] > 10);
    CHECK(reader.get_as<unsigned char>("c128", 1, {0, 0}, {1, 1}) ==
          std::vector<unsigned char>(1, 3));
    CHECK(reader.getReturnCode() == SION_SUCCESS);
    CHECK(reader.get_as<signed char>("large", 0, {0}, {2}).empty());
    CHECK(reader.getReturnCode() == SION_NOT_SUCCESS && sion_error_code() == SION_ERR_MISMATCH);
    CHECK(std::string(sion_error_text()).find("element (1) of type i32 is 300, which i8 cannot") !=
          std::string::npos);
    CHECK(reader.get_as<short>("large", 0, {0}, {2}) == std::vector<short>({1, 300}));
    CHECK(reader.get_as<short>("large", 0, {1}, {2}).empty());
    CHECK(reader.get_as<short>("nothing", 0, {0}, {2}).empty());
    CHECK(throws<std::invalid_argument>([&] { reader.get_as<double>("T", 5, {0}, {1}); }));
    CHECK(throws<std::invalid_argument>([&] { reader.get_as("T", 5, {0}, {1}, some); }));
}

static void ignore(int, int, int, const char *, void *)
{
}

int main()
{
    sion_error_set_handler(ignore, NULL);
    write_all();
    read_all();
    read_as();
#if WRONG == 1
    array_writer(0).define<bool>("T", {1});
#elif WRONG == 2
    array_writer(0).define<std::string>("T", {1});
#elif WRONG == 3
    array_writer(0).put("T", 0, {0}, {1}, std::vector<bool>(1));
#elif WRONG == 4
    arrays().get<int *>("T", 0, {0}, {1});
#elif WRONG == 5
    arrays().get_as<long double>("T", 0, {0}, {1});
#elif WRONG == 6
    array_writer(0).put("T", 0, {0}, {1}, static_cast<const char32_t *>(NULL));
#endif
    return failures != 0;
}
