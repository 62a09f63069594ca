/* The functions of sion_scr.h that can fail: they call those that do the work, and print failures.
 */
#include "scr/dataset/describe.h"
#include "scr/dataset/index.h"
#include "scr/dataset/record.h"
#include "scr/dataset/repair.h"
#include "scr/map/filemap.h"
#include "scr/map/map.h"
#include "scr/report.h"
#include "scr/scr.h"

/* ---- rank2file maps ---- */

sion_scr_ranks *sion_scr_ranks_new(void)
{
    return scion_scr_object(__func__, scion_ranks_new());
}

int sion_scr_ranks_add(sion_scr_ranks *ranks, sion_int64 rank, const sion_kvtree *tree)
{
    return scion_scr_result(__func__, scion_ranks_add(ranks, rank, tree));
}

int sion_scr_ranks_get(const sion_scr_ranks *ranks, int i, sion_int64 *rank, sion_kvtree **tree)
{
    return scion_scr_result(__func__, scion_ranks_get(ranks, i, rank, tree));
}

int sion_scr_map_write(sion_scr_comm *comm, const struct sion_scr_place *place,
                       sion_scr_ranks *ranks, const struct sion_scr_map_options *options)
{
    return scion_scr_result_of_all(
        __func__, comm,
        scion_map_write(comm, scion_ranks_sort(ranks), place, ranks, options, 0666));
}

sion_scr_ranks *sion_scr_map_read(sion_scr_comm *comm, const char *folder,
                                  const struct sion_scr_map_options *options)
{
    sion_scr_ranks *ranks = scion_scr_map_read(comm, folder, options);

    scion_scr_result_of_all(__func__, comm, ranks ? 0 : scion_error_code());
    return ranks;
}

/* ---- datasets ---- */

void sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name)
{
    scion_scr_dataset_init(dataset, id, name);
}

int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset)
{
    return scion_scr_result(__func__, scion_scr_summary_write(place, dataset));
}

int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache)
{
    return scion_scr_result(__func__, scion_scr_flush_write(prefix, dataset, in_cache));
}

int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset)
{
    return scion_scr_result(__func__, scion_scr_index_write(prefix, dataset));
}

/* ---- the datasets in a prefix ---- */

typedef int visitor(void *user, const struct sion_scr_indexed *dataset);
typedef void teller(void *user, const char *name, int failed, const char *text);

struct visits {
    visitor *visit;
    void *user;
    int count, is_ended; /* by the visitor */
};

static int count_visit(void *data, const struct sion_scr_indexed *dataset)
{
    struct visits *visits = data;

    visits->count++;
    visits->is_ended = visits->visit(visits->user, dataset) != 0;
    return visits->is_ended;
}

int sion_scr_index_visit(const char *prefix, visitor *visit, void *user)
{
    struct visits visits = {.visit = visit, .user = user};
    int rc = scion_scr_index_visit(prefix, count_visit, &visits);

    return visits.is_ended || scion_scr_result(__func__, rc) == SION_SUCCESS ? visits.count : -1;
}

int sion_scr_index_make_current(const char *prefix, const char *name)
{
    return scion_scr_result(__func__, scion_scr_index_make_current(prefix, name));
}

int sion_scr_index_add(const char *prefix, const char *name)
{
    return scion_scr_result(__func__, scion_scr_index_add(prefix, name));
}

int sion_scr_index_repair(const char *prefix, teller *tell, void *user)
{
    return scion_scr_result(__func__, scion_scr_index_repair(prefix, tell, user));
}

int sion_scr_index_build(const char *prefix, int dry_run, teller *tell, void *user)
{
    return scion_scr_result(__func__, scion_scr_index_build(prefix, dry_run, tell, user));
}

int sion_scr_index_drop(const char *prefix, const struct sion_scr_drop *what, teller *tell,
                        void *user)
{
    return scion_scr_result(__func__, scion_scr_index_drop(prefix, what, tell, user));
}

/* ---- maps of containers, and what is made from maps ---- */

int sion_scr_export(const char *container, const struct sion_scr_export_options *options)
{
    return scion_scr_result(__func__, scion_scr_export(container, options));
}

int sion_scr_attach(int sid, const struct sion_scr_export_options *options)
{
    return scion_scr_result(__func__, scion_scr_attach(sid, options));
}

int sion_scr_fetch(sion_scr_comm *comm, const char *folder, const char *out,
                   const struct sion_scr_fetch_options *options)
{
    return scion_scr_result_of_all(__func__, comm, scion_scr_fetch(comm, folder, out, options));
}

int sion_scr_check(const char *folder, const struct sion_scr_fetch_options *options)
{
    return scion_scr_result(__func__, scion_scr_check(folder, options));
}

int sion_scr_seal(sion_scr_comm *comm, const char *folder,
                  const struct sion_scr_fetch_options *options)
{
    return scion_scr_result_of_all(__func__, comm, scion_scr_seal(comm, folder, options));
}

int sion_scr_import(const char *folder, const char *container,
                    const struct sion_scr_fetch_options *options)
{
    return scion_scr_result(__func__, scion_scr_import(folder, container, options));
}

int sion_scr_pack(sion_scr_comm *comm, const char *folder, sion_int64 size,
                  const struct sion_scr_file *files, int n,
                  const struct sion_scr_pack_options *options)
{
    return scion_scr_result_of_all(__func__, comm,
                                   scion_scr_pack(comm, folder, size, files, n, options));
}

/* ---- filemaps ---- */

int sion_scr_filemap_add(sion_kvtree *map, int dataset, sion_int64 rank,
                         const struct sion_scr_cached_file *file)
{
    return scion_scr_result(__func__, scion_scr_filemap_add(map, dataset, rank, file));
}

int sion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                              sion_int64 rank, const struct sion_scr_redundancy *redundancy)
{
    return scion_scr_result(__func__, scion_scr_filemap_describe(map, dataset, rank, redundancy));
}

int sion_scr_filemap_write(sion_scr_comm *comm, const char *folder, const sion_kvtree *map)
{
    return scion_scr_result_of_all(__func__, comm, scion_scr_filemap_write(comm, folder, map));
}

sion_kvtree *sion_scr_filemap_read(const char *folder, int allow_outside)
{
    sion_kvtree *map = NULL;

    scion_scr_filemap_read(folder, allow_outside, &map);
    return scion_scr_object(__func__, map);
}
