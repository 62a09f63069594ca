/*
 * A hold: a call that changes something keeps others out of it, but for calls that the same thread
 * makes on the way. The end of a process looks at streams that other threads may be changing, and
 * may itself begin in the middle of a call; so it can ask whether somebody has a hold.
 */
#ifndef SCION_STREAM_HOLD_H
#define SCION_STREAM_HOLD_H

struct scion_hold {
    const void *owner; /* names a thread; NULL: nobody has it */
    int depth;         /* calls of this thread that have it */
};

/* Wait for it and take it; and give it back. */
void scion_hold_take(struct scion_hold *hold);
void scion_hold_release(struct scion_hold *hold);

/*
 * Take it if no call of this thread has it and that of another thread ends in a moment. 1, or 0: it
 * is not taken.
 */
int scion_hold_try(struct scion_hold *hold);

static inline struct scion_hold *scion_hold_begin(struct scion_hold *hold)
{
    scion_hold_take(hold);
    return hold;
}

static inline void scion_hold_end(struct scion_hold *const *hold)
{
    scion_hold_release(*hold);
}

/* Until the end of the block. */
#define SCION_HOLD(hold)                                                                           \
    struct scion_hold *held __attribute__((cleanup(scion_hold_end), unused)) =                     \
        scion_hold_begin(hold)

#endif
