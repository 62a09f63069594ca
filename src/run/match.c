#include "run/match.h"

#include <string.h>

/* ---- characters ---- */

/* The next character, and the position behind it. A byte that is not of UTF-8 stands for itself,
   with a number that no character has. */
static unsigned long next_character(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    int i, more = *s >= 0xf0 && *s < 0xf8 ? 3 : *s >= 0xe0 ? 2 : *s >= 0xc2 ? 1 : 0;
    unsigned long value = more == 3 ? *s & 7u : more == 2 ? *s & 15u : *s & 31u;

    if (*s >= 0xf8)
        more = 0;
    for (i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            more = 0;
            break;
        }
        value = value << 6 | (s[i] & 0x3fu);
    }
    *at += 1 + more;
    return more > 0 ? value : *s < 0x80 ? *s : 0x110000u + *s;
}

static int is_in_class(const char *name, size_t length, unsigned long c)
{
    static const char punctuation[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const int lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z',
              digit = c >= '0' && c <= '9', blank = c == ' ' || c == '\t';
    const struct {
        const char *name;
        int is_in;
    } classes[] = {
        {"alnum", lower || upper || digit},
        {"alpha", lower || upper},
        {"blank", blank},
        {"cntrl", c < ' ' || c == 127},
        {"digit", digit},
        {"graph", c > ' ' && c < 127},
        {"lower", lower},
        {"print", c >= ' ' && c < 127},
        {"punct", c > ' ' && c < 127 && strchr(punctuation, (int)c) != NULL},
        {"space", blank || (c >= '\n' && c <= '\r')},
        {"upper", upper},
        {"xdigit", digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')},
    };
    size_t i;

    for (i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) == length && memcmp(classes[i].name, name, length) == 0)
            return classes[i].is_in;
    }
    return 0;
}

/* One element of a set: a class, a range or a character. Returns whether c is in it; *at moves. */
static int is_in_element(const char **at, unsigned long c)
{
    unsigned long first, last;
    const char *end;

    if ((*at)[0] == '[' && (*at)[1] == ':' && (end = strstr(*at + 2, ":]")) != NULL) {
        const char *name = *at + 2;

        *at = end + 2;
        return is_in_class(name, (size_t)(end - name), c);
    }
    *at += **at == '\\' && (*at)[1];
    first = last = next_character(at);
    if ((*at)[0] == '-' && (*at)[1] && (*at)[1] != ']') {
        ++*at;
        *at += **at == '\\' && (*at)[1];
        last = next_character(at);
    }
    return c >= first && c <= last;
}

/* The set behind a `[`. Returns 1 or 0, and *at moves behind it; -1: it has no end. */
static int is_in_set(const char **at, unsigned long c)
{
    const char *p = *at;
    int is_not = *p == '!' || *p == '^', is_in = 0, is_first = 1;

    for (p += is_not; *p && *p != '/' && (is_first || *p != ']'); is_first = 0)
        is_in |= is_in_element(&p, c);
    if (*p != ']')
        return -1;
    *at = p + 1;
    return is_in != is_not;
}

/* ---- components ---- */

static int is_end(const char *at)
{
    return *at == '\0' || *at == '/';
}

/* One character of the component against one element of its pattern, not a `*`; both move. */
static int is_next(const char **pattern, const char **name)
{
    const char *set = *pattern + 1;
    unsigned long c;
    int is_in;

    if (**pattern != '[' && **pattern != '?' && **pattern != '\\') {
        return *(*pattern)++ == *(*name)++;
    }
    if (**pattern == '\\' && !is_end(*pattern + 1))
        ++*pattern;
    else if (**pattern != '\\') {
        c = next_character(name);
        is_in = **pattern == '?' ? 1 : is_in_set(&set, c);
        *pattern = is_in >= 0 && **pattern == '[' ? set : *pattern + 1;
        return is_in >= 0 ? is_in : c == '[';
    }
    return *(*pattern)++ == *(*name)++;
}

/* Whether one component matches. */
static int component_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL; /* behind the last `*`, and where it begins to match */

    while (!is_end(name)) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (is_end(pattern) || !is_next(&pattern, &name)) {
            if (!star)
                return 0;
            next_character(&retry);
            pattern = star;
            name = retry;
        }
    }
    while (*pattern == '*')
        pattern++;
    return is_end(pattern);
}

