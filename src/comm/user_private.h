/* Shared by the files that implement communicators of the application. */
#ifndef SCION_COMM_USER_PRIVATE_H
#define SCION_COMM_USER_PRIVATE_H

#include "comm/transfer.h"
#include "comm/user.h"

struct user_comm {
    struct scion_comm comm;
    struct scion_user_callbacks callbacks;
    void *commgroup; /* the application's */
    int owned;       /* made by create_local_commgroup */
};

/* The callbacks' prototypes have no const; they do not change what they only read. */
static inline void *scion_user_plain(const void *data)
{
    union {
        const void *constant;
        void *plain;
    } pointer = {.constant = data};

    return pointer.plain;
}

int scion_user_form_group(struct scion_comm *comm, int first, struct scion_comm **group);
enum scion_capability scion_user_capability(struct scion_comm *comm);

#endif
