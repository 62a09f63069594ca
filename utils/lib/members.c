#include "lib/members.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/physical.h"
#include "lib/message.h"
#include "vfs/path.h"

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

static int out_of_memory(const char *name)
{
    tool_error("out of memory for the names of the files of %s", name);
    return TOOL_FAILED;
}

/* ---- names ---- */

static char *path_of(const char *base, const char *suffix)
{
    size_t length = strlen(base);
    char *path = malloc(length + strlen(suffix) + 1);

    if (path) {
        memcpy(path, base, length);
        strcpy(path + length, suffix);
    }
    return path;
}

/* The decimal number at *text, which moves behind it. -1: there is none. */
static int take_number(const char **text)
{
    const char *begin = *text;
    char *end;
    long number;

    if (!isdigit((unsigned char)*begin))
        return -1;
    errno = 0;
    number = strtol(begin, &end, 10);
    *text = end;
    return errno == 0 && number <= INT_MAX ? (int)number : -1;
}

static const char copies[] = "_BUDDY_";

/* Whether it is what the library writes for these numbers: not .1 or .0000001. */
static int is_spelled(const char *suffix, const struct member *member)
{
    char text[sizeof copies + 30] = "";
    int length = 0;

    if (member->level != MEMBERS_OWN)
        length = snprintf(text, sizeof text, "%s%02d", copies, member->level);
    if (member->number != 0)
        snprintf(text + length, sizeof text - (size_t)length, ".%06d", member->number);
    return strcmp(suffix, text) == 0;
}

/* Whether a name that begins with that of file 0 can be a member's. */
static int understand(const char *suffix, struct member *member)
{
    const char *rest = suffix;

    *member = (struct member){.level = MEMBERS_OWN};
    if (strncmp(rest, copies, strlen(copies)) == 0) {
        rest += strlen(copies);
        member->level = take_number(&rest);
    }
    if (*rest == '.') {
        rest++;
        member->number = take_number(&rest);
    }
    return is_spelled(suffix, member);
}

static int add(struct members *members, const struct member *member)
{
    struct member *list = members->member;
    char *suffix = strdup(member->suffix);

    if ((members->count & (members->count - 1)) == 0)
        list = scion_array_grown(list, 2 * (members->count + 1), sizeof *list);
    if (list)
        members->member = list;
    if (!suffix || !list) {
        free(suffix);
        return out_of_memory("a container");
    }
    list[members->count] = *member;
    list[members->count++].suffix = suffix;
    return TOOL_RUN;
}

/* ---- the header ---- */

static int read_head(const char *name, struct scion_meta1 *head)
{
    struct scion_physical *physical;
    int rc = scion_physical_read_first(name, &physical);

    if (rc != 0)
        return rc;
    *head = physical->head;
    scion_physical_close(physical);
    if (head->nfiles < 1)
        head->nfiles = 1;
    return 0;
}

static int find_first(const char *name, struct scion_meta1 *head)
{
    if (read_head(name, head) != 0)
        return failed();
    if (head->filenumber <= 0 || head->nfiles == 1)
        return TOOL_RUN;
    tool_error("%s is file %d of a set: name file 0 in place of it", name, head->filenumber);
    return TOOL_FAILED;
}

/* Of the container's own files the names are enough; copies say whose they are. */
static int belongs(const char *name, const struct member *member, const struct scion_meta1 *head)
{
    struct scion_meta1 own;
    char *path;
    int belongs;

    if (head->nfiles == 0)
        return 1;
    if (member->number >= head->nfiles)
        return 0;
    if (member->level == MEMBERS_OWN)
        return 1;
    path = path_of(name, member->suffix);
    belongs = path && read_head(path, &own) == 0 && own.nfiles == head->nfiles;
    free(path);
    return belongs;
}

/* ---- the folder ---- */

static int find_folder(const char *name, char folder[SCION_PATH])
{
    int rc = scion_name_check(name);

    return rc == 0 ? scion_path_folder(folder, name) : rc;
}

static int look_at(const char *name, char *suffix, int by_names, const struct scion_meta1 *head,
                   struct members *members)
{
    struct member member;
    char *path;
    int is_there;

