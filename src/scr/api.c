/*
 * The functions of sion_scr.h that can fail. They take the structs of the program, call those that
 * do the work, and print failures.
 */
#include <string.h>

#include "base/sized.h"
#include "comm/agree.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/index.h"
#include "scr/dataset/record.h"
#include "scr/dataset/repair.h"
#include "scr/map/filemap.h"
#include "scr/map/map.h"
#include "scr/report.h"
#include "scr/scr.h"

/* ---- structs of the program, as those of this version of the library ---- */

/* type own, from one that the function needs. */
#define TAKE(own, given, type) scion_sized_take(own, sizeof(type), given, #type)

/* The same; NULL: the defaults. */
#define TAKE_OPTIONS(own, given, type)                                                             \
    ((given) ? TAKE(own, given, type) : (memset(own, 0, sizeof(type)), 0))

/* Map options, which other options refer to; rc: of taking these. */
static int take_map(int rc, struct sion_scr_map_options *own,
                    const struct sion_scr_map_options **map)
{
    if (rc == 0)
        rc = TAKE_OPTIONS(own, *map, struct sion_scr_map_options);
    *map = own;
    return rc;
}

static int take_fetch(struct sion_scr_fetch_options *own, struct sion_scr_map_options *map,
                      const struct sion_scr_fetch_options *options)
{
    return take_map(TAKE_OPTIONS(own, options, struct sion_scr_fetch_options), map, &own->map);
}

/* Collective: rc of each task, before all begin. */
static int agree(struct scion_comm *comm, int rc)
{
    return scion_agree(comm, scion_name_rank(comm, rc));
}

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
    struct sion_scr_place own;
    struct sion_scr_map_options map = {0};
    int rc = TAKE(&own, place, struct sion_scr_place);

    if (rc == 0)
        rc = TAKE_OPTIONS(&map, options, struct sion_scr_map_options);
    if (rc == 0)
        rc = scion_ranks_sort(ranks);
    rc = scion_map_write(comm, rc, &own, ranks, &map, 0666);
    return scion_scr_result_of_all(__func__, comm, rc);
}

sion_scr_ranks *sion_scr_map_read(sion_scr_comm *comm, const char *folder,
                                  const struct sion_scr_map_options *options)
{
    struct sion_scr_map_options map;
    int rc = agree(comm, TAKE_OPTIONS(&map, options, struct sion_scr_map_options));
    sion_scr_ranks *ranks = rc == 0 ? scion_scr_map_read(comm, folder, &map) : NULL;

    scion_scr_result_of_all(__func__, comm, ranks ? 0 : scion_error_code());
    return ranks;
}

/* ---- datasets ---- */

int sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name)
{
    struct sion_scr_dataset own;

    scion_scr_dataset_init(&own, id, name);
    return scion_scr_result(__func__,
                            scion_sized_give(dataset, &own, sizeof own, "struct sion_scr_dataset"));
}

int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset)
{
    struct sion_scr_place own;
    struct sion_scr_dataset described;
    int rc = TAKE(&own, place, struct sion_scr_place);

    if (rc == 0)
        rc = TAKE(&described, dataset, struct sion_scr_dataset);
    if (rc == 0)
        rc = scion_scr_summary_write(&own, &described);
    return scion_scr_result(__func__, rc);
}

int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache)
{
    struct sion_scr_dataset own;
    int rc = TAKE(&own, dataset, struct sion_scr_dataset);

    if (rc == 0)
        rc = scion_scr_flush_write(prefix, &own, in_cache);
    return scion_scr_result(__func__, rc);
}

int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset)
{
    struct sion_scr_dataset own;
    int rc = TAKE(&own, dataset, struct sion_scr_dataset);

    if (rc == 0)
        rc = scion_scr_index_write(prefix, &own);
    return scion_scr_result(__func__, rc);
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
    struct sion_scr_drop own;
    int rc = TAKE(&own, what, struct sion_scr_drop);

    if (rc == 0)
        rc = scion_scr_index_drop(prefix, &own, tell, user);
    return scion_scr_result(__func__, rc);
}

/* ---- maps of containers, and what is made from maps ---- */

