/* Containers of communicators that are the application's callbacks. */
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "api/parallel.h"
#include "api/public.h"
#include "base/memory.h"
#include "comm/user.h"

#pragma GCC visibility push(default)
#include "sion_generic.h"
#pragma GCC visibility pop

struct interface {
    char *name;
    struct scion_user_callbacks callbacks;
    char *(*get_multi_filename)(const char *fname, int filenumber);
};

static struct interface *get(const char *function, int aid)
{
    struct interface *interface = scion_handle_get(aid, SCION_HANDLE_GENERIC);

    if (!interface) {
        scion_fail(SION_ERR_HANDLE, "invalid interface %d", aid);
        scion_api_fail(function, NULL, 0);
    }
    return interface;
}

int sion_generic_create_api(char *name)
{
    struct interface *new = name ? calloc(1, sizeof *new) : NULL;
    int aid;

    if (!new) {
        scion_fail(name ? SION_ERR_MEMORY : SION_ERR_ARGUMENT, "the interface has no name");
        return scion_api_fail(__func__, NULL, -1);
    }
    new->name = strdup(name);
    aid = new->name ? scion_handle_new(SCION_HANDLE_GENERIC, new) : scion_fail_memory("name");
    if (aid < 0) {
        free(new->name);
        free(new);
        return scion_api_fail(__func__, NULL, -1);
    }
    return aid;
}

int sion_generic_free_api(int aid)
{
    struct interface *interface = get(__func__, aid);

    if (!interface)
        return SION_NOT_SUCCESS;
    scion_handle_free(aid);
    free(interface->name);
    free(interface);
    return SION_SUCCESS;
}

/* Say why a callback cannot be registered. */
static int refuse(const char *function, const struct interface *interface, int is_null)
{
    scion_fail(SION_ERR_ARGUMENT,
               is_null ? "no callback given for interface %s"
                       : "interface %s has this callback already",
               interface->name);
    return scion_api_fail(function, NULL, SION_NOT_SUCCESS);
}

/* A registration stores the callback in a member of struct interface. */
#define REGISTER(type, function, member, ...)                                                      \
    type function(int aid, __VA_ARGS__)                                                            \
    {                                                                                              \
        struct interface *interface = get(__func__, aid);                                          \
                                                                                                   \
        if (!interface)                                                                            \
            return SION_NOT_SUCCESS;                                                               \
        if (!cb || interface->member)                                                              \
            return refuse(__func__, interface, cb == NULL);                                        \
        interface->member = cb;                                                                    \
        return SION_SUCCESS;                                                                       \
    }
REGISTER(int, sion_generic_register_create_local_commgroup_cb, callbacks.create_local_commgroup,
         int cb(void **, void *, int, int, int, int, int, int))
REGISTER(int, sion_generic_register_free_local_commgroup_cb, callbacks.free_local_commgroup,
         int cb(void *))
REGISTER(int, sion_generic_register_barrier_cb, callbacks.barrier, int cb(void *))
REGISTER(int, sion_generic_register_bcastr_cb, callbacks.bcastr,
         int cb(void *, void *, int, int, int))
REGISTER(int, sion_generic_register_gatherr_cb, callbacks.gatherr,
         int cb(void *, void *, void *, int, int, int))
REGISTER(int, sion_generic_register_scatterr_cb, callbacks.scatterr,
         int cb(void *, void *, void *, int, int, int))
REGISTER(int, sion_generic_register_gathervr_cb, callbacks.gathervr,
         int cb(void *, void *, void *, int, int *, int, int))
REGISTER(int, sion_generic_register_scattervr_cb, callbacks.scattervr,
         int cb(void *, void *, void *, int, int *, int, int))
REGISTER(int, sion_generic_register_gather_and_execute_cb, callbacks.gather_and_execute,
         int cb(const void *, sion_int64 *, int, sion_int64, void *, int, int, int, int,
                int process_cb(const void *, sion_int64 *, int)))
REGISTER(int, sion_generic_register_execute_and_scatter_cb, callbacks.execute_and_scatter,
         int cb(void *, sion_int64 *, int, sion_int64, void *, int, int, int, int,
                int process_cb(void *, sion_int64 *, int)))
REGISTER(int, sion_generic_register_get_capability_cb, callbacks.get_capability, int cb(void *))
REGISTER(static int, register_get_multi_filename, get_multi_filename, char *cb(const char *, int))

/* This one returns 0 for success. */
int sion_generic_register_get_multi_filename_cb(int aid, char *cb(const char *, int))
{
    return register_get_multi_filename(aid, cb) == SION_SUCCESS ? 0 : -1;
}

static int is_complete(const struct scion_user_callbacks *callbacks)
{
    return callbacks->create_local_commgroup && callbacks->free_local_commgroup &&
           callbacks->barrier && callbacks->bcastr && callbacks->gatherr && callbacks->scatterr &&
           callbacks->gathervr && callbacks->scattervr;
}

