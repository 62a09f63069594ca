#include "sionrun/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vfs/path.h"

enum { MOST = 1 << 20 };

void notes_add(struct notes *notes, const char *name, const char *value)
{
    size_t more = strlen(name) + strlen(value) + 2;
    char *grown =
        notes->bytes > 0 && !notes->text ? NULL : realloc(notes->text, notes->bytes + more + 1);

    if (grown)
        snprintf(grown + notes->bytes, more + 1, "%s %s\n", name, value);
    else
        free(notes->text);
    notes->text = grown;
    notes->bytes += more;
}

void notes_add_number(struct notes *notes, const char *name, sion_int64 value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
    notes_add(notes, name, text);
}

void notes_free(struct notes *notes)
{
    free(notes->text);
    *notes = (struct notes){0};
}

char *notes_find(const struct notes *notes, const char *name, size_t *from)
{
    const char *line = notes->text ? notes->text + (from ? *from : 0) : NULL, *end;
    size_t length = strlen(name);

    for (; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            return NULL;
        if (strncmp(line, name, length) != 0 || line[length] != ' ')
            continue;
        if (from)
            *from = (size_t)(end + 1 - notes->text);
        return strndup(line + length + 1, (size_t)(end - line) - length - 1);
    }
    return NULL;
}

sion_int64 notes_number(const struct notes *notes, const char *name, sion_int64 otherwise)
{
    char *value = notes_find(notes, name, NULL), *end = NULL;
    sion_int64 number = value ? strtoll(value, &end, 10) : otherwise;

    if (value && (end == value || *end))
        number = otherwise;
    free(value);
    return number;
}

int notes_write(struct notes *notes, const char *path)
{
    /* Whoever looks after a kill finds a whole note, or none. */
    return notes->text ? scion_replace_whole(path, notes->text, notes->bytes)
                       : scion_fail_memory("a note");
}

int notes_read(struct notes *notes, const char *path)
{
    struct scion_file *file;
    int rc = scion_file_open(path, SCION_OPEN_READ, 0, &file), closed;

    *notes = (struct notes){0};
    if (rc != 0)
        return rc;
    notes->text = malloc(MOST + 1);
    rc = notes->text ? scion_file_read_some(file, notes->text, MOST, 0, &notes->bytes)
                     : scion_fail_memory(path);
    closed = scion_file_close(file);
    rc = scion_first_failure(rc, closed);
    if (rc != 0)
        notes_free(notes);
    else
        notes->text[notes->bytes] = '\0';
    return rc;
}
