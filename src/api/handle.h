/* Shared by the files of the API: the container of a sid, the message of an error. */
#ifndef SCION_API_HANDLE_H
#define SCION_API_HANDLE_H

#include "base/error.h"
#include "base/handles.h"
#include "base/log.h"
#include "file/container.h"

/*
 * The container of a sid, or NULL after printing that `function` returns rc. Traces the entry of
 * the function; _record is for functions that are called for each record.
 */
struct scion_container *scion_api_get(const char *function, int sid, int rc);
struct scion_container *scion_api_get_record(const char *function, int sid, int rc);

/* Trace the function's result and return it. */
int scion_api_result(const char *function, int result);

static inline struct scion_container *scion_api_find(int sid)
{
    return scion_handle_get(sid, SCION_HANDLE_CONTAINER);
}

/*
 * The container of one of the first sids if it is open for this access and its records need nothing
 * but to be moved, else NULL: then look closer.
 */
static inline struct scion_container *scion_api_find_plain(int sid, int writing)
{
    struct scion_container *container = scion_handle_quick(sid);
    int plain = container && (writing ? scion_container_writes_plainly(container)
                                      : scion_container_reads_plainly(container));

    return plain ? container : NULL;
}

/*
 * Report this thread's error record as the failure of `function` on a container (NULL: none), and
 * return rc, the function's own return value.
 */
int scion_api_fail(const char *function, const struct scion_container *container, int rc);

/*
 * Whether this rank prints a failure of all ranks: 0 does, or the one that SION_ERROR_MSG_RANK
 * names.
 */
int scion_api_is_speaker(int rank, int size);

/* A call of all ranks has succeeded: print its warnings. That rank prints those that all have. */
void scion_api_log_warnings(int rank, int size);

/* Whether the container is open for the other access; then it prints that `function` returns rc. */
int scion_api_refuse_access(const char *function, const struct scion_container *container,
                            int writing, int rc);

/*
 * The result of a function that returns a number of bytes: the one that `count` finds for the
 * container's stream; -1 after printing its failure. container NULL: -1.
 */
sion_int64 scion_api_bytes(const char *function, struct scion_container *container,
                           int (*count)(struct scion_stream *stream, sion_int64 *bytes));

/* Set *fileptr to the FILE*, or to NULL in posix mode. fileptr NULL: do nothing. */
int scion_api_export(struct scion_container *container, FILE **fileptr);

/* Numbers of the handle table that the files of a set take when it is opened serially. */
struct scion_api_numbers {
    int n;
    int numbers[];
};

/* The owner of containers that have such numbers. */
extern const struct scion_owner scion_api_owner;

/* Free a serial container's numbers and close it. 0 or an error code. */
int scion_api_dispose(int sid, struct scion_container *container);

/* sion_close under any of its names. */
int scion_api_close(const char *function, int sid);

#endif
