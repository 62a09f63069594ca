/*
 * Two thousand opens and closes of each kind through the generic interface, with two threads as
 * tasks, leave no descriptor and no memory behind.
 */
#include <malloc.h>
#include <stdatomic.h>

#include "sion.h"

#include "opens.h"
#include "support.h"
#include "vfs/fault.h"

enum { CYCLES = 2000, WARM = 20 };

static int cycles;
static const char *writer_mode, *reader_mode;
static atomic_int wrong;

static void *run_cycles(void *argument)
{
    struct scion_comm *comm = argument;
    int i;

    for (i = 0; i < cycles; i++)
        wrong +=
            generic_open_and_close(comm, writer_mode) + generic_open_and_close(comm, reader_mode);
    comm->ops->free(comm);
    return NULL;
}

static size_t memory_in_use(void)
{
    return mallinfo2().uordblks;
}

static void check_cycles(const char *writer, const char *reader, int nfiles, int mapped)
{
    int descriptors;
    size_t before;

    writer_mode = writer;
    reader_mode = reader;
    generic_sample.nfiles = nfiles;
    generic_sample.mapped = mapped;
    cycles = WARM;
    generic_run_threads(GENERIC_TASKS, run_cycles);
    descriptors = support_descriptors();
    before = memory_in_use();
    cycles = CYCLES;
    generic_run_threads(GENERIC_TASKS, run_cycles);
    CHECK_INT(wrong, 0);
    CHECK_INT(support_descriptors(), descriptors);
    /* A leak of one byte in each cycle would exceed this. */
    CHECK(memory_in_use() < before + CYCLES);
}

/* One open by each task, and, for writing, one for the lock of file 0. Threads of one process that
   read a set: the first task reads the tables of all files. Where no file was, there is one more for
   the lock of the name. */
static void a_file_is_opened_once_by_each_task(void)
{
    int first = 1;

    cycles = 1;
    writer_mode = "bw";
    reader_mode = "br";
    generic_sample.mapped = 0;
    for (generic_sample.nfiles = 1; generic_sample.nfiles <= 2; generic_sample.nfiles++) {
        scion_fault_arm(0, 0, 0, 0);
        generic_run_threads(GENERIC_TASKS, run_cycles);
        CHECK_INT(scion_fault_count(SCION_FAULT_OPEN),
                  2 * GENERIC_TASKS + generic_sample.nfiles + first);
        first = 0;
        scion_fault_disarm();
    }
    CHECK_INT(wrong, 0);
}

static void normal_opens(void)
{
    check_cycles("bw", "br", 1, 0);
    check_cycles("bw", "br", 2, 0);
}

static void mapped_opens(void)
{
    check_cycles("bw", "br", 2, 1);
}

static void buddy_checkpoints(void)
{
    check_cycles("bw,buddy", "br,buddy", 2, 0);
}

static void collective_opens(void)
{
    check_cycles("bw,collective,collsize=2", "br,collective,collsize=2", 1, 0);
}

int main(void)
{
    support_enter_folder();
    generic_sample.aid = generic_make_api();
    generic_add_transfers(generic_sample.aid);
    RUN(a_file_is_opened_once_by_each_task);
    RUN(normal_opens);
    RUN(mapped_opens);
    RUN(collective_opens);
    RUN(buddy_checkpoints);
    CHECK_INT(sion_generic_free_api(generic_sample.aid), 1);
    support_leave_folder();
    return check_done();
}
