#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/error.h"

static sion_error_handler_t *log_handler;
static void *log_user;
static _Thread_local int quiet;

void scion_log_set_handler(sion_error_handler_t *handler, void *user)
{
    log_handler = handler;
    log_user = user;
}

void scion_log_begin_quiet(void)
{
    quiet++;
}

void scion_log_end_quiet(void)
{
    quiet--;
}

/* SION_ERROR_MSG_RANK=k silences every other rank; messages tied to no rank are always shown. */
static int is_silenced(int rank)
{
    long long only;

    return rank >= 0 && scion_env_number("ERROR_MSG_RANK", &only) && only >= 0 && only != rank;
}

static void print(int level, int rank, int rc, const char *text)
{
    if (!is_silenced(rank))
        fprintf(stderr, "%s on rank %d, rc=%d: %s\n",
                level == SION_ERROR_LEVEL_WARN ? "SION_ERROR_WARN" : "SION_ERROR_RETURN", rank, rc,
                text);
}

static void emit(int level, int rank, int rc, const char *text)
{
    if (quiet > 0)
        return;
    if (log_handler)
        log_handler(level, rank, rc, text, log_user);
    else
        print(level, rank, rc, text);
}

void scion_log_warning(int rank, const char *text)
{
    emit(SION_ERROR_LEVEL_WARN, rank, 0, text);
}

void scion_log_at_end(int rank, const char *text)
{
    print(SION_ERROR_LEVEL_WARN, rank, 0, text);
}

void scion_log_warnings(int rank)
{
    char *text;

    while ((text = scion_warning_take()) != NULL) {
        emit(SION_ERROR_LEVEL_WARN, rank, 0, text);
        free(text);
    }
}

void scion_log_drop_warnings(void)
{
    char *text;

    while ((text = scion_warning_take()) != NULL)
        free(text);
}

void scion_log_error(int rank, int rc)
{
    emit(SION_ERROR_LEVEL_RETURN, rank, rc, scion_error_text());
}