    if (!understand(suffix, &member))
        return TOOL_RUN;
    path = path_of(name, suffix);
    if (!path)
        return out_of_memory(name);
    member.suffix = suffix;
    is_there = scion_path_own_status(path, &member.file) == 0 && !S_ISDIR(member.file.st_mode);
    free(path);
    member.is_other = is_there && !belongs(name, &member, head);
    return is_there && (by_names || !member.is_other) ? add(members, &member) : TOOL_RUN;
}

static int look_at_all(const char *name, int by_names, const struct scion_meta1 *head,
                       struct members *members)
{
    const char *base = scion_basename(name);
    size_t length = strlen(base);
    char folder[SCION_PATH], **entries;
    int n, i, status = TOOL_RUN;

    if (find_folder(name, folder) != 0 || scion_folder_sorted(folder, &entries, &n) != 0)
        return failed();
    for (i = 0; i < n && status == TOOL_RUN; i++) {
        if (strncmp(entries[i], base, length) == 0)
            status = look_at(name, entries[i] + length, by_names, head, members);
    }
    scion_folder_free(entries, n);
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int has_number(const struct members *members, size_t from, int number)
{
    for (; from < members->count; from++) {
        if (members->member[from].number == number)
            return 1;
    }
    return 0;
}

/* The own files come first; only for one that is missing are the copies searched. */
static int find_missing(const struct members *members)
{
    size_t own = 0, at = 0;
    int number;

    while (own < members->count && members->member[own].level == MEMBERS_OWN)
        own++;
    for (number = 0; number < members->nfiles; number++) {
        if (at < own && members->member[at].number == number)
            at++;
        else if (number == 0 || !has_number(members, own, number))
            return number;
    }
    return -1;
}

int members_find(const char *name, int by_names, struct members *members)
{
    struct scion_meta1 head = {.nfiles = 0};
    int status;

    *members = (struct members){.missing = -1};
    if (!by_names && find_first(name, &head) != TOOL_RUN)
        return TOOL_FAILED;
    if (by_names && (read_head(name, &head) != 0 || (head.filenumber > 0 && head.nfiles > 1)))
        head.nfiles = 0;
    status = look_at_all(name, by_names, &head, members);
    if (status != TOOL_RUN) {
        members_free(members);
        return status;
    }
    if (members->count > 0)
        qsort(members->member, members->count, sizeof *members->member, compare);
    members->nfiles = head.nfiles;
    members->missing = find_missing(members);
    return TOOL_RUN;
}

void members_free(struct members *members)
{
    size_t i;

    for (i = 0; i < members->count; i++)
        free(members->member[i].suffix);
    free(members->member);
    *members = (struct members){.missing = -1};
}

int members_check(const struct members *members, const char *name, const char *advice)
{
    if (members->missing < 0)
        return TOOL_RUN;
    tool_error("%s.%06d is missing, which is file %d of %d of the container%s", name,
               members->missing, members->missing, members->nfiles, advice);
    return TOOL_FAILED;
}

/* ---- one of them ---- */

const struct member *members_with(const struct members *members, const struct member *like)
{
    return members->count == 0
               ? NULL
               : bsearch(like, members->member, members->count, sizeof *members->member, compare);
}

const struct member *members_which(const struct members *members, const struct stat *file)
{
    size_t i;

    for (i = 0; i < members->count; i++) {
        if (scion_is_same_file(&members->member[i].file, file))
            return &members->member[i];
    }
    return NULL;
}

sion_int64 members_bytes(const struct members *members)
{
    sion_int64 bytes = 0;
    size_t i;

    for (i = 0; i < members->count; i++)
        bytes += members->member[i].file.st_size;
    return bytes;
}

char *members_path(const char *base, const struct member *member)
{
    return path_of(base, member->suffix);
}

int members_do_two(members_call_two *call, const char *from, const char *to,
                   const struct member *member)
{
    char *one = path_of(from, member->suffix), *two = path_of(to, member->suffix);
    int errnum = one && two ? call(one, two) : ENOMEM;

    free(one);
    free(two);
    return errnum;
}

int members_do(members_call *call, const char *base, const struct member *member)
{
    char *path = path_of(base, member->suffix);
    int errnum = path ? call(path) : ENOMEM;

    free(path);
    return errnum;
}
