// The serial class. Writes serial.sion, which must equal the file of write_c; prints TAP.
#include <sion_cxx.h>
#include <sion_cxx_serial.hpp>

#include <cstdio>
#include <stdexcept>
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
              "read: the return code of a query");
    }
}

// seek() has no arguments, and setRank() does not affect it.
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
    check(out.getReturnCode() == 4 && out.getBytesWritten() == 0,
          "seek: writing stays in the task");
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
          "moved onto an open file");
    SIONFile closed("other.sion", "r");
    int value = 0;
    closed.open();
    closed >> value;
    check(value == 42, "the file that it replaced was closed first");
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
    } // the destructor closes it
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

// One call transfers more than a chunk.
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
    sion_int64 generation = -1, forgotten = -1;
    check(file.getGeneration(&generation, &forgotten) == 1 && file.getReturnCode() == 1 &&
              generation == 0 && forgotten == 0,
          "stream: of no generation");
    check(file.sizeStream() == 40000 && file.skipStream(8) == 8, "stream: size and skip");
    check(file.readStream(back.data(), 40000) == 39992 && back[4998] == data[4999],
          "stream: read to its end");
}

// Those of several tasks by one call.
static void many_streams()
{
    const std::vector<int> last_and_first = {2, 0};
    std::vector<sion_int64> starts, sizes(3, 8);
    std::vector<char> data;
    char part[5];
    {
        SIONFile file("many_streams.sion", "w", 3, 1, sizes.data(), 8);

        file.open();
        for (int task = 0; task < 3; task++) {
            file.selectTask(task);
            file.write(
                std::string(static_cast<std::size_t>(10 + task), static_cast<char>('a' + task)));
        }
    }
    SIONFile file("many_streams.sion", "r");
    file.open();
    check(file.sizeStreams(last_and_first, &starts) == 22 && file.getReturnCode() == 22 &&
              starts == std::vector<sion_int64>({0, 12, 22}),
          "many streams: their sizes");
    starts.clear();
    check(file.readStreams(last_and_first, &starts, &data) == 22 && starts[1] == 12 &&
              std::string(data.begin(), data.end()) == "ccccccccccccaaaaaaaaaa",
          "many streams: read into a vector");
    starts = {1};
    data.assign(12, '-');
    check(file.readStreams({1}, starts, data.data(), 12) == 11 && file.getReturnCode() == 11 &&
              std::string(data.begin(), data.end()) == "-bbbbbbbbbbb",
          "many streams: to a place of our own");
    check(file.readStreams({0}, starts, part, 5) == -1 && file.getReturnCode() == -1,
          "many streams: too little room");
    check(file.readStreams({0, 3}, &starts, &data) == -1 && data.empty(),
          "many streams: no such task");
    starts = {0};
    try {
        file.readStreams({0, 1}, starts, part, 5);
        check(false, "many streams: fewer places than tasks");
    } catch (const std::out_of_range &) {
        check(true, "many streams: fewer places than tasks");
    }
}

struct Cell {
    int row;
    alignas(8) double heat;
};

static bool operator==(const Cell &a, const Cell &b)
{
    return a.row == b.row && a.heat == b.heat;
}

// Elements of any class, across chunks.
static void elements()
{
    std::vector<Cell> cells(1000), back(1000);
    std::string text = "some text", same(text.size(), ' ');
    std::array<double, 100> field, other;

    for (std::size_t i = 0; i < cells.size(); i++)
        cells[i] = Cell{static_cast<int>(i), 0.5 * static_cast<double>(i)};
    field.fill(1.5);
    {
        SIONFile file("elements.sion");

        file.setFileSystemBlockSize(512);
        file.setChunkSize(512);
        file.open();
        file.write(cells);
        check(file.getReturnCode() == 16000, "elements: a vector larger than a chunk");
        file.write(&cells[10], 3);
        check(file.getReturnCode() == 48, "elements: pointer and count");
        file << text << field;
        check(file.getReturnCode() == 800 && file.getBytesWritten() == 16857,
              "elements: string and array");
        file.write(std::vector<int>());
        check(file.getReturnCode() == 0, "elements: none");
    }
    SIONFile file("elements.sion", "r");
    file.open();
    file.read(&back);
    check(file.getReturnCode() == 16000 && file.getNumberOfSuccessfulReadElements() == 1000 &&
              back == cells,
          "elements: the vector is read");
    file.read(&back[0], 3);
    check(file.getNumberOfSuccessfulReadElements() == 3 && back[2] == cells[12],
          "elements: pointer and count are read");
    file >> same >> other;
    check(same == text && other == field, "elements: string and array are read");
    file.read(&back);
    check(file.getReturnCode() == 0 && file.getNumberOfSuccessfulReadElements() == 0,
          "elements: no more");
}

