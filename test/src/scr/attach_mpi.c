/* Maps that tasks write while they write a container. */
#include "scr_mpi.h"

/* ---- a container that is being written ---- */

/* The data that a test writes, and finds again with the map. */
struct written {
    const char *mode;
    int nfiles;
    int exported; /* write through the FILE* */
    sion_int64 chunksize;
    const size_t *records; /* 0 ends the list */
};

static size_t total_of(const struct written *written)
{
    size_t total = 0;
    int i;

    for (i = 0; written->records[i]; i++)
        total += written->records[i];
    return total;
}

static void write_container(const struct written *written,
                            const struct sion_scr_export_options *options)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = written->chunksize;
    sion_int32 fsblksize = 512;
    int nfiles = written->nfiles, globalrank, i, sid;
    size_t done = 0;
    FILE *fp = NULL;

    sid = sion_paropen_mpi("data/c.sion", written->mode, &nfiles, MPI_COMM_WORLD, &comm, &chunksize,
                           &fsblksize, &globalrank, written->exported ? &fp : NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(code_of(sion_scr_attach(sid, options)), 0);
    for (i = 0; written->records[i]; i++) {
        size_t n = written->records[i];

        fill((long)done, n);
        if (strstr(written->mode, "keyval")) {
            CHECK_INT(sion_fwrite_key(data, (uint64_t)i, 1, n, sid), n);
        } else if (strstr(written->mode, "collective")) {
            CHECK_INT(sion_coll_fwrite(data, 1, n, sid), n);
        } else if (fp) {
            CHECK_INT(sion_ensure_free_space(sid, (sion_int64)n), 1);
            CHECK_INT(fwrite(data, 1, n, fp), n);
        } else {
            CHECK_INT(sion_fwrite(data, 1, n, sid), n);
        }
        done += n;
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void check_fetched(size_t total)
{
    char path[64];
    size_t size = 0;
    unsigned char *bytes;

    snprintf(path, sizeof path, "out/c.sion.task.%d", mpi_rank);
    bytes = support_load(path, &size);
    CHECK(bytes != NULL);
    CHECK_INT(size, total);
    CHECK(bytes && check_compare(bytes, mpi_rank, 0, size) == -1);
    free(bytes);
}

static void attach_and_fetch(const struct written *written,
                             const struct sion_scr_export_options *options)
{
    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    write_container(written, options);
    CHECK_INT(code_of(sion_scr_fetch(world, "data", "out", NULL)), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    check_fetched(total_of(written));
    if (mpi_rank == 0) {
        CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
        CHECK(same_tree_files("data/.scr/rank2file.scr", "data/.scr/rank2file.scr"));
    }
    clean_up("out");
    /* An export of the closed container makes the same map. */
    if (mpi_rank == 0) {
        struct sion_scr_export_options again = {.size = sizeof again};

        again.map = options ? options->map : NULL;
        CHECK_INT(rename("data/.scr", "attached"), 0);
        CHECK_INT(code_of(sion_scr_export("data/c.sion", &again)), 0);
        CHECK(same_tree_files("data/.scr/rank2file.scr", "attached/rank2file.scr"));
        CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", "attached/rank2file.0.0.scr"));
    }
    clean_up("attached");
    clean_up("data");
}

static void maps_are_written_at_the_close(void)
{
    static const size_t small[] = {10, 20, 1, 512, 7, 0}, large[] = {200, 90000, 3, 30000, 1000, 0};
    static const size_t none[] = {0};
    const struct sion_scr_map_options map = {.size = sizeof map, .segment = 200};
    const struct sion_scr_export_options options = {.size = sizeof options, .map = &map};
    const struct written cases[] = {
        {"bw", 1, 0, 1024, small},       {"bw", 1, 0, 100000, large},
        {"bw", mpi_size, 0, 600, small}, {"bw,posix", 1, 0, 100000, large},
        {"bw", 1, 1, 100000, large},     {"bw,collective,collsize=2", 1, 0, 100000, large},
        {"bw", 1, 0, 1024, none},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        attach_and_fetch(&cases[i], NULL);
    attach_and_fetch(&cases[0], &options);
}

/*
 * Maps of key-value containers have the raw streams; those of merged containers have all bytes at
 * the collectors; buddy files are in no map.
 */
static void maps_of_other_kinds_of_containers(void)
{
    static const size_t records[] = {100, 300, 1500, 0}, small[] = {100, 300, 0};
    const struct sion_scr_export_options forced = {.size = sizeof forced, .force = 1};
    const struct written cases[] = {
        {"bw,keyval=inline", 1, 0, 1000, records},
        {"bw,keyval=inline", mpi_size, 0, 1000, records},
        {"bw,collective,cmerge,collsize=2", 1, 0, 1000, small},
        {"bw,buddy", 2, 0, 1000, small},
    };
    int i;

    for (i = 0; i < (mpi_size >= 4 ? 4 : 3); i++) {
        if (mpi_rank == 0)
            mkdir("data", 0777);
        MPI_Barrier(MPI_COMM_WORLD);
        write_container(&cases[i], &forced);
        if (mpi_rank == 0) {
            CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
            CHECK_INT(rename("data/.scr", "attached"), 0);
            CHECK_INT(code_of(sion_scr_export("data/c.sion", &forced)), 0);
            CHECK(same_tree_files("data/.scr/rank2file.0.0.scr", "attached/rank2file.0.0.scr"));
        }
        clean_up("attached");
        clean_up("data");
    }
}

/* Bytes that the tap has seen, but that were changed or discarded later. */
static void crcs_are_those_of_the_file(void)
{
    FILE *fp;
    int sid;

    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("data/c.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), 0);
    memset(data, 1, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_flush(sid), 1);
    fp = sion_get_fp(sid);
    fill(0, 100);
    CHECK_INT(fseek(fp, -100, SEEK_CUR), 0);
    CHECK_INT(fwrite(data, 1, 100, fp), 100);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(code_of(sion_scr_fetch(world, "data", "out", NULL)), 0);
    check_fetched(100);
    clean_up("out");

    sid = open_data("data/c.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), 0);
    memset(data, 2, 100);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_parreinit_mpi(sid, 2000), 1);
    fill(0, 70);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(code_of(sion_scr_fetch(world, "data", "out", NULL)), 0);
    check_fetched(70);
    clean_up("out");
    clean_up("data");
}

static void wrong_attaches_are_refused(void)
{
    struct sion_scr_export_options outside = {.size = sizeof outside, .base = "elsewhere"};
    int sid;

    if (mpi_rank == 0) {
        mkdir("data", 0777);
        mkdir("elsewhere", 0777);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(code_of(sion_scr_attach(17, NULL)), SION_ERR_HANDLE);
    sid = open_data("data/c.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, &outside)), SION_ERR_ARGUMENT);
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), 0);
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), SION_ERR_MODE);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    clean_up("elsewhere");
    clean_up("data");
}

/* All tasks write, and the last one attaches with other arguments. rc: the result of its attach. */
static void attach_differently(const struct sion_scr_export_options *last, int rc, int closed)
{
    int sid, is_last = mpi_rank == mpi_size - 1;

    sid = open_data("data/c.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, is_last ? last : NULL)), is_last ? rc : 0);
    fill(0, 70);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    CHECK_INT(sion_parclose_mpi(sid), closed);
}

/* The call returned an error, but the other tasks would wait for this one at the close. */
static void an_unattached_task_fails_on_all(void)
{
    const struct sion_scr_export_options outside = {.size = sizeof outside, .base = "elsewhere"},
                                         above = {.size = sizeof above, .base = "."};
    char text[64];

    if (mpi_rank == 0) {
        mkdir("data", 0777);
        mkdir("elsewhere", 0777);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_size == 1) {
        attach_differently(&outside, SION_ERR_ARGUMENT, 1); /* no task requests a map */
    } else {
        attach_differently(&outside, SION_ERR_ARGUMENT, -1);
        snprintf(text, sizeof text, "rank %d: data/c.sion is not in or below ", mpi_size - 1);
        CHECK_CONTAINS(sion_error_text(), text);
        CHECK(!strstr(sion_error_text(), "rank 0"));
        attach_differently(&above, 0, -1);
        snprintf(text, sizeof text, "rank %d: its map would be in ", mpi_size - 1);
        CHECK_CONTAINS(sion_error_text(), text);
        CHECK(!strstr(sion_error_text(), "rank 0: "));
    }
    CHECK(access("data/.scr/rank2file.scr", F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    clean_up("elsewhere");
    clean_up("data");
}

/* An old map is removed when the container is opened for writing. */
static void an_old_map_does_not_outlive_its_container(void)
{
    int sid;

    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    attach_differently(NULL, 0, 1);
    CHECK(access("data/.scr/rank2file.scr", F_OK) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("data/c.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access("data/.scr/rank2file.scr", F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK(access("data/.scr/rank2file.scr", F_OK) == 0);
    clean_up("data");
}

/* The tasks of a process in a mapped container. */
enum { EACH = 3, TURNS = 4, RECORD = 700 };

static int rank_of_task(int i)
{
    return (EACH - 1 - i) * mpi_size + mpi_rank;
}

static int open_mapped_data(int nfiles, const char *mode)
{
    int ranks[EACH], files[EACH], places[EACH], n = EACH, i;
    int *rank_list = ranks, *file_list = files, *place_list = places;
    sion_int64 chunks[EACH], *chunk_list = chunks;
    sion_int32 fsblksize = 512;
    char name[] = "data/c.sion";

    for (i = 0; i < EACH; i++) {
        ranks[i] = rank_of_task(i);
        files[i] = ranks[i] % nfiles;
        places[i] = ranks[i] / nfiles;
        chunks[i] = 1000;
    }
    if (mpi_rank == 0)
        mkdir("data", 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    return sion_paropen_mapped_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &n, &rank_list, &chunk_list,
                                   &file_list, &place_list, &fsblksize, NULL);
}

/* Every process writes tasks of its choice in turn, into one file or two. */
static void write_mapped_data(int nfiles, const char *mode,
                              const struct sion_scr_export_options *options)
{
    int sid = open_mapped_data(nfiles, mode), turn, i;

    CHECK(sid >= 0);
    CHECK_INT(code_of(sion_scr_attach(sid, options)), 0);
    for (turn = 0; turn < TURNS; turn++) {
        for (i = 0; i < EACH; i++) {
            CHECK_INT(sion_seek(sid, rank_of_task(i), SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            check_fill(data, rank_of_task(i), turn * RECORD, RECORD);
            CHECK_INT(sion_fwrite(data, 1, RECORD, sid), RECORD);
        }
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

/* The map equals the one that an export of the closed container makes. */
static void same_map_as_exported(const char *folder, const char *map,
                                 const struct sion_scr_export_options *options)
{
    char made[64], attached[64];

    if (mpi_rank == 0) {
        snprintf(made, sizeof made, "%s/.scr", folder);
        CHECK_INT(code_of(sion_scr_check(folder, NULL)), 0);
        CHECK_INT(rename(made, "attached"), 0);
        CHECK_INT(code_of(sion_scr_export("data/c.sion", options)), 0);
        snprintf(made, sizeof made, "%s/.scr/%s", folder, map);
        snprintf(attached, sizeof attached, "attached/%s", map);
        CHECK(same_tree_files(made, attached));
    }
    clean_up("attached");
}

static void map_of_a_mapped_container(int nfiles, const char *mode)
{
    char path[64];
    int i;

    write_mapped_data(nfiles, mode, NULL);
    CHECK_INT(code_of(sion_scr_fetch(world, "data", "out", NULL)), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < EACH; i++) {
        size_t size = 0;
        unsigned char *bytes;

        snprintf(path, sizeof path, "out/c.sion.task.%d", rank_of_task(i));
        bytes = support_load(path, &size);
        CHECK_INT(size, TURNS * RECORD);
        CHECK(bytes && check_compare(bytes, rank_of_task(i), 0, size) == -1);
        free(bytes);
    }
    same_map_as_exported("data", "rank2file.0.0.scr", NULL);
    clean_up("out");
    clean_up("data");
}

static void native_map_of_a_mapped_container(int nfiles)
{
    const struct sion_scr_export_options scr3 = {.size = sizeof scr3, .layout = SION_SCR_LAYOUT_3};

    write_mapped_data(nfiles, "bw", &scr3);
    same_map_as_exported(".", "scr.dataset.1/rank2file.0.0", &scr3);
    clean_up(".scr");
    clean_up("data");
}

static void maps_of_mapped_containers_are_right(void)
{
    map_of_a_mapped_container(1, "bw");
    map_of_a_mapped_container(2, "bw");
    map_of_a_mapped_container(1, "bw,posix");
    native_map_of_a_mapped_container(2);
    native_map_of_a_mapped_container(1);
}

/* The data are complete, but the map is not, so the close fails on all tasks. */
static void a_map_that_cannot_be_written_fails_on_all(void)
{
    int sid;

    if (mpi_rank == 0) {
        mkdir("data", 0777);
        support_store("data/.scr", "a file", 6);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_data("data/c.sion");
    CHECK_INT(code_of(sion_scr_attach(sid, NULL)), 0);
    fill(0, 70);
    CHECK_INT(sion_fwrite(data, 1, 70, sid), 70);
    CHECK_INT(sion_parclose_mpi(sid), -1);
    CHECK(!strstr(sion_error_text(), "rank 0: rank 0"));
    CHECK_CONTAINS(sion_error_text(), "data/.scr");
    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_open_rank("data/c.sion", "br", NULL, NULL, &mpi_rank, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_fread(data, 1, 70, sid), 70);
    CHECK_INT(check_compare(data, mpi_rank, 0, 70), -1);
    sion_close(sid);
    clean_up("data");
}

int main(int argc, char **argv)
{
    scr_begin(&argc, &argv);
    RUN_MPI(maps_are_written_at_the_close);
    RUN_MPI(maps_of_other_kinds_of_containers);
    RUN_MPI(crcs_are_those_of_the_file);
    RUN_MPI(wrong_attaches_are_refused);
    RUN_MPI(an_unattached_task_fails_on_all);
    RUN_MPI(an_old_map_does_not_outlive_its_container);
    RUN_MPI(maps_of_mapped_containers_are_right);
    RUN_MPI(a_map_that_cannot_be_written_fails_on_all);
    return scr_end();
}