static int check_interface(const char *function, int aid, int grank, int gsize,
                           struct interface **interface)
{
    *interface = get(function, aid);
    if (!*interface)
        return -1;
    if (!is_complete(&(*interface)->callbacks))
        scion_fail(SION_ERR_ARGUMENT, "API %s not correctly initalized, aborting",
                   (*interface)->name);
    else if (grank < 0 || grank >= gsize)
        scion_fail(SION_ERR_ARGUMENT, "rank %d of %d tasks", grank, gsize);
    else
        return 0;
    return scion_api_fail(function, NULL, -1);
}

struct scion_comm *sion_layer_generic_comm(const char *function, int aid, void *group, int rank,
                                           int size)
{
    struct interface *interface;
    struct scion_comm *comm;

    if (check_interface(function, aid, rank, size, &interface) != 0)
        return NULL;
    comm = scion_comm_user(&interface->callbacks, group, rank, size);
    if (!comm) {
        scion_fail_memory("communicator");
        scion_api_fail(function, NULL, -1);
    }
    return comm;
}

struct scion_comm *sion_layer_generic_begin(const char *function, int aid, void *group, int rank,
                                            int size, int rc)
{
    struct interface *interface;
    struct scion_comm *comm;

    if (check_interface(function, aid, rank, size, &interface) != 0)
        return NULL;
    comm = rc == 0 ? scion_comm_user(&interface->callbacks, group, rank, size) : NULL;
    if (rc == 0 && !comm)
        rc = scion_fail_memory("communicator");
    rc = scion_user_agree(&interface->callbacks, group, rank, size, rc);
    if (rc == 0)
        return comm;
    scion_comm_free(comm);
    sion_layer_report(function, rank, size, rc);
    return NULL;
}

typedef int open_function(struct scion_comm *comm, const struct sion_layer_call *call);

/* Complete a call, and make it. */
static int open_with(int aid, void *group, int rank, int size, struct sion_layer_call *call,
                     open_function *open)
{
    struct interface *interface;

    if (check_interface(call->function, aid, rank, size, &interface) != 0)
        return -1;
    call->kind = SION_LAYER_GENERIC;
    call->threads = 1;
    call->has_interface = 1;
    call->name_of_file = interface->get_multi_filename;
    return open(scion_comm_user(&interface->callbacks, group, rank, size), call);
}

int sion_generic_paropen(int aid, const char *fname, const char *file_mode, sion_int64 *chunksize,
                         sion_int32 *fsblksize, void *gcommgroup, int grank, int gsize,
                         int *filenumber, int *numfiles, const int *lrank, const int *lsize,
                         FILE **fileptr, char **newfname)
{
    int globalrank;
    struct sion_layer_call call = {
        .function = __func__,
        .fname = fname,
        .file_mode = file_mode,
        .numFiles = numfiles,
        .chunksize = chunksize,
        .fsblksize = fsblksize,
        .globalrank = &globalrank,
        .fileptr = fileptr,
        .newfname = newfname,
        .has_local = 1,
        .seated = 1,
        .filenumber = filenumber,
        .lrank = lrank,
        .lsize = lsize,
    };

    return open_with(aid, gcommgroup, grank, gsize, &call, sion_layer_open);
}

int sion_generic_paropen_mapped(int aid, char *fname, const char *file_mode, int *numFiles,
                                void *gcommgroup, int grank, int gsize, int *nlocaltasks,
                                int **globalranks, sion_int64 **chunksizes, int **mapping_filenrs,
                                int **mapping_lranks, sion_int32 *fsblksize, FILE **fileptr)
{
    const struct sion_layer_mapped mapped = {nlocaltasks, globalranks, chunksizes, mapping_filenrs,
                                             mapping_lranks};
    struct sion_layer_call call = {
        .function = __func__,
        .fname = fname,
        .file_mode = file_mode,
        .numFiles = numFiles,
        .fsblksize = fsblksize,
        .fileptr = fileptr,
        .mapped = &mapped,
    };

    return open_with(aid, gcommgroup, grank, gsize, &call, sion_layer_open_mapped);
}

int sion_generic_paropen_shared(int aid, const char *fname, const char *file_mode, void *gcommgroup,
                                int grank, int gsize, int by, int *ntasks, int **ranks)
{
    const struct sion_layer_shared shared = {by, ntasks, ranks};
    struct sion_layer_call call = {
        .function = __func__,
        .fname = fname,
        .file_mode = file_mode,
        .shared = &shared,
    };

    return open_with(aid, gcommgroup, grank, gsize, &call, sion_layer_open_shared);
}

int sion_generic_parclose_mapped(int sid)
{
    return sion_layer_close(__func__, sid, SION_LAYER_ANY | SION_LAYER_MAPPED);
}

int sion_generic_parclose(int sid)
{
    return sion_layer_close(__func__, sid, SION_LAYER_ANY);
}

int sion_generic_parreinit(int sid, sion_int64 chunksize)
{
    return sion_layer_reinit(__func__, sid, SION_LAYER_ANY, chunksize);
}

int sion_generic_parpublish(int sid)
{
    return sion_layer_publish(__func__, sid, SION_LAYER_ANY);
}
