#include "stage/part.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "file/physical.h"
#include "format/slot.h"
#include "stage/rows.h"
#include "vfs/path.h"

/* ---- names ---- */

static char *no_memory(char *name)
{
    if (!name)
        scion_fail_memory("file name");
    return name;
}

sion_int64 scion_stage_time(const char *name)
{
    struct stat status;

    return scion_path_own_status(name, &status) == 0
               ? status.st_mtim.tv_sec * (sion_int64)1000000000 + status.st_mtim.tv_nsec
               : 0;
}

/* The nonce tells records apart; the name is for people. */
char *scion_stage_record(const char *folder, const char *target, sion_int64 flag2, int node)
{
    char name[NAME_MAX + 1];
    uint32_t nonce = 0;

    scion_marker_nonce(flag2, &nonce);
    snprintf(name, sizeof name, ".%.100s.%08x.%d.stage", scion_basename(target), (unsigned)nonce,
             node);
    return no_memory(scion_path_new(folder, name));
}

/* path and a suffix */
static char *with_suffix(const char *path, const char *format, int number)
{
    size_t size = strlen(path) + 24;
    char *name = malloc(size);
    int length;

    if (!name)
        return no_memory(NULL);
    length = snprintf(name, size, "%s", path);
    snprintf(name + length, size - (size_t)length, format, number);
    return name;
}

char *scion_stage_data(const char *record, int number)
{
    return with_suffix(record, ".%06d", number);
}

char *scion_stage_new(const struct scion_stage_part *part, int number)
{
    char *final = scion_physical_name(part->target, number);
    char *beside = final ? scion_physical_beside(part->target, final, part->flag2, number) : NULL;

    free(final);
    return beside;
}

char *scion_stage_report(const struct scion_stage_part *part, int node)
{
    char *beside = scion_stage_new(part, 0);
    char *name = beside ? with_suffix(beside, ".node.%d", node) : NULL;

    free(beside);
    return name;
}

/* ---- the record ---- */

/*
 * Lines of text. The first STATE bytes are what changes, written by one call, so that a program
 * that is killed leaves the old or the new ones.
 */
enum { STATE = 512, RECORD = 8192 };

static const char magic[] = "scion-stage 1\n";

static void encode_state(const struct scion_stage_part *part, char *to)
{
    char reason[SCION_STAGE_REASON];
    int length;

    scion_escape(part->reason, reason, sizeof reason);
    memset(to, ' ', STATE);
    length = snprintf(to, STATE, "%sstate %c %d\nat %d %lld\nreason %s", magic, (char)part->state,
                      part->is_synced, part->at_file, part->at, reason);
    to[length] = ' ';
    to[STATE - 1] = '\n';
}

static int encode(const struct scion_stage_part *part, char *to)
{
    int length = STATE, i;

    encode_state(part, to);
    length += snprintf(
        to + length, (size_t)(RECORD - length),
        "flag2 %lld\nopened %lld %lld\nnode %d %d\nfiles %d\ntasks %d\nboot %s\nseen %d %lld %lld ",
        part->flag2, part->opened, part->seen_time, part->node, part->nodes, part->nfiles,
        part->ntasks, part->boot, part->seen.exists, (long long)part->seen.device,
        (long long)part->seen.inode);
    for (i = 0; i < (int)part->seen.nhead; i++)
        length += snprintf(to + length, (size_t)(RECORD - length), "%02x", part->seen.head[i]);
    length += snprintf(to + length, (size_t)(RECORD - length), ".\nbefore %d", part->nbefore);
    for (i = 0; i < part->nbefore; i++)
        length += snprintf(to + length, (size_t)(RECORD - length), " %08x", part->before[i]);
    length += snprintf(to + length, (size_t)(RECORD - length), "\ntarget %s", part->target);
    return length;
}