/* The next component, or the end of the path. */
static const char *next_component(const char *at)
{
    while (!is_end(at))
        at++;
    return at + (*at == '/');
}

static int is_any_number(const char *pattern)
{
    return pattern[0] == '*' && pattern[1] == '*' && is_end(pattern + 2);
}

int scion_match(const char *pattern, const char *path)
{
    const char *star = NULL, *retry = NULL; /* the same for the last `**` */

    while (*pattern) {
        if (is_any_number(pattern)) {
            star = pattern = next_component(pattern);
            retry = path;
        } else if (*path && component_matches(pattern, path)) {
            pattern = next_component(pattern);
            path = next_component(path);
        } else {
            if (!star || !*retry)
                return 0;
            retry = next_component(retry);
            pattern = star;
            path = retry;
        }
    }
    return 1;
}

/* ---- paths ---- */

/* Whether a path has neither empty components nor such that begin with a dot: then nothing is
 * removed. */
static int is_straight(const char *path)
{
    for (;;) {
        if (*path == '/' || *path == '.' || !*path)
            return 0;
        path = strchrnul(path, '/');
        if (!*path)
            return 1;
        path++;
    }
}

/* Put "/" and a component, or what of it remains, behind `length` bytes; returns the new length, or
 * 0. */
static size_t put_component(const char *path, size_t n, char *to, size_t length, size_t room)
{
    if (length + 1 + n >= room)
        return 0;
    to[length] = '/';
    memcpy(to + length + 1, path, n);
    to[length + 1 + n] = '\0';
    return length + 1 + n;
}

/* The same for a path with detours. */
static size_t put_path(const char *path, char *to, size_t length, size_t room,
                       enum scion_path_end *end)
{
    size_t n;

    for (*end = SCION_END_SLASH; *path; path += n) {
        while (*path == '/')
            path++;
        n = (size_t)(strchrnul(path, '/') - path);
        if (n == 0)
            break;
        *end = SCION_END_DOT;
        if (n == 2 && path[0] == '.' && path[1] == '.') {
            while (length > 0 && to[--length] != '/')
                ;
        } else if (n > 1 || path[0] != '.') {
            length = put_component(path, n, to, length, room);
            if (length == 0)
                return 0;
            *end = path[n] == '/' ? SCION_END_SLASH : SCION_END_NAME;
        }
    }
    if (length == 0 && room > 1)
        to[length++] = '/';
    to[length] = '\0';
    return length;
}

size_t scion_lexical(const char *folder, const char *path, char *to, size_t room,
                     enum scion_path_end *end)
{
    size_t length = 0;

    if (*path != '/' && folder[1]) {
        length = strlen(folder);
        if (length >= room)
            return 0;
        memcpy(to, folder, length);
    }
    if (!is_straight(path + (*path == '/')))
        return put_path(path, to, length, room, end);
    *end = SCION_END_NAME;
    path += *path == '/';
    return put_component(path, strlen(path), to, length, room);
}

const char *scion_beneath(const char *folder, size_t length, const char *path)
{
    if (length == 1 && *path == '/')
        return path + 1;
    if (strncmp(path, folder, length) != 0)
        return NULL;
    return path[length] == '/' ? path + length + 1 : path[length] == '\0' ? path + length : NULL;
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 32;
}

static uint64_t hash(uint64_t h, const char *bytes, size_t length)
{
    uint64_t part;

    for (; length >= 8; length -= 8, bytes += 8) {
        memcpy(&part, bytes, 8);
        h = mix(h, part);
    }
    part = 0;
    memcpy(&part, bytes, length);
    return mix(mix(h, part), UINT64_C(0xc4ceb9fe1a85ec53));
}

uint64_t scion_path_hash(const char *path, size_t length)
{
    return hash(length * UINT64_C(0xff51afd7ed558ccd), path, length);
}

uint64_t scion_hash_in(uint64_t folder, const char *name, size_t length)
{
    return hash(folder + length, name, length) | 1;
}

uint64_t scion_name_hash(const char *path, size_t length)
{
    size_t name = length;

    while (name > 0 && path[name - 1] != '/')
        name--;
    return scion_hash_in(scion_path_hash(path, name > 0 ? name - 1 : 0), path + name,
                         length - name);
}
