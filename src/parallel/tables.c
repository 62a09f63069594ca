/* The tables of a container that all its tasks write, at a publish and at the close. */
#include "parallel/tables.h"

#include <stdlib.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/checksum_tap.h"
#include "parallel/buddy.h"
#include "parallel/checksum_gather.h"
#include "parallel/files.h"
#include "parallel/mapped.h"

int scion_gathers_mapping(const struct scion_parallel *parallel)
{
    return parallel->deals == SCION_DEALT ? parallel->first_leader > 0
                                          : parallel->deals != SCION_DEALT_EVENLY;
}

int scion_reserve_mapping(struct scion_parallel *parallel, int nfiles)
{
    struct scion_mapping *mapping = &parallel->mapping;

    if (parallel->deals == SCION_DEALT_EVENLY)
        *mapping = (struct scion_mapping){.size = parallel->global->size, .nfiles = nfiles};
    if (!scion_gathers_mapping(parallel))
        return 0;
    if (parallel->deals == SCION_DEALT_IN_ORDER) {
        mapping->counts = scion_array((size_t)nfiles, sizeof *mapping->counts);
        mapping->nfiles = nfiles;
        if (!mapping->counts)
            return scion_fail_memory("files");
    }
    return scion_mapping_make(mapping, parallel->global->size);
}

int scion_settle_deal(struct scion_parallel *parallel, int nfiles, int rc)
{
    struct scion_mapping *mapping = &parallel->mapping;

    if (rc < 0 || parallel->deals != SCION_DEALT_IN_ORDER)
        return rc < 0 ? rc : 0;
    if (rc != SCION_MORE) {
        free(mapping->counts);
        mapping->counts = NULL;
    }
    if (rc == SCION_FIRST)
        parallel->deals = SCION_DEALT_ANYHOW;
    if (rc == 0) {
        free(mapping->pairs);
        *mapping = (struct scion_mapping){.size = -1};
        parallel->deals = SCION_DEALT_EVENLY;
        if (parallel->global->rank == parallel->first_leader && nfiles > 1)
            return scion_reserve_mapping(parallel, nfiles); /* takes none */
    }
    return 0;
}

/* The first task of file 0 gets what it does not know of the mapping. */
static int need_mapping(struct scion_parallel *parallel, const struct scion_container *container)
{
    struct scion_comm *global = parallel->global;
    struct scion_mapping *mapping = &parallel->mapping;
    int root = parallel->first_leader, file = scion_container_head(container)->filenumber;

    if (scion_container_nfiles(container) <= 1 || !scion_gathers_mapping(parallel))
        return 0;
    if (parallel->deals == SCION_DEALT_IN_ORDER)
        return scion_gather(global, &file, global->rank == root ? mapping->pairs : NULL,
                            sizeof file, root);
    return scion_gather_mapping(global, root, file, scion_container_lrank(container), mapping);
}

/* What is done with the lengths that come: all, or those that are new. Programs that do not publish
   need not have what does. */
typedef int finish_function(struct scion_physical *physical,
                            const struct scion_length_source *lengths,
                            const struct scion_mapping *mapping, int has_sums);

static int finish_all(struct scion_physical *physical, const struct scion_length_source *lengths,
                      const struct scion_mapping *mapping, int has_sums)
{
    (void)has_sums;
    return scion_physical_finish(physical, lengths, mapping);
}

static int finish_file(struct scion_parallel *parallel, struct scion_container *container,
                       finish_function *finish)
{
    struct scion_physical *physical = scion_container_physical(container);
    const struct scion_mapping *mapping = scion_mapping_of(parallel, container);
    const struct scion_length_order order = {.gather = &parallel->gather,
                                             .ranks = scion_ranks_of_tasks(parallel, physical)};
    const struct scion_length_source written = scion_length_gather_source(&order);

    return finish(physical, &written, mapping, scion_checksum_tap_of(container) != NULL);
}

/* What the first task of a file writes after META2. */
const struct scion_mapping *scion_mapping_of(const struct scion_parallel *parallel,
                                             const struct scion_container *container)
{
    static const struct scion_mapping none = {.size = -1};

    return scion_container_head(container)->filenumber == 0 ? &parallel->mapping : &none;
}

/* Local. What the file's first task writes comes from the gather, which has begun. */
static int write_while_it_comes(struct scion_parallel *parallel, struct scion_container *container,
                                finish_function *finish)
{
    int rc = 0, other;

    if (parallel->local->rank == 0)
        rc = finish_file(parallel, container, finish);
    other = scion_length_gather_end(&parallel->gather);
    return scion_first_failure(rc, other);
}

