/* What a collector does with a piece of a record, and how it says that this failed. */
#include <stdio.h>

#include "base/error.h"
#include "parallel/collective.h"

int scion_note(int rc, struct scion_verdict *verdict)
{
    if (rc != 0) {
        verdict->code = rc;
        snprintf(verdict->text, sizeof verdict->text, "%s", scion_error_text());
    }
    return rc;
}

int scion_store_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    return scion_note(
        scion_file_write(file, piece->data, (size_t)piece->bytes, piece->position, NULL), verdict);
}

int scion_load_piece(void *file, const struct scion_piece *piece, struct scion_verdict *verdict)
{
    return scion_note(scion_file_read(file, piece->data, (size_t)piece->bytes, piece->position),
                      verdict);
}
