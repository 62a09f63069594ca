// The OpenMP and, with MPI, the hybrid class: three threads write and read.
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <sion_cxx.h>

#ifdef WITH_MPI
using sionlib::ompi::SIONFile;
#else
using sionlib::omp::SIONFile;
#endif

int main(int argc, char **argv)
{
    int bad = 0, provided = argc;
#ifdef WITH_MPI
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#else
    (void)argv;
#endif
#pragma omp parallel num_threads(3) reduction(+ : bad)
    {
        SIONFile out("threads.sion", "bw");
        std::vector<double> back(2);

        out.setChunkSize(100);
        out.setFileSystemBlockSize(512);
        out.open();
        std::vector<double> data(2, out.getGlobalRank() + 0.5);
        out.write(data, 8, 2);
        out << 7;
        const int sid = out.getSid();
        out.open();
        bad += out.getReturnCode() != -1 || out.getSid() != sid;
        out.openShared();
        bad += out.getReturnCode() != -1 || out.getSid() != sid;
        out.close();
        bad += out.getReturnCode() != 1;
        SIONFile in("threads.sion", "br");
        int seven = 0;
        in.open();
        in.read(&back, 8, 2);
        in >> seven;
        bad += back != data || seven != 7 || in.getGlobalRank() != out.getGlobalRank();
        in.close();
        bad += in.getReturnCode() != 1;
        SIONFile shared("threads.sion");
        shared.openShared(SION_SHARE_BYTES);
        bad += shared.getTasks().size() != 1;
        for (int task : shared.getTasks()) {
            shared.selectTask(task);
            shared.read(&back);
            bad += back[1] != task + 0.5;
        }
        shared.close();
        bad += shared.getReturnCode() != 1;
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return bad + (provided < 0);
}