/* Collective over the tasks of a file: its first task writes META2 while it comes. */
static int write_file_tables(struct scion_parallel *parallel, struct scion_container *container,
                             const struct scion_lengths *own, finish_function *finish)
{
    int is_first = parallel->local->rank == 0;
    struct scion_physical *physical = is_first ? scion_container_physical(container) : NULL;
    int rc;

    parallel->gather.is_read_once = finish == finish_all && !parallel->grows;
    rc = scion_length_gather_begin(&parallel->gather, own,
                                   is_first ? scion_physical_gap(physical) : 0);
    return rc == 0 ? write_while_it_comes(parallel, container, finish) : rc;
}

int scion_write_new_tables(struct scion_parallel *parallel, struct scion_container *container)
{
    struct scion_lengths news;
    int rc, other;

    if (scion_container_is_mapped(container))
        return scion_mapped_write_news(parallel, container);
    news = scion_lengths_news(scion_container_lengths(container, 0));
    rc = need_mapping(parallel, container);
    other = write_file_tables(parallel, container, &news, scion_physical_publish);
    return scion_first_failure(rc, other);
}

int scion_write_tables(struct scion_parallel *parallel, struct scion_container *container)
{
    int rc, other;

    if (scion_container_is_mapped(container))
        return scion_mapped_write_tables(parallel, container);
    rc = need_mapping(parallel, container);
    other =
        write_file_tables(parallel, container, scion_container_lengths(container, 0), finish_all);
    rc = scion_first_failure(rc, other);
    other = parallel->buddies ? scion_buddy_finish(container) : 0;
    return scion_first_failure(rc, other);
}

void scion_begin_growing(struct scion_parallel *parallel, struct scion_container *container)
{
    int i;

    parallel->grows = 1;
    if (scion_container_is_mapped(container)) {
        for (i = 0; parallel->files && i < parallel->nfiles; i++)
            parallel->files[i]->grows = 1;
    } else if (parallel->local->rank == 0) {
        scion_container_physical(container)->grows = 1;
    }
}

int scion_write_news(struct scion_parallel *parallel, struct scion_container *container,
                     const struct scion_length_news *news, int *is_new)
{
    const struct scion_lengths own = scion_lengths_news(scion_container_lengths(container, 0));
    int rc;

    parallel->gather.is_read_once = 0;
    rc = scion_length_gather_news(&parallel->gather, &own, news);
    *is_new = rc == SCION_MORE;
    if (!*is_new)
        return rc;
    scion_begin_growing(parallel, container);
    return write_while_it_comes(parallel, container, scion_physical_publish);
}

/* ---- the switch ---- */

static int switch_file(struct scion_physical *physical, int is_closed)
{
    int rc = scion_physical_resume(physical), other;

    if (rc == 0)
        rc = scion_physical_switch(physical, is_closed);
    other = physical->file ? scion_physical_suspend(physical) : 0;
    return scion_first_failure(rc, other);
}

/* On rank 0, which has all files. */
static int switch_mapped(const struct scion_parallel *parallel, int is_closed)
{
    sion_int64 number = parallel->files[0]->states + 1;
    int rc = 0, i;

    for (i = 0; i < parallel->nfiles; i++) {
        if (!parallel->files[i]->is_ready)
            return 0;
    }
    for (i = parallel->nfiles - 1; i >= 0 && rc == 0; i--)
        rc = switch_file(parallel->files[i], is_closed);
    for (i = 0; i < parallel->nfiles; i++)
        parallel->files[i]->states = number; /* some have used it */
    return rc;
}

/* Every file but file 0, and then that. */
static int switch_set(const struct scion_parallel *parallel, struct scion_physical *physical,
                      int is_closed)
{
    int go_on = scion_none_failed(parallel->global,
                                  physical && !physical->is_ready ? SION_ERR_SYSTEM : 0),
        rc = 0;

    if (go_on != 1)
        return go_on < 0 ? go_on : 0;
    if (physical && physical->head.filenumber > 0)
        rc = scion_physical_switch(physical, is_closed);
    go_on = scion_none_failed(parallel->global, rc);
    if (go_on != 1 && physical && physical->head.filenumber == 0)
        physical->states++; /* the others have used the number */
    if (go_on != 1)
        return scion_first_failure(rc, go_on < 0 ? go_on : 0);
    return physical && physical->head.filenumber == 0 ? scion_physical_switch(physical, is_closed)
                                                      : 0;
}

int scion_switch_states(struct scion_parallel *parallel, struct scion_container *container,
                        int is_closed)
{
    struct scion_physical *physical = NULL;

    if (!parallel->grows)
        return 0;
    if (scion_container_is_mapped(container))
        return parallel->global->rank == 0 ? switch_mapped(parallel, is_closed) : 0;
    if (parallel->local->rank == 0)
        physical = scion_container_physical(container);
    if (parallel->local != parallel->global)
        return switch_set(parallel, physical, is_closed);
    return physical ? scion_physical_switch(physical, is_closed) : 0;
}
