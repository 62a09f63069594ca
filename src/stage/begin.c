#include "stage/begin.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "file/physical.h"
#include "stage/find.h"
#include "stage/queue.h"
#include "vfs/path.h"
#include "vfs/storage.h"

int scion_stage_part_init(struct scion_stage_part *part, const char *folder, const char *name,
                          sion_int64 flag2, int node)
{
    char real[SCION_PATH];
    int rc = scion_path_real(folder, real);

    *part = (struct scion_stage_part){.flag2 = flag2, .node = node, .state = SCION_STAGE_OPEN};
    scion_stage_boot(part->boot);
    part->target = rc == 0 ? scion_staged_target(name) : NULL;
    if (part->target)
        part->record = scion_stage_record(real, part->target, flag2, node);
    if (part->record)
        return 0;
    if (rc == 0)
        rc = part->target ? scion_fail_memory("staged container") : scion_error_code();
    scion_stage_part_free(part);
    return rc;
}

int scion_stage_check_room(const char *folder, sion_int64 bytes)
{
    sion_int64 room;
    int rc = scion_storage_room(folder, &room);

    return rc == 0 && room < bytes
               ? scion_fail(SION_ERR_NO_SPACE, "%s has room for %lld bytes, and %lld are needed",
                            folder, room, bytes)
               : rc;
}

static sion_int64 now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * (sion_int64)1000000000 + time.tv_nsec;
}

int scion_stage_part_begin(struct scion_stage_part *part)
{
    int rc = scion_older_look(part->target, &part->seen);

    part->opened = now();
    part->seen_time = scion_stage_time(part->target);
    if (rc == 0)
        scion_staged_list_before(part);
    return rc == 0 ? scion_stage_part_make(part) : rc;
}

int scion_stage_make_new(const struct scion_stage_part *part, int number, mode_t permissions,
                         char **path)
{
    char *new = scion_stage_new(part, number), *final = scion_physical_name(part->target, number);
    struct scion_older seen;
    struct scion_file *file;
    int rc = new &&final ? scion_older_look(final, &seen) : scion_fail_memory("names");

    if (rc == 0 && number == 0)
        scion_stage_clean_notes(part->target);
    if (rc == 0)
        rc = scion_file_open(new, SCION_OPEN_NEW, scion_older_permissions(&seen, permissions),
                             &file);
    if (rc == 0) {
        rc = scion_file_close(file);
        if (rc != 0)
            scion_file_remove(new);
    }
    free(final);
    if (rc == 0)
        *path = new;
    else
        free(new);
    return rc;
}

void scion_stage_remove_new(const struct scion_stage_part *part, int number)
{
    char *new = scion_stage_new(part, number);

    if (new)
        scion_file_remove(new);
    free(new);
}
