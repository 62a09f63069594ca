#include "joined.h"

#include "memory.h"

int joined_next(const uint8_t *bytes, size_t size, struct joined *file)
{
    size_t at = file->from + file->size;
    uint32_t length;

    if (size < JOINED_HEAD || at > size - JOINED_HEAD)
        return 0;
    memcpy(&length, bytes + at, sizeof length);
    memcpy(file->name, bytes + at + sizeof length, JOINED_NAME);
    file->name[JOINED_NAME] = '\0';
    file->from = at + JOINED_HEAD;
    file->size = length < size - file->from ? length : size - file->from;
    return 1;
}

int joined_get(const uint8_t *bytes, size_t size, unsigned n, struct joined *file)
{
    struct joined each = {.from = 0};
    unsigned i, count = 0;

    while (joined_next(bytes, size, &each))
        count++;
    *file = (struct joined){.from = 0};
    for (i = 0; count > 0 && i <= n % count; i++)
        joined_next(bytes, size, file);
    return count > 0;
}

void joined_add_all(const uint8_t *bytes, size_t size, const char *folder)
{
    struct joined file = {.from = 0};
    int n = 0;

    while (n < MEMORY_FILES && joined_next(bytes, size, &file)) {
        char path[128];
        size_t other;

        snprintf(path, sizeof path, "%s%s", folder, file.name);
        if (memory_get(path, &other))
            continue;
        memory_add(path, bytes + file.from, file.size);
        n++;
    }
}

void joined_append(struct joined_input *input, const char *name, const void *bytes, size_t size)
{
    uint32_t length = (uint32_t)size;
    uint8_t *to = input->bytes + input->size;

    FUZZ_CHECK(input->size + JOINED_HEAD + size <= JOINED_MOST && strlen(name) <= JOINED_NAME);
    memset(to, 0, JOINED_HEAD);
    memcpy(to, &length, sizeof length);
    memcpy(to + sizeof length, name, strlen(name));
    if (size > 0)
        memcpy(to + JOINED_HEAD, bytes, size);
    input->size += JOINED_HEAD + size;
}

void joined_resized(uint8_t *bytes, size_t size, size_t from, long change)
{
    struct joined file = {.from = 0};
    uint32_t length;

    /* What is before the part has not moved. */
    while (joined_next(bytes, size, &file)) {
        if (from < file.from || from > file.from + file.size)
            continue;
        length = (uint32_t)((long)file.size + change);
        memcpy(bytes + file.from - JOINED_HEAD, &length, sizeof length);
        return;
    }
}
