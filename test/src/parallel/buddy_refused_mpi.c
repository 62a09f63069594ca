/* Buddy checkpoints: their files and groups, records that do not fit, and opens that are refused.
 * */
#include "buddy_mpi.h"

static void check_entry(const sion_io_stat_t *info, int i, const char *name, size_t size, int role)
{
    CHECK_STR(info->names[i], name);
    CHECK_INT(info->sizes[i], size);
    CHECK_INT(info->roles[i], role);
}

static void files_and_roles_are_reported(void)
{
    char name[3][60];
    sion_io_stat_t *info;
    int sid, level;

    form_groups(four_groups());
    sid = open_with("i.sion", "bw,buddy=2", 1200);
    choose_sizes();
    write_records(sid, sizes_of_rank, RECORDS);
    snprintf(name[0], sizeof name[0], group ? "i.sion.%06d" : "i.sion", group);
    for (level = 0; level < 2; level++) {
        int held = (group + level + 1) % ngroups;

        snprintf(name[level + 1], sizeof name[0],
                 held ? "i.sion_BUDDY_%02d.%06d" : "i.sion_BUDDY_%02d", level, held);
    }
    info = sion_get_io_info(sid);
    CHECK(info && info->nfiles == 3);
    check_entry(info, 0, name[0], (size_t)(1500 + mpi_rank), SION_ROLE_WRITER);
    for (level = 0; level < 2; level++)
        check_entry(info, level + 1, name[level + 1], 0,
                    lrank == 0 ? SION_ROLE_COLLECTOR : SION_ROLE_NOWRITER);
    CHECK_INT(sion_free_io_info(info), 1);
    info = sion_get_io_info_by_spec(sid, SION_ROLE_SENDER, SION_GET_IO_INFO_FLAG_NONE);
    CHECK(info && info->nfiles == 2);
    snprintf(name[0], sizeof name[0], group ? "i.sion_BUDDY_01.%06d" : "i.sion_BUDDY_01", group);
    check_entry(info, 1, name[0], (size_t)(1500 + mpi_rank), SION_ROLE_SENDER);
    sion_free_io_info(info);
    CHECK_INT(sion_parreinit_mpi(sid, 100), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("i.sion", "br,buddy=2", 0);
    info = sion_get_io_info(sid);
    CHECK(info && info->nfiles == 0);
    sion_free_io_info(info);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void check_refused(const char *name, const char *mode, const char *reason)
{
    support_errors = 0;
    CHECK_INT(open_with(name, mode, 100), -1);
    CHECK_CONTAINS(sion_error_text(), reason);
    CHECK_INT(support_errors, mpi_rank == 0);
}

/* Two tasks of 475 bytes form one group, or two if groups are formed automatically. */
static void groups_are(const char *mode, sion_int64 first, sion_int64 second)
{
    sion_int64 chunksize = 0;
    sion_int32 fsblksize;
    int nfiles = -1, globalrank, sid = open_with("g.sion", mode, 475);
    FILE *fp;

    CHECK(sid >= 0);
    write_records(sid, (size_t[]){475}, 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = sion_paropen_mpi("g.sion", "br", &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &globalrank, &fp, NULL);
    CHECK(sid >= 0);
    CHECK_INT(chunksize, lrank == 0 ? first : second);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("g.sion", "br,buddy", 0);
    CHECK_INT(read_all(sid, 475, 1), 475);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void collective_mode_forms_its_own_groups(void)
{
    form_groups("00112233");
    groups_are("bw,buddy", 475, 549);
    groups_are("bw,collective,buddy", 512, 512);
    groups_are("bw,collective,buddy,collsize=2", 475, 549);
    setenv("SION_COLLSIZE", "-1", 1);
    groups_are("bw,buddy", 512, 512);
    groups_are("bw,buddy,collsize=1", 512, 512);
    groups_are("bw,collective,buddy,collsize=2", 512, 512);
    setenv("SION_COLLSIZE", "0", 1);
    groups_are("bw,buddy", 475, 549);
    unsetenv("SION_COLLSIZE");
}

static void impossible_opens_are_refused_on_all(void)
{
    form_groups(four_groups());
    check_refused("x.sion", "bw,buddy=4", "need more than 4 files");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access("x.sion", F_OK) != 0);
    check_refused("x.sion", "bw,buddy,cmerge", "merging");
    check_refused("x.sion", "bw,buddy,keyval=inline", "key-value");
    setenv("SION_KEYVALUE_MODE", "inline", 1);
    check_refused("x.sion", "bw,buddy", "key-value");
    unsetenv("SION_KEYVALUE_MODE");
    check_refused("x.sion", "br,buddy", "not all files available");
    check_refused("x.sion", "br,buddy=4", "more than 4 groups");
    check_refused("missing/x.sion", "bw,buddy", "missing");
    check_refused("x.sion", mpi_rank == 1 ? "bw,buddy=2" : "bw,buddy", "copies");
    check_refused("x.sion", mpi_rank == 1 ? "bw" : "bw,buddy", "copies");
    check_refused("x.sion", mpi_rank == 1 ? "br,buddy=2" : "br,buddy", "copies");
    check_refused("x.sion", mpi_rank == 1 ? "br" : "br,buddy", "copies");
    check_refused("x.sion", mpi_rank == 0 ? "br" : "br,buddy", "copies");
    check_refused("x.sion", mpi_rank == 0 ? "bw" : "br,buddy", "reading");
    form_groups(mpi_size == 8 ? "00000000" : "000000");
    check_refused("x.sion", "bw,buddy", "need more than 1 files");
}

/* One task has a record that is too long, the others have none: no task hangs, no record is torn.
 * */
static void records_that_do_not_fit_fail_alone(void)
{
    static unsigned char data[5000];
    int sid, last = mpi_rank == mpi_size - 1;

    form_groups(four_groups());
    sid = open_with("o.sion", "bw,buddy=2", 1000);
    check_fill(data, mpi_rank, 0, sizeof data);
    CHECK_INT(sion_coll_fwrite(data, 1, 600, sid), 600);
    CHECK_INT(sion_coll_fwrite(data + 600, 1, last ? 5000 : 0, sid), 0);
    CHECK_INT(sion_coll_fwrite(data + 600, 1, 300, sid), 300);
    CHECK_INT(sion_get_bytes_written(sid), 900);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    lose("o.sion", 3);
    lose("o.sion_BUDDY_00", 3);
    sid = open_with("o.sion", "br,buddy=2", 0);
    CHECK(sid >= 0);
    CHECK_INT(sion_fread(data, 1, 10, sid), 0);
    CHECK_INT(sion_dup(sid, SION_DUP_ALL, 0, 0), -1);
    CHECK_INT(read_all(sid, 600, 2), 900);
    CHECK_INT(sion_coll_fread(data, 1, 10, sid), 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void check_not_published(const char *mode, const char *reason)
{
    int sid = open_with("p.sion", mode, 1000);

    write_records(sid, (size_t[]){300}, 1);
    support_errors = 0;
    CHECK_INT(sion_parpublish_mpi(sid), 0);
    CHECK_CONTAINS(sion_error_text(), reason);
    CHECK_INT(support_errors, mpi_rank == 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    sid = open_with("p.sion", strstr(mode, "buddy") ? "br,buddy" : "br,cmerge", 0);
    CHECK_INT(read_all(sid, 300, 1), 300);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* They can be written on, and are whole after the close. */
static void what_has_parts_elsewhere_is_not_published(void)
{
    const char *atomic = getenv("SION_ATOMIC") ? "it gets its name at the close" : NULL;

    form_groups(four_groups());
    check_not_published("bw,buddy", atomic ? atomic : "it is a buddy checkpoint");
    check_not_published("bw,collective,cmerge", atomic ? atomic : "its streams are merged");
    check_not_published("bw,atomic", "it gets its name at the close");
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(files_and_roles_are_reported);
    RUN_MPI(collective_mode_forms_its_own_groups);
    RUN_MPI(impossible_opens_are_refused_on_all);
    RUN_MPI(records_that_do_not_fit_fail_alone);
    RUN_MPI(what_has_parts_elsewhere_is_not_published);
    MPI_Comm_free(&local);
    return mpi_end();
}