// A count beyond the elements of the class would read or overwrite other memory.
static void containers_have_their_size()
{
    SIONFile file("size.sion");
    std::vector<int> data(10);
    int thrown = 0;

    file.setFileSystemBlockSize(512);
    file.setChunkSize(512);
    file.open();
    try {
        file.write(data, 4, 11);
    } catch (const std::out_of_range &) {
        thrown++;
    }
    file.write(data, 4, 10);
    check(thrown == 1 && file.getReturnCode() == 10, "size: written");
    file.close();
    file.setMode("r");
    file.open();
    try {
        file.read(&data, 8, 6);
    } catch (const std::out_of_range &) {
        thrown++;
    }
    file.read(&data, 8, 5);
    check(thrown == 2 && file.getReturnCode() == 5, "size: read");
}

// Two tasks in turn, each with its own stream, in lines and in blocks.
static void standard_streams()
{
    std::string block(20000, 'x'), line, word;
    {
        SIONFile file("lines.sion");

        file.setNumberOfTasks(2);
        file.setFileSystemBlockSize(512);
        file.setChunkSize(512);
        file.open();
        sionlib::ostream first(file, 0), second(file, 1);
        for (int i = 0; i < 1000; i++) {
            first << "line " << i << '\n';
            second << i * 2 << ' ';
        }
        first.write(block.data(), 20000);
        check(first.tellp() == std::streampos(8890 + 20000), "ostream: position");
        second.flush();
        check(first.good() && second.good(), "ostream: everything is written");
    }
    SIONFile file("lines.sion", "r");
    file.open();
    sionlib::istream first(file, 0), second(file, 1);
    int n, good = 0;
    for (int i = 0; i < 1000; i++) {
        first >> word >> n;
        good += word == "line" && n == i;
        second >> n;
        good += n == 2 * i;
    }
    check(good == 2000, "istream: lines and numbers");
    first.get();
    line.resize(20000);
    check(first.read(&line[0], 20000) && line == block, "istream: a block");
    check(first.get() == EOF && first.eof(), "istream: the end");
    first.clear();
    first.seekg(5);
    first >> n >> word >> good;
    check(n == 0 && word == "line" && good == 1 && first.tellg() == std::streampos(13),
          "istream: seekg and tellg");
    first.seekg(-20000, std::ios_base::end);
    check(first.get() == 'x', "istream: from the end");
    first.seekg(0, std::ios_base::end);
    check(first.tellg() == std::streampos(28890) && first.get() == EOF, "istream: to the end");
    first.clear();
    check(first.seekg(0) && first >> word && word == "line", "istream: to the start");
    check(!first.seekg(28891), "istream: not beyond the end");
    first.clear();
    check(!first.seekg(-1), "istream: not before the start");
    sionlib::ostream refused(file, 0);
    refused << "text" << std::flush;
    check(refused.bad(), "ostream: a container that is open for reading");
}

