/* What programs ask of an open container. */
#include "api/public.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/bindings.h"
#include "api/handle.h"
#include "base/byteorder.h"
#include "base/env.h"
#include "file/mapped.h"

/* Set an output, unless the caller has passed NULL. */
#define SET(output, value)                                                                         \
    do {                                                                                           \
        if (output)                                                                                \
            *(output) = (value);                                                                   \
    } while (0)

int sion_get_locations(int sid, int *ntasks, int *maxblocks, sion_int64 *globalskip,
                       sion_int64 *start_of_varheader, sion_int64 **chunksizes,
                       sion_int64 **globalranks, sion_int64 **blockcount, sion_int64 **blocksizes)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    struct scion_locations locations;

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_locations(container, &locations) != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    SET(ntasks, scion_container_ntasks(container));
    SET(maxblocks, locations.maxchunks);
    SET(globalskip, locations.globalskip);
    SET(start_of_varheader, locations.start_of_varheader);
    SET(chunksizes, locations.chunksizes);
    SET(globalranks, locations.globalranks);
    SET(blockcount, locations.counts);
    SET(blocksizes, locations.used);
    return SION_SUCCESS;
}

int sion_get_current_location(int sid, int *blknr, sion_int64 *pos_in_blk, int *maxchunks,
                              sion_int64 **chunksizes)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    sion_int64 pos, count, *used;

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_stream_pos(scion_container_stream(container), &pos) != 0 ||
        scion_container_task_chunks(container, &count, &used) != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    SET(blknr, (int)scion_container_stream(container)->chunk);
    SET(pos_in_blk, pos);
    SET(maxchunks, (int)count);
    SET(chunksizes, used);
    return SION_SUCCESS;
}

int sion_get_current_locations(int sid, int *ntasks, sion_int64 **currentpos,
                               sion_int64 **currentblocknr)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    sion_int64 *offsets, *chunks;

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_cursors(container, &offsets, &chunks) != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    SET(ntasks, scion_container_ntasks(container));
    SET(currentpos, offsets);
    SET(currentblocknr, chunks);
    return SION_SUCCESS;
}

int sion_get_mapping(int sid, int *mapping_size, sion_int32 **mapping, int *numfiles)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    int size, *pairs;

    if (!container)
        return SION_NOT_SUCCESS;
    SET(numfiles, scion_container_nfiles(container));
    size = scion_container_pairs(container, &pairs);
    SET(mapping_size, size);
    if (size >= 0)
        SET(mapping, pairs);
    return SION_SUCCESS;
}

int sion_get_number_of_files(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);

    return container ? scion_container_nfiles(container) : -1;
}

int sion_get_filenumber(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);

    return container ? scion_container_filenumber(container) : -1;
}

int sion_is_serial_opened(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);

    return container ? !scion_container_is_shared(container) : -1;
}

/* Hints change nothing except this result, as in usual builds of SIONlib. */
int sion_using_hints(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    long long requested = 0, linux_hints = 0, gpfs_hints = 0;

    if (!container)
        return -1;
    if (!scion_container_is_shared(container) || !scion_container_is_writing(container) ||
        !scion_env_number("HINTS", &requested) || requested == 0)
        return 0;
    return (scion_env_number("HINT_TYPE_LINUX", &linux_hints) && linux_hints != 0) ||
           (scion_env_number("HINT_TYPE_GPFS", &gpfs_hints) && gpfs_hints != 0);
}

int sion_get_file_endianness(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);

    return container ? scion_container_head(container)->big_endian : -1;
}

int sion_endianness_swap_needed(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, 1);

    return container ? scion_container_head(container)->big_endian != scion_host_is_big() : 1;
}

int sion_get_endianness(void)
{
    return scion_host_is_big();
}

int sion_is_thread_safe(void)
{
#ifdef HAVE_PTHREADS
    return 1;
#else
    return 0;
#endif
}

int sion_get_version(int *main_version, int *sub_version, int *patch_level, int *fileformat)
{
    SET(main_version, SION_MAIN_VERSION);
    SET(sub_version, SION_SUB_VERSION);
    SET(patch_level, SION_VERSION_PATCHLEVEL);
    SET(fileformat, SION_FILEFORMAT_VERSION);
    return 1;
}

int sion_get_sizeof(int sid, int *numbytes, int *numfds)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    sion_int64 bytes = -1;
    int descriptors = -1;

    if (container)
        scion_container_cost(container, &bytes, &descriptors);
    SET(numbytes, bytes > INT_MAX ? INT_MAX : (int)bytes);
    SET(numfds, descriptors);
    return container ? 1 : -1;
}

