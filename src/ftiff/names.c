#include "ftiff/names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "vfs/path.h"

static int skip_text(const char **text, const char *part)
{
    size_t length = strlen(part);

    if (strncmp(*text, part, length) != 0)
        return 0;
    *text += length;
    return 1;
}

/* A number as FTI prints it: decimal, no sign, no leading zero. */
static int skip_number(const char **text, int *number)
{
    const char *from = *text;
    long long value = 0;

    while (**text >= '0' && **text <= '9' && value <= INT_MAX)
        value = value * 10 + (*(*text)++ - '0');
    if (*text == from || value > INT_MAX || (*from == '0' && *text - from > 1))
        return 0;
    *number = (int)value;
    return 1;
}

static int parse_kind(const char *text, struct scion_fti_name *name)
{
    static const struct {
        const char *text;
        enum scion_fti_kind kind;
    } kinds[] = {
        {"-Rank", SCION_FTI_RANK}, {"-Pcof", SCION_FTI_PARTNER}, {"-RSed", SCION_FTI_ENCODED}};
    size_t i;

    if (strcmp(text, "-mpiio.fti") == 0 || strcmp(text, "-sionlib.fti") == 0) {
        name->kind = SCION_FTI_SHARED;
        return 1;
    }
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (skip_text(&text, kinds[i].text)) {
            name->kind = kinds[i].kind;
            return skip_number(&text, &name->rank) && strcmp(text, ".fti") == 0;
        }
    }
    return 0;
}

struct scion_fti_name scion_fti_name_parse(const char *path)
{
    static const struct scion_fti_name foreign = {SCION_FTI_FOREIGN, -1, -1};
    struct scion_fti_name name = foreign;
    const char *text = scion_basename(path);
    int good;

    if (skip_text(&text, "dCPFile-Rank")) {
        name.kind = SCION_FTI_DIFFERENTIAL;
        good = skip_number(&text, &name.rank) && strcmp(text, ".fti") == 0;
    } else {
        good =
            skip_text(&text, "Ckpt") && skip_number(&text, &name.ckptid) && parse_kind(text, &name);
    }
    return good ? name : foreign;
}

void scion_fti_name_of_rank(int ckptid, int rank, char *name, size_t size)
{
    snprintf(name, size, "Ckpt%d-Rank%d.fti", ckptid, rank);
}
