// The MPI class. Writes mpi.sion, which must equal the file of write_c; exits with 1 if a call
// fails.
#include <mpi.h>
#include <sion_cxx.h>
#include <sion_cxx_drain.hpp>

#include <cstdio>
#include <type_traits>

using sionlib::mpi::SIONFile;

static_assert(!std::is_copy_constructible<SIONFile>::value, "not copyable");
static_assert(std::is_move_constructible<SIONFile>::value, "movable");
static_assert(std::is_same<SIONFile, sionlib::mpi::LSIONFile>::value, "the other name");

static bool good = true;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                           \
            good = false;                                                                          \
        }                                                                                          \
    } while (0)

static void write_and_read(int rank, int tasks)
{
    std::vector<int> data, odd, back(50);

    for (int i = 0; i < 100; i++)
        data.push_back(rank * 1000 + i + 1);
    for (std::size_t i = 50; i < 100; i += 2)
        odd.push_back(data[i]);
    SIONFile file("mpi.sion", "bw", tasks > 1 ? 2 : 1, rank);
    file.setChunkSize(300);
    file.setFileSystemBlockSize(512);
    file.open();
    CHECK(file.getReturnCode() >= 0 && file.getGlobalRank() == rank);
    CHECK(std::string(file.getNewSionFileName()).find("mpi.sion") == 0);
    file.write(data, 4, 50);
    CHECK(file.getReturnCode() == 50);
    file.write(odd, 4, 25);
    file.ensureFreeSpace(200);
    CHECK(file.getReturnCode() == 1);
    for (std::size_t i = 0; i < 50; i++)
        file << data[i];
    SIONFile moved(std::move(file));
    const int sid = moved.getSid();
    moved.open();
    CHECK(moved.getReturnCode() == -1 && moved.getSid() == sid);
    moved.openShared();
    CHECK(moved.getReturnCode() == -1 && moved.getSid() == sid);
    moved.close();
    CHECK(moved.getReturnCode() == 1);

    SIONFile again("mpi.sion", "br");
    int one = 0;
    again.open();
    CHECK(again.getNumberOfFiles() == (tasks > 1 ? 2 : 1) && again.getFileSystemBlockSize() == 512);
    again.seek();
    CHECK(again.getReturnCode() == 1);
    again.read(&back, 4, 50);
    CHECK(again.getNumberOfSuccessfulReadElements() == 50 && back[49] == data[49]);
    again.read(back.data(), 4, 25);
    CHECK(back[24] == data[98]);
    again >> one;
    CHECK(one == data[0]);
    again.endOfFile();
    CHECK(again.getReturnCode() == 0);
    again.close();
    CHECK(again.getReturnCode() == 1);
}

// Programs use it so: >> returns what << was given.
static void stream(int rank)
{
    SIONFile out("stream.sion", "bw", 1, rank, MPI_COMM_WORLD, MPI_COMM_WORLD);
    int first = 0, second = 0;
    double third = 0;

    out.open();
    out << rank * 3;
    out << rank;
    out << 0.5;
    CHECK(out.getBytesWritten() == 16);
    out.close();
    SIONFile in("stream.sion", "br");
    in.setGlobalCommunicator(MPI_COMM_WORLD);
    in.setLocalCommunicator(MPI_COMM_WORLD);
    CHECK(in.getGlobalCommunicator() == MPI_COMM_WORLD &&
          in.getLocalCommunicator() == MPI_COMM_WORLD);
    in.open();
    CHECK(in.getChunkSize() == 2097152);
    in >> first >> second >> third;
    CHECK(first == rank * 3 && second == rank && third == 0.5);
    in.close();
}

static void a_missing_file_cannot_be_opened()
{
    SIONFile file("missing.sion", "br");

    file.open();
    CHECK(file.getReturnCode() == -1 && file.getSid() < 0);
    file.openShared();
    CHECK(file.getReturnCode() == -1 && file.getTasks().empty());
}

// All ranks except the first read as many tasks as ranks have written.
static void share(int rank, int tasks)
{
    MPI_Comm readers;

    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &readers);
    if (rank > 0) {
        SIONFile file("stream.sion");
        std::size_t least = static_cast<std::size_t>(tasks / (tasks - 1));

        file.setGlobalCommunicator(readers);
        file.openShared();
        CHECK(file.getReturnCode() >= 0);
        CHECK(file.getTasks().size() == least || file.getTasks().size() == least + 1);
        for (int task : file.getTasks()) {
            int numbers[2];

            file.selectTask(task);
            file >> numbers;
            CHECK(numbers[0] == task * 3 && numbers[1] == task);
        }
        file.close();
        CHECK(file.getReturnCode() == 1);
    }
    MPI_Comm_free(&readers);
}

// Staged in the same folder.
static void stage(int rank)
{
    SIONFile file("staged.sion", "bw,stage=.", 1, rank);
    sionlib::drain all, one("staged.sion");
    sion_drain_progress progress;

    file.open();
    file << rank;
    file.close();
    CHECK(file.getReturnCode() == 1);
    progress = all.getProgress();
    CHECK(all.getReturnCode() == 1 && progress.waiting <= 1 && progress.failed == 0);
    CHECK(one.wait() == 1 && one.getReturnCode() == 1);
    CHECK(all.test() == 1 && all.getProgress().waiting == 0);
    CHECK(sionlib::drain("missing/x").test() == -1);
}

int main(int argc, char **argv)
{
    int rank, tasks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    write_and_read(rank, tasks);
    stream(rank);
    a_missing_file_cannot_be_opened();
    share(rank, tasks);
    stage(rank);
    MPI_Finalize();
    return !good;
}