// A stream whose task does not exist, or whose container is closed, fails and stays where it is.
static void streams_that_cannot_work()
{
    const std::string block(20000, 'x');
    std::string back(20000, ' ');
    SIONFile out("cannot.sion");

    out.setFileSystemBlockSize(512);
    out.setChunkSize(512);
    out.open();
    sionlib::ostream nowhere(out, 99);
    nowhere << 'a' << std::flush;
    check(nowhere.bad(), "ostream: no such task");
    nowhere.clear();
    check(!nowhere.write(block.data(), 20000), "ostream: no such task for a block");
    nowhere.clear();
    check(nowhere.tellp() == std::streampos(-1), "ostream: no position without a task");
    {
        sionlib::ostream selected(out);
        for (std::size_t i = 0; i < block.size(); i++)
            selected.put(block[i]);
        check(!selected.seekp(0), "ostream: the position of writing stays");
        selected.clear();
        check(!selected.seekp(1, std::ios_base::cur), "ostream: also from where it is");
        selected.clear();
        check(!selected.seekp(0, std::ios_base::end), "ostream: also from the end");
        selected.clear();
        check(selected.tellp() == std::streampos(20000), "ostream: the selected task's position");
    }
    check(out.getBytesWritten() == 20000, "ostream: one character after another");
    out.close();

    SIONFile in("cannot.sion", "r");
    in.open();
    sionlib::istream missing(in, 99), selected(in);
    check(missing.get() == EOF, "istream: no such task");
    missing.clear();
    check(!missing.read(&back[0], 20000) && missing.gcount() == 0, "istream: no block either");
    missing.clear();
    check(!missing.seekg(0), "istream: no position without a task");
    check(selected.get() == 'x' && selected.seekg(2, std::ios_base::cur) &&
              selected.tellg() == std::streampos(3),
          "istream: from where it is");
    sionlib::ostream refused(in);
    for (int i = 0; i < 20000; i++)
        refused.put('x');
    check(refused.bad(), "ostream: characters for a container that is open for reading");
    refused.clear();
    check(!refused.write(block.data(), 20000), "ostream: a block for it");
    in.close();
    selected.read(&back[0], 20000);
    check(selected.gcount() < 20000, "istream: a block of a closed container");
    selected.clear();
    check(!selected.seekg(0, std::ios_base::end), "istream: the end of a closed container");
}

static void files_that_cannot_be_opened()
{
    SIONFile missing("missing.sion", "r");

    missing.open();
    check(missing.getReturnCode() < 0 && missing.getSid() < 0 && !missing.getChunkSizes(),
          "no such file");
    missing.openRank();
    check(missing.getReturnCode() < 0 && missing.getSid() < 0, "no such file for one task");
    SIONFile file("serial.sion", "r");
    file.open();
    const int sid = file.getSid();
    SIONFile &same = file;
    file.openRank();
    check(file.getReturnCode() == -1 && file.getSid() == sid, "one task: opened once only");
    file = std::move(same);
    check(file.getSid() == sid && std::string(file.getSionFileName()) == "serial.sion",
          "moved onto itself");
}

// A pointer without a count means a chunk of the rank that was set, or of the size that was.
static void a_pointer_means_a_chunk()
{
    const int ranks[] = {1, -1, 2};
    const std::size_t chunks[] = {1024, 512, 512};
    std::vector<char> data(2048, 'd');
    int good = 0;

    for (int i = 0; i < 3; i++) {
        sion_int64 sizes[] = {512, 1024};
        SIONFile file("chunk.sion", "w", 2, 1, sizes, 512);

        file.setChunkSize(512);
        file.open();
        file.selectTask(1);
        file.setRank(ranks[i]);
        file.write(&data[0]);
        good += file.getReturnCode() == static_cast<int>(chunks[i]);
    }
    SIONFile file("chunk.sion", "w");
    file.setChunkSize(512);
    file.setFileSystemBlockSize(512);
    file.setRank(0);
    file.openRank();
    check(good == 3, "a pointer means a chunk");
}

/* C functions take literals as names, which in C++ are const. */
static void literals_are_names()
{
    int ntasks = 1, nfiles = 1, fsblksize = 512, rank = 0, *ranks = &rank;
    sion_int64 size = 512, *sizes = &size;
    int sid = sion_open("literal.sion", "bw", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);

    check(sid >= 0 && sion_close(sid) == SION_SUCCESS, "sion_open takes a literal");
    sid = sion_open_rank("literal.sion", "br", &size, &fsblksize, &rank, NULL);
    check(sid >= 0 && sion_close(sid) == SION_SUCCESS, "sion_open_rank takes a literal");
}

int main()
{
    write_container();
    literals_are_names();
    read_container();
    seek_stays_in_the_task();
    move();
    defaults();
    streams();
    many_streams();
    elements();
    containers_have_their_size();
    standard_streams();
    streams_that_cannot_work();
    files_that_cannot_be_opened();
    a_pointer_means_a_chunk();
    std::printf("1..%d\n", tests);
    return failed > 0;
}
