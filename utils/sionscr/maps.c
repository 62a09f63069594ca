/* sionscr export, fetch, import: maps and the files in them. */
#include <stdio.h>

#include "lib/message.h"
#include "scr/scr.h"
#include "sionscr/maps.h"
#include "sionscr/report.h"

/* The folder that names are relative to; above: room for the one above the dataset's. */
static const char *export_base(const struct scr_settings *settings, char *above, size_t size)
{
    enum sion_scr_layout layout = settings->export.layout;

    if (layout == 0 || layout == SION_SCR_LAYOUT_DATASET || settings->prefix || !settings->out)
        return settings->prefix ? settings->prefix : settings->out;
    snprintf(above, size, "%s/..", settings->out);
    return above;
}

int scr_export(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    struct sion_scr_export_options options = settings->export;
    char above[4096];

    (void)n;
    if (settings->prefix && options.layout <= SION_SCR_LAYOUT_DATASET) {
        tool_error("-p is for the layouts prefix and scr3");
        return TOOL_USAGE;
    }
    options.no_crc = settings->no_crc;
    options.force = settings->force;
    options.map = &settings->map;
    options.base = export_base(settings, above, sizeof above);
    return scr_status(settings, scion_scr_export(operands[0], &options));
}

static void tell(void *user, enum sion_scr_remark remark, sion_int64 rank, const char *file,
                 const char *text)
{
    const struct scr_settings *settings = user;

    if (remark == SION_SCR_FAILED)
        tool_error("rank %lld, file %s: %s", rank, file, text);
    else if (settings->verbose)
        tool_line(stdout, 0, "", "rank %lld, file %s: %s%s", rank, file,
                  remark == SION_SCR_SKIPPED ? "skipped, " : "", text);
}

struct sion_scr_fetch_options scr_fetch_options(const struct scr_settings *settings)
{
    union {
        const struct scr_settings *constant;
        void *plain;
    } user = {.constant = settings};

    return (struct sion_scr_fetch_options){
        .force = settings->force,
        .no_crc = settings->no_crc,
        .map = &settings->map,
        .tell = tell,
        .user = user.plain,
    };
}

int scr_fetch(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    const struct sion_scr_fetch_options options = scr_fetch_options(settings);

    (void)n;
    return scr_status(settings,
                      scion_scr_fetch(settings->comm, operands[0], settings->out, &options));
}

int scr_import(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    struct sion_scr_fetch_options options = scr_fetch_options(settings);

    (void)n;
    options.plain = settings->plain;
    return scr_status(settings, scion_scr_import(operands[0], operands[1], &options));
}

/* The container keeps what the map said, so that the new map says it, too. */
int scr_convert(const void *given, int n, char **operands)
{
    int status = scr_import(given, n, operands);

    return status == TOOL_DONE ? scr_export(given, 1, operands + 1) : status;
}

/* Of several maps, each. */
static void tell_sealed(void *user, enum sion_scr_remark remark, sion_int64 rank,
                        const char *folder, const char *text)
{
    char name[SCR_NAME];

    (void)user, (void)rank;
    if (remark == SION_SCR_FAILED)
        tool_error("%s: %s", folder, text);
    else
        printf("%s: %s\n", scr_printable(folder, name), text);
}

int scr_seal(const void *given, int n, char **operands)
{
    const struct scr_settings *settings = given;
    struct sion_scr_fetch_options options = scr_fetch_options(settings);

    (void)n;
    options.tell = tell_sealed;
    return scr_status(settings, scion_scr_seal(settings->comm, operands[0], &options));
}
