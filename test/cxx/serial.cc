// The serial class. Writes serial.sion, which must be what write_c makes; prints TAP.
#include <sion_cxx.h>
#include <sion_cxx_serial.hpp>

#include <cstdio>
#include <type_traits>
#include <utility>

static int tests, failed;

static void check(bool good, const char *name)
{
    tests++;
    failed += !good;
    std::printf("%sok %d - %s\n", good ? "" : "not ", tests, name);
}

static std::vector<int> items(int task)
{
    std::vector<int> data(100);

    for (int i = 0; i < 100; i++)
        data[static_cast<std::size_t>(i)] = task * 1000 + i + 1;
    return data;
}

using sionlib::serial::SIONFile;

static_assert(!std::is_copy_constructible<SIONFile>::value, "not copyable");
static_assert(!std::is_copy_assignable<SIONFile>::value, "not copyable");
static_assert(std::is_move_constructible<SIONFile>::value, "movable");
static_assert(std::is_move_assignable<SIONFile>::value, "movable");
static_assert(std::is_same<SIONFile, sionlib::serial::LSIONFile>::value, "the other name");
static_assert(std::is_base_of<SION_Base, SIONFile>::value, "base class");

static int select(SIONFile &file, int task)
{
    return sion_seek(file.getSid(), task, SION_CURRENT_BLK, SION_CURRENT_POS);
}

static void write_container()
{
    sion_int64 sizes[] = {400, 500, 600};
    int ranks[] = {5, 6, 7};
    SIONFile file("serial.sion", "bw", 3, 1, sizes, 512, ranks);

    file.open();
    check(file.getReturnCode() >= 0 && file.getSid() == file.getReturnCode(), "write: open");
    file.open();
    check(file.getReturnCode() == -1 && file.getSid() >= 0, "write: opened once only");
    for (int task = 0; task < 3; task++) {
        std::vector<int> data = items(task), odd;

        for (std::size_t i = 50; i < 100; i += 2)
            odd.push_back(data[i]);
        check(select(file, task) == 1, "write: seek");
        file.write(data, 4, 50);
        check(file.getReturnCode() == 50, "write: part of a vector");
        file.write(odd, 4, 25);
        for (std::size_t i = 0; i < 50; i++)
            i % 2 ? file.write(data[i]) : void(file << data[i]);
        check(file.getBytesWritten() == 500, "write: bytes written");
    }
    check(file.close() == 1 && file.getSid() < 0, "write: close");
}

static void read_container()
{
    SIONFile file("serial.sion", "rb");
    int first[50], rest[25];

    file.open();
    check(file.getSid() >= 0 && file.getNumberOfTasks() == 3 && file.getNumberOfFiles() == 1 &&
              file.getFileSystemBlockSize() == 512,
          "read: open");
    check(file.getChunkSizes()[2] == 1024 && file.getGlobalRanks()[2] == 7, "read: arrays");
    check(file.getFileEndianness() == sion_get_endianness(), "read: byte order");
    for (int task = 2; task >= 0; task--) {
        std::vector<int> data = items(task);
        int one = 0;

        select(file, task);
        check(file.getBytesAvailInBlock() == 500 && file.getBytesAvailInChunk() == 500,
              "read: bytes in the chunk");
        file.read(first, 4, 50);
        file.read(rest, 4, 25);
        check(file.getNumberOfSuccessfulReadElements() == 25 && first[49] == data[49] &&
                  rest[24] == data[98],
              "read: items");
        file.read(&one);
        check(one == data[0] && file.getBytesRead() == 304, "read: an object");
        file >> one;
        check(one == data[1] && file.getPosition() > 0, "read: another");
        std::vector<int> more(48);
        file.read(&more, 4, 48);
        check(file.getReturnCode() == 48 && more.size() == 48 && more[47] == data[49],
              "read: into a vector");
        check(file.getBytesAvailInBlock() == 0 && file.getReturnCode() == 0,
              "read: the return code of a question");
    }
}

// seek() has no arguments, and setRank() is no argument of it.
static void seek_stays_in_the_task()
{
    SIONFile file("serial.sion", "rb");
    std::vector<int> data = items(1);
    int one = 0, two = 0;

    file.open();
    select(file, 1);
    file >> one;
    file.setRank(2);
    file.seek();
    check(file.getReturnCode() == 1 && file.getRank() == 2, "seek: with another rank set");
    file >> two;
    check(one == data[0] && two == data[1], "seek: the task and the position stay");
    SIONFile out("seek.sion", "wb");
    out.setNumberOfTasks(2);
    out.setChunkSize(512);
    out.setFileSystemBlockSize(512);
    out.open();
    out.setRank(1);
    out.seek();
    out << 42;
    select(out, 1);
    check(out.getReturnCode() == 4 && out.getBytesWritten() == 0, "seek: writing stays, too");
}

static void move()
{
    SIONFile first("serial.sion", "rb"), third("other.sion", "wb");

    first.open();
    int sid = first.getSid();
    SIONFile second(std::move(first));
    check(second.getSid() == sid && first.getSid() < 0 && second.getChunkSizes()[1] == 512,
          "moved with its arrays");
    third.setFileSystemBlockSize(512);
    third.setChunkSize(100);
    third.open();
    third << 42;
    third = std::move(second);
    check(third.getSid() == sid && std::string(third.getSionFileName()) == "serial.sion",
          "moved over an open one");
    SIONFile closed("other.sion", "r");
    int value = 0;
    closed.open();
    closed >> value;
    check(value == 42, "what was moved over was closed before");
}

static void defaults()
{
    {
        SIONFile file("defaults.sion");
        int whole[128];

        for (int i = 0; i < 128; i++)
            whole[i] = i;
        file.setFileSystemBlockSize(512);
        file.setNumberOfTasks(2);
        file.setChunkSize(512);
        file.open();
        select(file, 1);
        file.write(&whole[0]);
        check(file.getReturnCode() == 512, "a chunk full from a pointer");
    } // closed by its end
    SIONFile file("defaults.sion", "r");
    file.setRank(1);
    file.openRank();
    check(file.getSid() >= 0 && file.getBytesAvailInBlock() == 512, "one task");
    check(file.close() == 1, "one task: close");
    file.setMode("r,posix");
    check(file.getMode() == "r,posix", "mode");
    file.setRank(5);
    file.openRank();
    check(file.getSid() == -1 && file.getReturnCode() == -1, "no such task");
}

// More than a chunk holds, in one call.
static void streams()
{
    std::vector<double> data(5000), back(5000);
    {
        SIONFile file("streams.sion");

        file.setFileSystemBlockSize(512);
        file.setChunkSize(512);
        file.open();
        for (std::size_t i = 0; i < data.size(); i++)
            data[i] = static_cast<double>(i) / 3;
        check(file.writeStream(data.data(), 40000) == 40000 && file.getReturnCode() == 40000 &&
                  file.tellStream() == 40000,
              "stream: written");
        check(file.readStream(back.data(), 1) == -1, "stream: not open for reading");
    }
    SIONFile file("streams.sion", "r");
    file.open();
    check(file.sizeStream() == 40000 && file.skipStream(8) == 8, "stream: size and skip");
    check(file.readStream(back.data(), 40000) == 39992 && back[4998] == data[4999],
          "stream: read to its end");
}

int main()
{
    write_container();
    read_container();
    seek_stays_in_the_task();
    move();
    defaults();
    streams();
    std::printf("1..%d\n", tests);
    return failed > 0;
}
