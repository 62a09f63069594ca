/* Tables of definitions. */
#include <stdlib.h>
#include <string.h>

#include "array/writer.h"
#include "base/error.h"

struct scion_array_definition_entry *
scion_array_find_definition(const struct scion_array_definition_entry *defined, const char *name,
                            size_t length)
{
    struct scion_array_definition_entry *found;

    HASH_FIND(hh, defined, name, length, found);
    return found;
}

int scion_array_add_definition(struct scion_array_definition_entry **defined,
                               const struct scion_array_definition *definition, uint64_t number)
{
    struct scion_array_definition_entry *new = calloc(1, sizeof *new + definition->name_length + 1);
    char *name;

    if (!new)
        return scion_fail_memory("array");
    name = (char *)(new + 1);
    memcpy(name, definition->name, definition->name_length);
    name[definition->name_length] = '\0';
    new->definition = *definition;
    new->definition.name = name;
    new->number = number;
    HASH_ADD_KEYPTR(hh, *defined, name, definition->name_length, new);
    if (!SCION_TABLE_HAS(new)) {
        free(new);
        return scion_fail_memory("array");
    }
    return 0;
}

void scion_array_free_definitions(struct scion_array_definition_entry *all)
{
    struct scion_array_definition_entry *defined, *next;

    HASH_ITER(hh, all, defined, next)
    {
        HASH_DEL(all, defined);
        free(defined);
    }
}