/* Read `label` and n numbers after it; returns what follows, or NULL. */
static const char *numbers(const char *text, const char *label, int base, long long *values, int n)
{
    size_t length = strlen(label);
    char *end;
    int i;

    if (!text || strncmp(text, label, length) != 0)
        return NULL;
    text += length;
    for (i = 0; i < n; i++, text = end) {
        values[i] = strtoll(text, &end, base);
        if (end == text)
            return NULL;
    }
    return text;
}

/* Hexadecimal digits, two for each byte, and a point. */
static const char *decode_head(const char *text, struct scion_older *seen)
{
    char digits[3] = "", *end;

    for (seen->nhead = 0; text && *text != '.'; text += 2) {
        snprintf(digits, sizeof digits, "%s", text);
        if (seen->nhead == sizeof seen->head || strlen(digits) != 2)
            return NULL;
        seen->head[seen->nhead++] = (unsigned char)strtoul(digits, &end, 16);
        if (*end)
            return NULL;
    }
    return text ? text + 1 : NULL;
}

static const char *decode_before(const char *text, struct scion_stage_part *part)
{
    long long value;
    int i;

    text = numbers(text, "\nbefore ", 10, &value, 1);
    if (!text || value < 0 || value > SCION_STAGE_BEFORE)
        return NULL;
    part->nbefore = (int)value;
    for (i = 0; i < part->nbefore; i++) {
        text = numbers(text, " ", 16, &value, 1);
        part->before[i] = (uint32_t)value;
    }
    return text;
}

static const char *decode_boot(const char *text, struct scion_stage_part *part)
{
    size_t length;

    if (!text || strncmp(text, "\nboot ", 6) != 0)
        return NULL;
    text += 6;
    length = strcspn(text, "\n");
    if (length >= sizeof part->boot)
        return NULL;
    snprintf(part->boot, sizeof part->boot, "%.*s", (int)length, text);
    return text + length;
}

static int is_possible(const struct scion_stage_part *part)
{
    uint32_t nonce;

    return part->nodes > 0 && part->node >= 0 && part->node < part->nodes && part->nfiles > 0 &&
           part->ntasks > 0 && part->at_file >= 0 && part->at >= 0 &&
           scion_marker_nonce(part->flag2, &nonce);
}

/* The first lines. */
static int decode_state(const char *from, struct scion_stage_part *part)
{
    static const char reason[] = "\nreason ";
    long long synced, at[2];
    char text[STATE + 1];
    const char *next = text + sizeof magic - 1;
    size_t last;

    memcpy(text, from, STATE);
    text[STATE] = '\0';
    if (strncmp(text, magic, sizeof magic - 1) != 0 || strncmp(next, "state ", 6) != 0 ||
        !next[6] || !strchr("ocfd", next[6]))
        return -1;
    part->state = (enum scion_stage_state)next[6];
    next = numbers(numbers(next + 7, " ", 10, &synced, 1), "\nat ", 10, at, 2);
    if (!next || strncmp(next, reason, sizeof reason - 1) != 0)
        return -1;
    part->is_synced = synced != 0;
    part->at_file = (int)at[0];
    part->at = at[1];
    snprintf(part->reason, sizeof part->reason, "%s", next + sizeof reason - 1);
    for (last = strlen(part->reason); last > 0 && strchr(" \n", part->reason[last - 1]);)
        part->reason[--last] = '\0';
    return 0;
}

/* What does not change; returns what follows the numbers, or NULL. */
static const char *decode_rest(const char *text, struct scion_stage_part *part)
{
    long long values[7], seen[3];

    text = numbers(text, "flag2 ", 10, values, 1);
    text = numbers(text, "\nopened ", 10, values + 5, 2);
    text = numbers(text, "\nnode ", 10, values + 1, 2);
    text = numbers(text, "\nfiles ", 10, values + 3, 1);
    text = numbers(text, "\ntasks ", 10, values + 4, 1);
    text = numbers(decode_boot(text, part), "\nseen ", 10, seen, 3);
    if (!text || *text != ' ')
        return NULL;
    part->flag2 = values[0];
    part->node = (int)values[1];
    part->nodes = (int)values[2];
    part->nfiles = (int)values[3];
    part->ntasks = (int)values[4];
    part->opened = values[5];
    part->seen_time = values[6];
    part->seen.exists = seen[0] != 0;
    part->seen.device = (dev_t)seen[1];
    part->seen.inode = (ino_t)seen[2];
    return decode_before(decode_head(text + 1, &part->seen), part);
}