int sion_get_keyval_mode(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, SION_KEYVAL_UNKNOWN);

    return container ? scion_container_keyval_mode(container) : SION_KEYVAL_UNKNOWN;
}

/* The interface has char *, but the strings are constant. */
static char *as_plain(const char *text)
{
    union {
        const char *constant;
        char *plain;
    } name = {.constant = text};

    return name.plain;
}

char *sion_keyval_type_to_str(int keyval_type)
{
    return as_plain(scion_keyval_name(keyval_type));
}

static const char *role_name(int role)
{
    switch (role) {
    case SION_ROLE_NONE:
        return "SION_ROLE_NONE";
    case SION_ROLE_COLLECTOR:
        return "SION_ROLE_COLLECTOR";
    case SION_ROLE_SENDER:
        return "SION_ROLE_SENDER";
    case SION_ROLE_WRITER:
        return "SION_ROLE_WRITER";
    case SION_ROLE_NOWRITER:
        return "SION_ROLE_NOWRITER";
    case SION_ROLE_READER:
        return "SION_ROLE_READER";
    case SION_ROLE_NOREADER:
        return "SION_ROLE_NOREADER";
    case SION_ROLE_COLLECTOR_READER:
        return "SION_ROLE_COLLECTOR_READER";
    }
    return "unknown";
}

char *_sion_buddy_role_to_str(int role)
{
    return as_plain(role_name(role));
}

/* The next file that has one of these roles; 0: there are no more. */
static int next_entry(struct scion_container *container, int roles, int *index,
                      struct scion_io_entry *entry)
{
    while (scion_container_entry(container, (*index)++, entry) > 0) {
        if (entry->role & roles)
            return 1;
    }
    return 0;
}

static int fill_io_info(struct scion_container *container, int roles, sion_io_stat_t *info)
{
    struct scion_io_entry entry;
    int index = 0, n = 0;

    while (next_entry(container, roles, &index, &entry))
        n++;
    info->names = calloc((size_t)n + 1, sizeof *info->names);
    info->sizes = calloc((size_t)n + 1, sizeof *info->sizes);
    info->roles = calloc((size_t)n + 1, sizeof *info->roles);
    if (!info->names || !info->sizes || !info->roles)
        return scion_fail_memory("files");
    for (index = 0; next_entry(container, roles, &index, &entry); info->nfiles++) {
        info->names[info->nfiles] = strdup(entry.name);
        info->sizes[info->nfiles] = (size_t)entry.bytes;
        info->roles[info->nfiles] = entry.role;
        if (!info->names[info->nfiles])
            return scion_fail_memory("file name");
    }
    return 0;
}

sion_io_stat_t *sion_get_io_info_by_spec(int sid, int roles, int flag)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    struct scion_io_entry entry;
    sion_io_stat_t *info;

    (void)flag;
    if (!container || scion_container_entry(container, 0, &entry) < 0)
        return NULL;
    info = calloc(1, sizeof *info);
    if (info && fill_io_info(container, roles, info) == 0)
        return info;
    if (!info)
        scion_fail_memory("files");
    sion_free_io_info(info);
    scion_api_fail(__func__, container, 0);
    return NULL;
}

sion_io_stat_t *sion_get_io_info(int sid)
{
    return sion_get_io_info_by_spec(sid,
                                    SION_ROLE_COLLECTOR | SION_ROLE_WRITER | SION_ROLE_NOWRITER,
                                    SION_GET_IO_INFO_FLAG_NONE);
}

int sion_free_io_info(sion_io_stat_t *info)
{
    int i;

    if (!info)
        return SION_SUCCESS;
    for (i = 0; i < info->nfiles; i++) {
        union {
            const char *constant;
            void *plain;
        } name = {.constant = info->names[i]};

        free(name.plain);
    }
    free(info->names);
    free(info->sizes);
    free(info->roles);
    free(info);
    return SION_SUCCESS;
}

void sion_swap(void *target, void *source, int size, int n, int do_swap)
{
    if (size <= 0 || n <= 0)
        return;
    if (do_swap)
        scion_swap_copy(target, source, (size_t)size, (size_t)n);
    else if (target != source)
        memcpy(target, source, (size_t)size * (size_t)n);
}

int sion_layer_task_ranks(int sid, int *ranks)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    int i;

    if (!container)
        return -1;
    if (!scion_container_is_mapped(container)) {
        scion_fail(SION_ERR_MODE, "the container was not opened with a list of tasks");
        return scion_api_fail(__func__, container, -1);
    }
    for (i = 0; i < scion_container_ntasks(container); i++)
        ranks[i] = scion_container_task_place(container, i)->rank;
    return 0;
}

int _sion_file_stat_file(const char *fname)
{
    return fname && scion_file_exists(fname);
}
