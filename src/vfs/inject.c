#include "vfs/inject.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/error.h"
#include "vfs/fault.h"

enum {
    ANY = (1 << SCION_FAULT_CALLS) - 1,
    ONE = 1,
    ALL = INT_MAX,
    /* In place of an errno. */
    SHORT = 10000,
    KILL
};

struct word {
    const char *name;
    unsigned value;
};

static const struct word calls[] = {
    {"open", 1u << SCION_FAULT_OPEN},
    {"read", 1u << SCION_FAULT_PREAD},
    {"write", 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_COPY},
    {"sync", 1u << SCION_FAULT_FSYNC},
    {"truncate", 1u << SCION_FAULT_FTRUNCATE},
    {"stat", 1u << SCION_FAULT_FSTAT | 1u << SCION_FAULT_STAT | 1u << SCION_FAULT_LSTAT},
    {"close", 1u << SCION_FAULT_CLOSE},
    {"rename", 1u << SCION_FAULT_RENAME},
    {"remove", 1u << SCION_FAULT_UNLINK},
    {"link", 1u << SCION_FAULT_LINK},
    {"any", ANY},
    {NULL, 0},
};

static const struct word errors[] = {
    {"eacces", EACCES}, {"edquot", EDQUOT}, {"eexist", EEXIST}, {"eintr", EINTR},
    {"eio", EIO},       {"emfile", EMFILE}, {"enoent", ENOENT}, {"enomem", ENOMEM},
    {"enospc", ENOSPC}, {"eperm", EPERM},   {"erofs", EROFS},   {"estale", ESTALE},
    {"short", SHORT},   {"kill", KILL},     {NULL, 0},
};

/* SION_FAULT, taken to pieces. */
struct order {
    unsigned calls;
    int error;
    long n, times;
    long rank; /* -1: all */
};

/* The word at *text, which ends at a colon or at the end; *text moves after it. */
static const struct word *take_word(const char **text, const struct word *words)
{
    size_t length = strcspn(*text, ":");

    while (words->name &&
           (strlen(words->name) != length || strncasecmp(words->name, *text, length) != 0))
        words++;
    *text += length;
    if (**text == ':')
        ++*text;
    return words->name ? words : NULL;
}

/* The number at *text; *text moves after it. 0: there is none, or it is smaller than `least`. */
static int take_number(const char **text, long least, long *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return 0;
    errno = 0;
    *number = strtol(*text, &end, 10);
    *text = end;
    return errno == 0 && *number >= least;
}

/* CALL:ERROR[:N[+]][@RANK]. 0: the text is not of this form. */
static int understand(const char *text, char *words, struct order *order)
{
    const char *rest = words, *at = strchr(text, '@');
    const struct word *call, *error;

    strcpy(words, text);
    *order = (struct order){.n = 1, .times = ONE, .rank = -1};
    if (at) {
        words[at++ - text] = '\0';
        if (!take_number(&at, 0, &order->rank) || *at)
            return 0;
    }
    call = take_word(&rest, calls);
    error = take_word(&rest, errors);
    if (!call || !error)
        return 0;
    order->calls = call->value;
    order->error = (int)error->value;
    if (order->error >= SHORT && order->calls != ANY)
        return 0;
    if (*rest && !take_number(&rest, 1, &order->n))
        return 0;
    if (*rest == '+') {
        order->times = ALL;
        rest++;
    }
    return !*rest;
}

/* The rank that the launcher has given this process; -1: unknown. */
static long own_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = secure_getenv(names[i]);
        long rank;

        if (value && take_number(&value, 0, &rank) && !*value)
            return rank;
    }
    return -1;
}

static void arm(const char *text, const struct order *order)
{
    scion_warn("SION_FAULT=%s: system calls of this process fail as requested", text);
    if (order->error == KILL) {
        scion_fault_kill_in(order->n);
        return;
    }
    scion_fault_arm(order->calls, order->error == SHORT ? 0 : order->n, order->times, order->error);
    if (order->error == SHORT)
        scion_fault_limit_transfers((size_t)order->n);
}

void scion_inject(void)
{
    static int is_done;
    const char *text;
    struct order order;
    char *words;

    if (__atomic_exchange_n(&is_done, 1, __ATOMIC_RELAXED))
        return;
    text = scion_env("FAULT");
    if (!text || !*text)
        return;
    words = malloc(strlen(text) + 1);
    if (!words || !understand(text, words, &order))
        scion_warn("SION_FAULT=%s is ignored, because it is not CALL:ERROR[:N[+]][@RANK]", text);
    else if (order.rank < 0 || order.rank == own_rank())
        arm(text, &order);
    free(words);
}