int sion_scr_export(const char *fname, const struct sion_scr_export_options *options)
{
    struct sion_scr_export_options own;
    struct sion_scr_map_options map;
    int rc = TAKE_OPTIONS(&own, options, struct sion_scr_export_options);

    rc = take_map(rc, &map, &own.map);
    return scion_scr_result(__func__, rc == 0 ? scion_scr_export(fname, &own) : rc);
}

int sion_scr_attach(int sid, const struct sion_scr_export_options *options)
{
    struct sion_scr_export_options own;
    struct sion_scr_map_options map;
    int rc = TAKE_OPTIONS(&own, options, struct sion_scr_export_options);

    rc = take_map(rc, &map, &own.map);
    return scion_scr_result(__func__, scion_scr_attach(sid, rc, &own));
}

int sion_scr_fetch(sion_scr_comm *comm, const char *folder, const char *out,
                   const struct sion_scr_fetch_options *options)
{
    struct sion_scr_fetch_options own;
    struct sion_scr_map_options map;
    int rc = agree(comm, take_fetch(&own, &map, options));

    if (rc == 0)
        rc = scion_scr_fetch(comm, folder, out, &own);
    return scion_scr_result_of_all(__func__, comm, rc);
}

int sion_scr_check(const char *folder, const struct sion_scr_fetch_options *options)
{
    struct sion_scr_fetch_options own;
    struct sion_scr_map_options map;
    int rc = take_fetch(&own, &map, options);

    return scion_scr_result(__func__, rc == 0 ? scion_scr_check(folder, &own) : rc);
}

int sion_scr_seal(sion_scr_comm *comm, const char *folder,
                  const struct sion_scr_fetch_options *options)
{
    struct sion_scr_fetch_options own;
    struct sion_scr_map_options map;
    int rc = agree(comm, take_fetch(&own, &map, options));

    if (rc == 0)
        rc = scion_scr_seal(comm, folder, &own);
    return scion_scr_result_of_all(__func__, comm, rc);
}

int sion_scr_import(const char *folder, const char *fname,
                    const struct sion_scr_fetch_options *options)
{
    struct sion_scr_fetch_options own;
    struct sion_scr_map_options map;
    int rc = take_fetch(&own, &map, options);

    return scion_scr_result(__func__, rc == 0 ? scion_scr_import(folder, fname, &own) : rc);
}

int sion_scr_pack(sion_scr_comm *comm, const char *folder, int n, const sion_int64 *ranks,
                  const char *const *paths, sion_int64 bytes,
                  const struct sion_scr_pack_options *options)
{
    struct sion_scr_pack_options own;
    struct sion_scr_map_options map;
    int rc = TAKE_OPTIONS(&own, options, struct sion_scr_pack_options);

    rc = agree(comm, take_map(rc, &map, &own.map));
    if (rc == 0)
        rc = scion_scr_pack(comm, folder, n, ranks, paths, bytes, &own);
    return scion_scr_result_of_all(__func__, comm, rc);
}

/* ---- filemaps ---- */

int sion_scr_filemap_add(sion_kvtree *map, int id, sion_int64 rank,
                         const struct sion_scr_cached_file *file)
{
    struct sion_scr_cached_file own;
    int rc = TAKE(&own, file, struct sion_scr_cached_file);

    return scion_scr_result(__func__, rc == 0 ? scion_scr_filemap_add(map, id, rank, &own) : rc);
}

int sion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                              sion_int64 rank, const struct sion_scr_redundancy *redundancy)
{
    struct sion_scr_dataset own;
    struct sion_scr_redundancy described;
    int rc = TAKE(&own, dataset, struct sion_scr_dataset);

    if (rc == 0 && redundancy)
        rc = TAKE(&described, redundancy, struct sion_scr_redundancy);
    if (rc == 0)
        rc = scion_scr_filemap_describe(map, &own, rank, redundancy ? &described : NULL);
    return scion_scr_result(__func__, rc);
}

int sion_scr_filemap_write(sion_scr_comm *comm, const sion_kvtree *map, const char *folder)
{
    return scion_scr_result_of_all(__func__, comm, scion_scr_filemap_write(comm, folder, map));
}

sion_kvtree *sion_scr_filemap_read(const char *folder, int allow_outside)
{
    sion_kvtree *map = NULL;

    scion_scr_filemap_read(folder, allow_outside, &map);
    return scion_scr_object(__func__, map);
}
