/**
 * @file sion_error.h Error codes and texts: why the last call failed, and where messages go.
 *
 * This header goes beyond SIONlib 1.7. Programs that do not use it get messages on stderr. If a
 * collective call fails on all ranks, only rank 0 prints the message, or the rank in the
 * environment variable SION_ERROR_MSG_RANK.
 */
#ifndef SION_ERROR_H
#define SION_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/** Why a call failed. */
enum sion_error_code {
    SION_ERR_NONE = 0,      /**< nothing has failed yet */
    SION_ERR_ARGUMENT = -1, /**< an argument is not valid */
    SION_ERR_HANDLE = -2,   /**< the sid is not open, or another kind of sid is needed */
    SION_ERR_MODE = -3,     /**< not possible in the mode in which the container was opened */
    SION_ERR_MEMORY = -4,   /**< out of memory */
    SION_ERR_SYSTEM =
        -5, /**< the operating system reported an error: cannot open, disk full, ... */
    SION_ERR_NOT_SION = -6,   /**< the file is not a SION container */
    SION_ERR_DAMAGED = -7,    /**< the container's metadata contradict each other or the file */
    SION_ERR_VERSION = -8,    /**< the library cannot read this format version */
    SION_ERR_NOT_CLOSED = -9, /**< the writer never closed the container */
    SION_ERR_NO_SPACE = -10,  /**< the record does not fit into a chunk, or too few data are left */
    SION_ERR_MISMATCH = -11,  /**< tasks and container, or the ranks' arguments, do not agree */
    SION_ERR_COMM = -12,      /**< communication failed */
    SION_ERR_BUSY = -13       /**< another program writes the container, or has made it meanwhile */
};

/** Levels of messages. */
#define SION_ERROR_LEVEL_WARN   1
#define SION_ERROR_LEVEL_RETURN 2

/**
 * Receives the library's messages in place of stderr.
 *
 * @param level SION_ERROR_LEVEL_WARN or SION_ERROR_LEVEL_RETURN
 * @param rank  rank that the message is about; -1 for none
 * @param rc    value that the failing function returns
 * @param text  one line without newline, valid during the call only
 * @param user  what was passed to sion_error_set_handler
 */
typedef void sion_error_handler_t(int level, int rank, int rc, const char *text, void *user);

/**
 * The code of the last failure in the calling thread.
 *
 * Local. Successful calls do not change it.
 *
 * @return one of enum sion_error_code
 */
int sion_error_code(void);

/**
 * The text of the last failure in the calling thread.
 *
 * Local. On every rank of a failed collective call the text names the first failing rank and its
 * reason, also on ranks that printed nothing.
 *
 * @return a string owned by the library, valid until the next failing call of this thread; "" if no
 *         call has failed
 */
const char *sion_error_text(void);

/**
 * Install a handler that receives every message; NULL restores output on stderr.
 *
 * Local. The environment variable SION_ERROR_MSG_RANK does not filter what the handler receives.
 *
 * @param handler called in the thread that produces the message; or NULL
 * @param user    passed to the handler; owned by the caller; must live as long as the handler is
 *                set
 * @threads call it before other threads use the library
 */
void sion_error_set_handler(sion_error_handler_t *handler, void *user);

#ifdef __cplusplus
}
#endif

#endif
