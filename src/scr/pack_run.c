#include "scr/pack_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"

static sion_int64 last_number(const struct scion_pack_run *packing)
{
    return (packing->offset + packing->bytes) / packing->container_size;
}

static void name_container(char name[SCION_CONTAINER_NAME], sion_int64 number)
{
    snprintf(name, SCION_CONTAINER_NAME, ".scr/ctr.%lld.scr", number);
}

void scion_pack_run_number(struct scion_pack_run *packing, sion_int64 first)
{
    sion_int64 last = last_number(packing), number;

    for (number = packing->first_number; number <= last; number++)
        name_container(packing->names[number - packing->first_number], first + number);
}

int scion_pack_run_name(struct scion_pack_run *packing)
{
    sion_int64 more = packing->total / packing->container_size, last;

    /* The numbers from 0 on must be free when the old containers have gone. */
    if (packing->decision.first > 0 && packing->decision.first <= more)
        packing->decision.first = more + 1;
    packing->first_number = packing->offset / packing->container_size;
    if (scion_add(packing->decision.first, more, &last))
        return scion_fail(SION_ERR_ARGUMENT, "%s: containers with too large numbers",
                          packing->folder);
    packing->names =
        calloc((size_t)(last_number(packing) - packing->first_number + 1), sizeof *packing->names);
    if (!packing->names)
        return scion_fail_memory("names of containers");
    scion_pack_run_number(packing, packing->decision.first);
    return 0;
}

static int path_of(const struct scion_pack_run *packing, sion_int64 number, char *path)
{
    return scion_path(path, packing->folder, packing->names[number - packing->first_number]);
}

int scion_pack_run_close(struct scion_pack_run *packing, int is_written)
{
    int rc = packing->container && is_written ? scion_file_sync(packing->container) : 0;
    int closed = scion_file_close(packing->container);

    packing->container = NULL;
    return scion_first_failure(rc, closed);
}

int scion_pack_run_open(struct scion_pack_run *packing, sion_int64 number)
{
    char path[SCION_PATH];
    int rc;

    if (packing->container && packing->number == number)
        return 0;
    rc = scion_pack_run_close(packing, 1);
    packing->number = number;
    if (rc == 0)
        rc = path_of(packing, number, path);
    return rc != 0 ? rc : scion_file_open(path, SCION_OPEN_OWN, 0666, &packing->container);
}

int scion_pack_run_create(struct scion_pack_run *packing, sion_int64 number, const char *path)
{
    int rc = scion_file_open(path, SCION_OPEN_NEW,
                             (mode_t)packing->decision.permissions | S_IRUSR | S_IWUSR,
                             &packing->container),
        closed;
    sion_int64 rest = packing->total - number * packing->container_size;

    if (rc != 0)
        return rc;
    packing->made = number + 1;
    rc = scion_file_truncate(packing->container,
                             rest < packing->container_size ? rest : packing->container_size);
    closed = scion_pack_run_close(packing, rc == 0); /* one that is all hole is not written later */
    return scion_first_failure(rc, closed);
}

/* Another process that packs into this folder at the same time may have removed it. */
int scion_pack_run_check(struct scion_pack_run *packing, sion_int64 number, const char *path)
{
    int is_there = 0, rc = scion_file_look_for(path, &is_there);

    (void)packing;
    (void)number;
    return rc != 0 || is_there
               ? rc
               : scion_fail(SION_ERR_SYSTEM,
                            "%s has disappeared: is another process packing into its folder?",
                            path);
}

/* Only what this task has made: another pack may be making the others. */
int scion_pack_run_remove(struct scion_pack_run *packing, sion_int64 number, const char *path)
{
    if (number < packing->made)
        scion_file_remove(path);
    return 0;
}

/* While there are two names, path is that with the number from 0 on. */
static int first_path_of(const struct scion_pack_run *packing, sion_int64 number, char *path)
{
    char name[SCION_CONTAINER_NAME];

    name_container(name, packing->decision.first + number);
    return scion_path(path, packing->folder, name);
}

int scion_pack_run_link(struct scion_pack_run *packing, sion_int64 number, const char *path)
{
    char first[SCION_PATH];
    int rc = first_path_of(packing, number, first);

    if (rc == 0)
        rc = scion_path_link(first, path);
    if (rc == 0)
        packing->made = number + 1;
    return rc;
}

int scion_pack_run_unlink_first(struct scion_pack_run *packing, sion_int64 number, const char *path)
{
    char first[SCION_PATH];
    int rc = first_path_of(packing, number, first);

    (void)path;
    return rc == 0 ? scion_path_remove(first) : rc;
}

/* Of the containers whose first byte this task has. */
int scion_pack_run_each(struct scion_pack_run *packing,
                        int (*work)(struct scion_pack_run *packing, sion_int64 number,
                                    const char *path))
{
    sion_int64 size = packing->container_size, end = packing->offset + packing->bytes;
    sion_int64 number = packing->offset / size + (packing->offset % size != 0);
    int rc = 0;

    for (; packing->bytes > 0 && number <= (end - 1) / size && rc == 0; number++) {
        char path[SCION_PATH];

        rc = path_of(packing, number, path);
        if (rc == 0)
            rc = work(packing, number, path);
    }
    return rc;
}
