/* How a test looks into its drivers without hardware. */
#ifndef TEST_DEVICE_FAKE_CONTROL_H
#define TEST_DEVICE_FAKE_CONTROL_H

#include <stddef.h>

enum {
    FAKE_DEVICE,
    FAKE_MANAGED, /* the processor can touch it, too */
    FAKE_POOL,    /* belongs to a device, and to no context */
    FAKE_OTHER    /* of device 1, in a context of the program's own */
};

struct fake_counts {
    long queries;               /* of pointers */
    long copies_out, copies_in; /* to the host, to devices */
    size_t largest;             /* of these copies */
    long live;                  /* buffers, streams, events */
    long wrong;                 /* frees of what does not exist */
    int retained;               /* contexts */
    void *context;              /* of the calling thread */
    int depth;                  /* of its contexts */
    char log[64];               /* C: a copy begins; S: somebody waits for all; what a test notes */
};

#pragma GCC visibility push(default)
void *fake_allocate(size_t bytes, int kind, int device);
void fake_free(void *data);
void fake_put(void *data, const void *from, size_t bytes);
void fake_get(void *to, const void *data, size_t bytes);

/* Set bytes to a value, when somebody waits for the default stream. */
void fake_kernel(void *data, int value, size_t bytes);

/* The nth call from now on fails; 0: none. */
void fake_fail_at(long n);
int fake_has_failed(void);

struct fake_counts *fake_counts(void);
void fake_note(char letter); /* into the log */
void fake_use(int device);   /* the thread's device, and its only context */
void fake_reset(void);       /* all devices */
#pragma GCC visibility pop

#endif
