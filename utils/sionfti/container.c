#include "sionfti/container.h"

#include <stdlib.h>
#include <string.h>

#include "sion_common.h"
#include "sion_serial.h"

#include "ftiff/source.h"
#include "lib/tool.h"
#include "sionfti/fail.h"

static int read_list(struct fti_container *container)
{
    size_t magic = sizeof SCION_FTI_LIST - 1, size;
    char begin[sizeof SCION_FTI_LIST], *names;
    struct scion_fti_stream_source stream;

    if (container->ranks[container->ntasks - 1] != -1)
        return TOOL_RUN;
    if (scion_fti_open_stream(container->sid, container->ntasks - 1, &stream) != 0)
        return fti_failed("the list of names");
    size = (size_t)stream.source.size;
    if (size < magic)
        return TOOL_RUN;
    if (stream.source.read(&stream.source, begin, magic, 0) != 0)
        return fti_failed("the list of names");
    if (memcmp(begin, SCION_FTI_LIST, magic) != 0)
        return TOOL_RUN;
    names = malloc(size + 1);
    if (!names)
        return fti_out_of_memory();
    container->names = names;
    names[size] = '\0';
    if (stream.source.read(&stream.source, names, size, 0) != 0)
        return fti_failed("the list of names");
    container->next = names + magic;
    container->ntasks--;
    return TOOL_RUN;
}

int fti_open_container(const char *path, struct fti_container *container)
{
    char *copy = strdup(path);

    *container = (struct fti_container){.sid = -1};
    if (copy)
        container->sid = sion_open(copy, "br,posix", &container->ntasks, &container->nfiles, NULL,
                                   NULL, &container->ranks, NULL);
    free(copy);
    if (container->sid < 0)
        return fti_failed(path);
    return read_list(container) == TOOL_RUN ? TOOL_RUN
                                            : fti_close_container(container, TOOL_FAILED);
}

int fti_close_container(struct fti_container *container, int status)
{
    free(container->names);
    free(container->ranks);
    return sion_close(container->sid) == 1 || status == TOOL_FAILED ? status
                                                                    : fti_failed("the container");
}

/* A name must not lead out of the folder. */
static int is_safe(const char *name)
{
    return *name && strlen(name) < 256 && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

int fti_next_name(struct fti_container *container, char name[256])
{
    char *end = strchr(container->next, '\n');

    if (end)
        *end = '\0';
    if (!end || !is_safe(container->next)) {
        tool_error("the list of names in the container is damaged");
        return TOOL_FAILED;
    }
    strcpy(name, container->next);
    container->next = end + 1;
    return TOOL_RUN;
}
