/* The files of a set: their names, their metadata, and a header on its way to all tasks. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parallel/private.h"

char *scion_member_name(char *(*name_of_file)(const char *name, int number), const char *base,
                        int number)
{
    char *name;

    if (!name_of_file || number == 0)
        return scion_physical_name(base, number);
    name = name_of_file(base, number);
    if (!name)
        scion_fail(SION_ERR_ARGUMENT, "the application gives no name for file %d of %s", number,
                   base);
    return name;
}

char *scion_own_name(const struct scion_opening *opening, const char *base)
{
    return scion_member_name(opening->args->name_of_file, base, opening->reply.filenumber);
}

int scion_need_member(struct scion_physical **files, int number, const char *name,
                      char *(*name_of_file)(const char *name, int number))
{
    char *path;
    int rc;

    if (files[number])
        return 0;
    path = scion_member_name(name_of_file, name, number);
    if (!path)
        return scion_error_code();
    rc = scion_physical_read(path, &files[number]);
    free(path);
    if (rc == 0)
        rc = scion_physical_suspend(files[number]);
    return rc != 0 ? rc : scion_physical_check_member(files[number], &files[0]->head, number);
}

void scion_files_free(struct scion_physical **files, int nfiles, int remove)
{
    int i;

    for (i = 0; files && i < nfiles; i++) {
        if (files[i] && remove)
            scion_file_remove(files[i]->path);
        scion_physical_close(files[i]);
    }
    free(files);
}

void scion_describe_file(const struct scion_physical *physical, struct scion_reply *reply)
{
    const struct scion_meta1 *head = &physical->head;

    reply->fsblksize = head->fsblksize;
    reply->ntasks = head->ntasks;
    reply->version = head->version;
    reply->patch = head->patch;
    reply->format_version = head->format_version;
    reply->swapped = head->swapped;
    reply->big_endian = head->big_endian;
    reply->flag1 = head->flag1;
    reply->maxchunks = physical->maxchunks;
    reply->globalskip = physical->layout.globalskip;
}

struct scion_meta1 scion_head_of(const struct scion_reply *reply)
{
    struct scion_meta1 head;

    memset(&head, 0, sizeof head);
    head.fsblksize = reply->fsblksize;
    head.ntasks = reply->ntasks;
    head.nfiles = reply->nfiles;
    head.filenumber = reply->filenumber;
    head.version = reply->version;
    head.patch = reply->patch;
    head.format_version = reply->format_version;
    head.swapped = reply->swapped;
    head.big_endian = reply->big_endian;
    head.flag1 = reply->flag1;
    return head;
}