/* text: a whole record, with a NUL. */
static int decode(const char *text, struct scion_stage_part *part)
{
    static const char target[] = "\ntarget ";

    if (strlen(text) < STATE || decode_state(text, part) != 0)
        return -1;
    text = decode_rest(text + STATE, part);
    if (!text || strncmp(text, target, sizeof target - 1) != 0 || !is_possible(part))
        return -1;
    part->target = no_memory(strdup(text + sizeof target - 1));
    return part->target ? 0 : SION_ERR_MEMORY;
}

int scion_stage_part_make(const struct scion_stage_part *part)
{
    char text[RECORD];
    int length = encode(part, text);

    return length < RECORD ? scion_make_whole(part->record, 0666, text, (size_t)length)
                           : scion_fail(SION_ERR_ARGUMENT, "%s: name too long", part->target);
}

int scion_stage_part_update(const struct scion_stage_part *part)
{
    char text[STATE];
    struct scion_file *file;
    int rc = scion_file_open(part->record, SCION_OPEN_OWN, 0, &file), closed;

    if (rc != 0)
        return rc;
    encode_state(part, text);
    rc = scion_file_write(file, text, sizeof text, 0, NULL);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

static int read_record(const char *record, char *text, size_t room)
{
    struct scion_file *file;
    size_t got;
    int rc = scion_file_open(record, SCION_OPEN_READ, 0, &file), closed;

    if (rc != 0)
        return rc;
    rc = scion_file_read_some(file, text, room - 1, 0, &got);
    closed = scion_file_close(file);
    text[rc == 0 ? got : 0] = '\0';
    return scion_first_failure(rc, closed);
}

int scion_stage_part_read(const char *record, struct scion_stage_part *part)
{
    char text[RECORD];
    int rc = read_record(record, text, sizeof text);

    *part = (struct scion_stage_part){0};
    if (rc != 0)
        return rc;
    rc = decode(text, part);
    if (rc == -1)
        rc = scion_fail(SION_ERR_DAMAGED, "%s is not a record of a staged container", record);
    if (rc == 0)
        part->record = no_memory(strdup(record));
    if (rc == 0 && !part->record)
        rc = SION_ERR_MEMORY;
    if (rc != 0)
        scion_stage_part_free(part);
    return rc;
}

int scion_stage_part_refresh(struct scion_stage_part *part)
{
    const int code = scion_error_code();
    char text[RECORD], reason[SCION_ERROR_TEXT];
    struct stat status;
    int errnum = scion_path_status(part->record, &status);

    if (errnum != 0)
        return errnum;
    snprintf(reason, sizeof reason, "%s", scion_error_text());
    errnum = read_record(part->record, text, sizeof text) != 0 || decode_state(text, part) != 0
                 ? EIO
                 : 0;
    scion_error_set(code, reason);
    return errnum;
}

void scion_stage_part_free(struct scion_stage_part *part)
{
    free(part->record);
    free(part->target);
    *part = (struct scion_stage_part){0};
}

void scion_stage_part_remove(const struct scion_stage_part *part)
{
    char *rows;
    int i;

    for (i = 0; i < part->nfiles; i++) {
        char *data = scion_stage_data(part->record, i);

        if (data)
            scion_file_remove(data);
        free(data);
    }
    rows = scion_stage_rows_name(part->record);
    if (rows)
        scion_file_remove(rows);
    free(rows);
    scion_file_remove(part->record);
}

void scion_stage_boot(char *boot)
{
    char text[RECORD];

    *boot = '\0';
    if (read_record("/proc/sys/kernel/random/boot_id", text, sizeof text) == 0)
        snprintf(boot, SCION_STAGE_BOOT, "%.*s", (int)strcspn(text, "\n"), text);
}
