/* Whether MPI is there, and the communicators of the application: callbacks tell when they go. */
#include <stdlib.h>

#include "base/loaded.h"
#include "base/memory.h"
#include "comm/mpi_private.h"

const char *scion_comm_mpi_refusal(void)
{
    int is_begun = 0, is_over = 0;

    MPI_Initialized(&is_begun);
    if (!is_begun)
        return "MPI has not been initialized";
    MPI_Finalized(&is_over);
    return is_over ? "MPI has been finalized" : NULL;
}

/* ---- the end of MPI ---- */

static void (*end_function)(void);

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else. */
static int delete_self(MPI_Comm mpi, int key, void *value, void *extra)
{
    (void)mpi, (void)key, (void)value, (void)extra;
    end_function();
    return MPI_SUCCESS;
}

void scion_comm_mpi_at_end(void (*function)(void))
{
    static int is_set;
    int key;

    if (__atomic_exchange_n(&is_set, 1, __ATOMIC_RELAXED))
        return;
    end_function = function;
    scion_stay_loaded(); /* MPI keeps pointers to the callbacks */
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_self, &key, NULL) == MPI_SUCCESS)
        MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* ---- communicators of the application ---- */

/* Of a communicator, and of all of ours that use it. */
struct scion_mpi_watch {
    int users; /* with the communicator itself */
    int is_freed;
};

static void drop(struct scion_mpi_watch *watch)
{
    if (__atomic_sub_fetch(&watch->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(watch);
}

static int delete_watch(MPI_Comm mpi, int key, void *value, void *extra)
{
    struct scion_mpi_watch *watch = value;

    (void)mpi, (void)key, (void)extra;
    __atomic_store_n(&watch->is_freed, 1, __ATOMIC_RELEASE);
    drop(watch);
    return MPI_SUCCESS;
}

static int watch_key(void)
{
    static int key = MPI_KEYVAL_INVALID;
    int new;

    if (__atomic_load_n(&key, __ATOMIC_ACQUIRE) == MPI_KEYVAL_INVALID &&
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_watch, &new, NULL) == MPI_SUCCESS) {
        scion_stay_loaded(); /* MPI keeps pointers to the callbacks */
        __atomic_store_n(&key, new, __ATOMIC_RELEASE);
    }
    return key;
}

struct scion_mpi_watch *scion_mpi_watch(MPI_Comm mpi)
{
    struct scion_mpi_watch *watch = NULL;
    int key = watch_key(), is_set = 0;

    if (key == MPI_KEYVAL_INVALID)
        return NULL;
    MPI_Comm_get_attr(mpi, key, &watch, &is_set);
    if (!is_set) {
        watch = calloc(1, sizeof *watch);
        if (!watch || MPI_Comm_set_attr(mpi, key, watch) != MPI_SUCCESS) {
            free(watch);
            return NULL;
        }
        watch->users = 1;
    }
    __atomic_add_fetch(&watch->users, 1, __ATOMIC_ACQ_REL);
    return watch;
}

void scion_mpi_unwatch(struct scion_mpi_watch *watch)
{
    if (watch)
        drop(watch);
}

const char *scion_mpi_refusal(struct scion_comm *comm)
{
    const struct scion_mpi_watch *watch = ((struct mpi_comm *)comm)->watch;
    const char *why = scion_comm_mpi_refusal();

    if (why || !watch || !__atomic_load_n(&watch->is_freed, __ATOMIC_ACQUIRE))
        return why;
    return "its communicator has been freed";
}
