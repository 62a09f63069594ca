/* Locks of names that several containers of this process may share: the last one gives it back. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stage/queue_private.h"
#include "vfs/writer_lock.h"

struct name {
    struct name *next;
    struct scion_writer_lock *lock;
    int users;
    char target[];
};

static struct name *names;

void scion_queue_forget_names(void)
{
    names = NULL;
}

static struct name **find(const char *target)
{
    struct name **at = &names;

    while (*at && strcmp((*at)->target, target) != 0)
        at = &(*at)->next;
    return at;
}

static int take(const char *target)
{
    struct name *new = calloc(1, sizeof *new + strlen(target) + 1);
    int rc = new ? 0 : scion_fail_memory("lock");

    if (rc == 0)
        rc = scion_writer_lock_take(target, 0, &new->lock);
    if (rc != 0) {
        free(new);
        return rc;
    }
    strcpy(new->target, target);
    new->users = 1;
    new->next = names;
    names = new;
    return 0;
}

int scion_staged_lock(const char *target)
{
    struct name *name;
    int rc = 0;

    scion_queue_lock();
    name = *find(target);
    if (name)
        name->users++;
    else
        rc = take(target);
    scion_queue_unlock();
    return rc;
}

int scion_queue_has_name(const char *target)
{
    return *find(target) != NULL;
}

void scion_queue_unlock_name(const char *target)
{
    struct name **at = find(target), *name = *at;

    if (name && --name->users == 0) {
        *at = name->next;
        scion_writer_lock_release(name->lock, 0);
        free(name);
    }
}

void scion_staged_unlock(const char *target)
{
    scion_queue_lock();
    scion_queue_unlock_name(target);
    scion_queue_unlock();
}
