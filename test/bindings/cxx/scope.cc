// An object of a parallel class that leaves its scope while it is open: its data are in the file at
// once. Exits with 1 if they are not.
#include <mpi.h>
#include <sion_cxx.h>

#include <cstdio>
#include <fstream>
#include <iterator>

using sionlib::mpi::SIONFile;

static int good = 1;

static void expect(const char *name, int bytes)
{
    std::ifstream file(name, std::ios::binary);
    std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    int n = 0;

    for (std::size_t i = 0; i < all.size(); i++)
        n += all[i] == 'A';
    if (n != bytes)
        std::fprintf(stderr, "%s: %d of %d bytes\n", name, n, bytes);
    good &= n == bytes;
}

static void write_records(SIONFile *file)
{
    const std::vector<char> record(100, 'A');

    file->setChunkSize(20000);
    file->setFileSystemBlockSize(4096);
    file->open();
    for (int i = 0; i < 500; i++)
        sion_fwrite(record.data(), 1, record.size(), file->getSid());
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        SIONFile file("scope.sion", "bw", 1, 0, MPI_COMM_SELF, MPI_COMM_SELF);
        write_records(&file);
    }
    expect("scope.sion", 50000);
    {
        SIONFile file("moved.sion", "bw", 1, 0, MPI_COMM_SELF, MPI_COMM_SELF);
        write_records(&file);
        file = SIONFile("other.sion");
        expect("moved.sion", 50000);
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
