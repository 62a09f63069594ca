#include "base/mode.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/byteorder.h"
#include "base/crc.h"
#include "base/env.h"
#include "base/error.h"

enum { MOST_KEPT = 1000 /* generations */ };

struct parser {
    struct scion_mode mode;
    int reads, writes, appends, big;
    char unknown[160];
};

struct word;
typedef int word_handler(struct parser *parser, const struct word *word, const char *value);

/* A word of the mode string, and the number in struct parser that its handler sets. */
struct word {
    const char *text;
    word_handler *handler;
    size_t member;
    int number;
};

static void set(struct parser *p, const struct word *word, int number)
{
    *(int *)(void *)((char *)p + word->member) = number;
}

static void note_unknown(struct parser *p, const char *word, const char *value)
{
    size_t used = strlen(p->unknown);

    snprintf(p->unknown + used, sizeof p->unknown - used, "%s'%s%s%s'", used ? ", " : "", word,
             *value ? "=" : "", value);
}

/* The word has no value, or any. */
static int on_flag(struct parser *p, const struct word *word, const char *value)
{
    (void)value;
    set(p, word, word->number);
    return 0;
}

/* The word has no value; one is unknown, but the word is not. */
static int on_plain(struct parser *p, const struct word *word, const char *value)
{
    if (*value)
        note_unknown(p, word->text, value);
    set(p, word, word->number);
    return 0;
}

/* The word alone, or with none as its value. */
static int on_unless_none(struct parser *p, const struct word *word, const char *value)
{
    if (*value && strcmp(value, "none") != 0)
        note_unknown(p, word->text, value);
    else
        set(p, word, *value ? -1 : 1);
    return 0;
}

static int on_checksum(struct parser *p, const struct word *word, const char *value)
{
    if (*value && strcmp(value, "open") != 0)
        note_unknown(p, word->text, value);
    p->mode.checksum = SCION_CHECKSUM_ON;
    p->mode.at_open |= strcmp(value, "open") == 0;
    return 0;
}

static int on_sionfwd(struct parser *p, const struct word *word, const char *value)
{
    (void)p, (void)word, (void)value;
    return scion_fail(SION_ERR_ARGUMENT, "file mode 'sionfwd': I/O forwarding is not available");
}

static int on_keyval(struct parser *p, const struct word *word, const char *value)
{
    static const struct {
        const char *value;
        int keyval;
    } table[] = {
        {"", SION_KEYVAL_INLINE},        {"default", SION_KEYVAL_INLINE},
        {"inline", SION_KEYVAL_INLINE},  {"none", SION_KEYVAL_NONE},
        {"meta", SION_KEYVAL_META},      {"hash", SION_KEYVAL_HASH},
        {"unknown", SION_KEYVAL_NOTSET},
    };
    size_t i;

    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(value, table[i].value) == 0) {
            p->mode.keyval = table[i].keyval;
            return 0;
        }
    }
    note_unknown(p, word->text, value);
    return 0;
}

static int on_endianness(struct parser *p, const struct word *word, const char *value)
{
    if (*value && strcmp(value, "big") != 0 && strcmp(value, "little") != 0)
        note_unknown(p, word->text, value);
    p->big |= strcmp(value, "big") == 0;
    p->mode.big_endian = p->big;
    return 0;
}

/* 0 without a value, and for one that is no number or does not fit. */
static int number_of(struct parser *p, const struct word *word, const char *value)
{
    char *end;
    long long number = strtoll(value, &end, 10);

    if (!*end && number >= INT_MIN && number <= INT_MAX)
        return (int)number;
    note_unknown(p, word->text, value);
    return 0;
}

static int on_collsize(struct parser *p, const struct word *word, const char *value)
{
    p->mode.collsize = number_of(p, word, value);
    return 0;
}

static int on_buddy(struct parser *p, const struct word *word, const char *value)
{
    int copies = number_of(p, word, value);

    p->mode.buddies = copies > 0 ? copies : 1;
    return 0;
}

/* 0, or -1: none of them. */
static int find_sync(const char *text, struct scion_mode *mode)
{
    if (strcmp(text, "none") == 0)
        mode->sync = SCION_SYNC_NONE;
    else if (strcmp(text, "close") == 0)
        mode->sync = SCION_SYNC_CLOSE;
    else if (strcmp(text, "flush") == 0)
        mode->sync = SCION_SYNC_FLUSH;
    else
        return -1;
    return 0;
}

static int on_sync(struct parser *p, const struct word *word, const char *value)
{
    if (find_sync(value, &p->mode) != 0)
        note_unknown(p, word->text, value);
    return 0;
}

/* 0: none of them. */
static int find_files(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (strcmp(text, "node") == 0)
        return SCION_FILES_NODE;
    if (strcmp(text, "writers") == 0)
        return SCION_FILES_WRITERS;
    if (strcmp(text, "auto") == 0)
        return SCION_FILES_AUTO;
    return *text && !*end && number > 0 && number <= INT_MAX ? (int)number : 0;
}

static int on_files(struct parser *p, const struct word *word, const char *value)
{
    int files = find_files(value);

    if (files == 0)
        note_unknown(p, word->text, value);
    else
        p->mode.files = files;
    return 0;
}

/* 1, 0, or -1: neither. */
static int find_answer(const char *text)
{
    if (strcmp(text, "yes") == 0 || strcmp(text, "1") == 0)
        return 1;
    return strcmp(text, "no") == 0 || strcmp(text, "0") == 0 ? 0 : -1;
}

static int on_lock(struct parser *p, const struct word *word, const char *value)
{
    if (find_answer(value) < 0)
        note_unknown(p, word->text, value);
    else
        p->mode.unlocked = !find_answer(value);
    return 0;
}

/* 0; -1: the name is too long. `none` is no folder. */
static int find_stage(const char *text, struct scion_mode *mode)
{
    size_t length = strlen(text);

    if (length >= sizeof mode->stage)
        return -1;
    strcpy(mode->stage, strcmp(text, "none") == 0 ? "" : text);
    return 0;
}

static int on_stage(struct parser *p, const struct word *word, const char *value)
{
    p->mode.stage_asked = 1;
    if (find_stage(value, &p->mode) == 0 && *value)
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "file mode '%s=%.60s' names no folder", word->text, value);
}

static int on_stage_keep(struct parser *p, const struct word *word, const char *value)
{
    p->mode.stage_keep = number_of(p, word, value);
    if (p->mode.stage_keep >= 0 && p->mode.stage_keep <= SCION_STAGE_MOST)
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "file mode '%s=%s': it takes a number from 0 to %d",
                      word->text, value, SCION_STAGE_MOST);
}

static int on_compress(struct parser *p, const struct word *word, const char *value)
{
    return scion_mode_set_compress(&p->mode, word->text, value);
}

static int on_keep(struct parser *p, const struct word *word, const char *value)
{
    p->mode.keep = number_of(p, word, value);
    if (p->mode.keep >= 1 && p->mode.keep <= MOST_KEPT)
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "file mode '%s=%s': it takes a number from 1 to %d",
                      word->text, value, MOST_KEPT);
}

/* 0; -1: it is no such number. */
static int find_seconds(const char *text, int *seconds)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (!*text || *end || number < 0 || number > INT_MAX)
        return -1;
    *seconds = (int)number;
    return 0;
}

static int on_publish(struct parser *p, const struct word *word, const char *value)
{
    p->mode.publish = SCION_PUBLISH_BY_WORD;
    if (strcmp(value, "none") == 0)
        p->mode.publish = SCION_PUBLISH_NOT;
    else if (find_seconds(value, &p->mode.publish_seconds) != 0)
        return scion_fail(SION_ERR_ARGUMENT,
                          "file mode '%s=%s': it takes a number of seconds, 0 or more, or none",
                          word->text, value);
    return 0;
}

static int on_generation(struct parser *p, const struct word *word, const char *value)
{
    char *end;
    long number = strtol(value, &end, 10);

    p->mode.all_generations = strcmp(value, "all") == 0;
    p->mode.sound = strcmp(value, "latest") == 0;
    p->mode.generation = 0;
    if (p->mode.all_generations || p->mode.sound || strcmp(value, "newest") == 0)
        return 0;
    if (!*value || *end || number == 0 || number < -MOST_KEPT || number > INT_MAX)
        return scion_fail(SION_ERR_ARGUMENT,
                          "file mode '%s=%s': it takes latest, newest, all, a number, or -1 for "
                          "the one before the newest",
                          word->text, value);
    p->mode.generation = (int)number;
    return 0;
}

/* A word that asks for nothing that this library would do differently. */
static int on_nothing(struct parser *p, const struct word *word, const char *value)
{
    (void)p, (void)word, (void)value;
    return 0;
}

static const struct word words[] = {
    {"w", on_flag, offsetof(struct parser, writes), 1},
    {"wb", on_flag, offsetof(struct parser, writes), 1},
    {"bw", on_flag, offsetof(struct parser, writes), 1},
    {"a", on_flag, offsetof(struct parser, appends), 1},
    {"ab", on_flag, offsetof(struct parser, appends), 1},
    {"ba", on_flag, offsetof(struct parser, appends), 1},
    {"r", on_flag, offsetof(struct parser, reads), 1},
    {"rb", on_flag, offsetof(struct parser, reads), 1},
    {"br", on_flag, offsetof(struct parser, reads), 1},
    {"ansi", on_flag, offsetof(struct parser, mode.posix), 0},
    {"posix", on_flag, offsetof(struct parser, mode.posix), 1},
    {"sionfwd", on_sionfwd, 0, 0},
    {"keyval", on_keyval, 0, 0},
    {"endianness", on_endianness, 0, 0},
    {"collective", on_flag, offsetof(struct parser, mode.collective), 1},
    {"collectivemerge", on_flag, offsetof(struct parser, mode.merge), 1},
    {"cmerge", on_flag, offsetof(struct parser, mode.merge), 1},
    {"collmsa", on_flag, offsetof(struct parser, mode.node_aware), 1},
    {"collsize", on_collsize, 0, 0},
    {"collread", on_flag, offsetof(struct parser, mode.collread), 1},
    {"buddy", on_buddy, 0, 0},
    {"buffered", on_plain, offsetof(struct parser, mode.buffered), 1},
    {"checksum", on_checksum, 0, 0},
    {"sync", on_sync, 0, 0},
    {"lock", on_lock, 0, 0},
    {"files", on_files, 0, 0},
    {"recover", on_unless_none, offsetof(struct parser, mode.recover), 0},
    {"atomic", on_unless_none, offsetof(struct parser, mode.atomic), 0},
    {"stage", on_stage, 0, 0},
    {"stage_keep", on_stage_keep, 0, 0},
    {"compress", on_compress, 0, 0},
    {"shuffle", on_compress, 0, 0},
    {"compress_frame", on_compress, 0, 0},
    {"compress_threads", on_compress, 0, 0},
    {"keep", on_keep, 0, 0},
    {"publish", on_publish, 0, 0},
    {"generation", on_generation, 0, 0},
    {"cache", on_nothing, 0, 0},
};

static int parse_word(struct parser *p, char *text)
{
    char *equals = strchr(text, '=');
    const char *value = equals ? equals + 1 : "";
    size_t i;

    if (equals)
        *equals = '\0';
    for (i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i].text) == 0)
            return words[i].handler(p, &words[i], value);
    }
    if (strncmp(text, "hints", 5) != 0)
        note_unknown(p, text, value);
    return 0;
}

static int parse_words(struct parser *p, char *text)
{
    char *word, *rest;
    int rc = 0;

    for (word = strtok_r(text, ",", &rest); word && rc == 0; word = strtok_r(NULL, ",", &rest))
        rc = parse_word(p, word);
    return rc;
}

static void warn_unless(int is_right, const char *name, const char *text, const char *takes)
{
    if (!is_right && text && *text)
        scion_warn("SION_%s=%s is ignored: it takes %s", name, text, takes);
}

static int checksum_at_open(void)
{
    const char *text = scion_env("CHECKSUM");

    return text && strcmp(text, "open") == 0;
}

/* Whoever mistypes what makes data safe must know. */
static void check_environment(void)
{
    static const char number[] = "a number, 1 or 0";
    const char *sync = scion_env("SYNC"), *lock = scion_env("LOCK"), *files = scion_env("FILES");
    const char *stage = scion_env("STAGE"), *publish = scion_env("PUBLISH");
    struct scion_mode unused;
    long long value;
    int seconds;

    warn_unless(scion_env_number("RECOVER", &value), "RECOVER", scion_env("RECOVER"), number);
    warn_unless(scion_env_number("CHECKSUM", &value) || checksum_at_open(), "CHECKSUM",
                scion_env("CHECKSUM"), "a number, 1 or 0, or open");
    warn_unless(scion_env_number("ATOMIC", &value), "ATOMIC", scion_env("ATOMIC"), number);
    warn_unless(sync && find_sync(sync, &unused) == 0, "SYNC", sync, "none, close or flush");
    warn_unless(files && find_files(files) != 0, "FILES", files, "a number, node, writers or auto");
    warn_unless(stage && find_stage(stage, &unused) == 0, "STAGE", stage, "the name of a folder");
    warn_unless(publish && find_seconds(publish, &seconds) == 0, "PUBLISH", publish,
                "a number of seconds");
    warn_unless(lock && find_answer(lock) >= 0, "LOCK", lock, "yes or no");
}

static int checksum_of_environment(void)
{
    long long number = 0;

    scion_env_number("CHECKSUM", &number);
    return number != 0 || checksum_at_open() ? SCION_CHECKSUM_BY_SITE : SCION_CHECKSUM_OFF;
}

int scion_mode_is_atomic(const struct scion_mode *mode)
{
    long long wanted = 0;

    if (mode->access == SCION_ACCESS_READ)
        return 0;
    scion_env_number("ATOMIC", &wanted);
    return mode->atomic != 0 ? mode->atomic > 0 : wanted != 0;
}

int scion_mode_find_checksum(const struct scion_mode *mode, int *wanted)
{
    *wanted = SCION_COMPARES_NOTHING;
    if (mode->checksum != SCION_CHECKSUM_OFF && scion_crc_find())
        *wanted = mode->at_open ? SCION_COMPARES_AT_OPEN : SCION_COMPARES_READS;
    if (*wanted || mode->checksum == SCION_CHECKSUM_OFF)
        return 0;
    if (mode->checksum == SCION_CHECKSUM_ON)
        return scion_crc_missing();
    scion_warn("SION_CHECKSUM is set, but there is no libsion_checksum: no checksums");
    return 0;
}

/*
 * What a container that is written on, keeps generations or is published cannot have. What only the
 * environment wants is left out.
 */
static int choose_growing(struct scion_mode *mode, const char *text, int appends)
{
    const char *what = appends          ? "is written on (a)"
                       : mode->keep > 0 ? "keeps generations (keep)"
                                        : "is published (publish)";
    const char *word = mode->atomic > 0                    ? "atomic"
                       : mode->recover > 0                 ? "recover"
                       : mode->stage_asked && *mode->stage ? "stage"
                       : mode->buddies > 0                 ? "buddy"
                       : mode->merge                       ? "cmerge"
                                                           : NULL;

    if (word)
        return scion_fail(SION_ERR_ARGUMENT, "file mode '%s': a container that %s has no '%s'",
                          text, what, word);
    mode->append = appends;
    mode->atomic = mode->recover = -1;
    *mode->stage = '\0';
    return 0;
}

/* The environment's key-value mode; a substring is enough, as in the reference. */
static int keyval_of_environment(void)
{
    static const struct {
        const char *part;
        int keyval;
    } table[] = {
        {"inline", SION_KEYVAL_INLINE}, {"meta", SION_KEYVAL_META},      {"hash", SION_KEYVAL_HASH},
        {"none", SION_KEYVAL_NONE},     {"unknown", SION_KEYVAL_NOTSET},
    };
    const char *text = scion_env("KEYVALUE_MODE");
    size_t i;

    for (i = 0; text && i < sizeof table / sizeof table[0]; i++) {
        if (strstr(text, table[i].part))
            return table[i].keyval;
    }
    return SION_KEYVAL_NOTSET;
}

/* A key-value mode that cannot be written is refused later, with its reason. */
static int settle_compress(struct scion_mode *mode, const char *text)
{
    int keyval = mode->keyval != SION_KEYVAL_NOTSET ? mode->keyval : keyval_of_environment();

    return scion_mode_settle_compress(mode, text,
                                      keyval == SION_KEYVAL_NOTSET ? SION_KEYVAL_NONE : keyval);
}

int scion_mode_parse(const char *text, struct scion_mode *mode)
{
    struct parser parser = {.reads = 0};
    char *copy;
    int rc;

    memset(mode, 0, sizeof *mode);
    mode->keyval = SION_KEYVAL_NOTSET;
    mode->checksum = checksum_of_environment();
    mode->at_open = checksum_at_open();
    if (scion_env("SYNC"))
        find_sync(scion_env("SYNC"), mode);
    if (scion_env("FILES"))
        mode->files = find_files(scion_env("FILES"));
    if (scion_env("PUBLISH") && find_seconds(scion_env("PUBLISH"), &mode->publish_seconds) == 0)
        mode->publish = SCION_PUBLISH_BY_SITE;
    mode->stage_keep = 1;
    if (scion_env("STAGE"))
        find_stage(scion_env("STAGE"), mode);
    mode->unlocked = scion_env("LOCK") && find_answer(scion_env("LOCK")) == 0;
    mode->big_endian = scion_host_is_big();
    mode->sound = 1;
    scion_mode_default_compress(mode);
    if (!text)
        return scion_fail(SION_ERR_ARGUMENT, "no file mode given");
    copy = strdup(text);
    if (!copy)
        return scion_fail_memory("file mode");
    check_environment();
    parser.mode = *mode;
    rc = parse_words(&parser, copy);
    *mode = parser.mode;
    free(copy);
    if (rc != 0)
        return rc;
    if (parser.reads && (parser.writes || parser.appends))
        return scion_fail(SION_ERR_ARGUMENT, "file mode '%s' asks for reading and for writing",
                          text);
    if (parser.writes && parser.appends)
        return scion_fail(SION_ERR_ARGUMENT,
                          "file mode '%s' asks for a new container, and for an old one", text);
    if (parser.unknown[0])
        scion_warn("unknown words in the file mode are ignored: %s", parser.unknown);
    if (parser.reads || parser.writes || parser.appends)
        mode->access = parser.reads ? SCION_ACCESS_READ : SCION_ACCESS_WRITE;
    if ((mode->keep > 0 || mode->publish == SCION_PUBLISH_BY_WORD) && parser.reads)
        return scion_fail(SION_ERR_ARGUMENT, "file mode '%s': %s is for writing", text,
                          mode->keep > 0 ? "keep" : "publish");
    if (parser.appends || mode->keep > 0 || mode->publish == SCION_PUBLISH_BY_WORD)
        rc = choose_growing(mode, text, parser.appends);
    if (rc == 0)
        rc = settle_compress(mode, text);
    if (rc != 0)
        return rc;
    if (scion_mode_is_atomic(mode) && !*mode->stage && mode->sync == SCION_SYNC_NONE)
        mode->sync = SCION_SYNC_CLOSE; /* nothing gets its name that is not on the disk */
    return 0;
}

int scion_mode_keyval_for_writing(const struct scion_mode *mode, int *keyval)
{
    int wanted = mode->keyval != SION_KEYVAL_NOTSET ? mode->keyval : keyval_of_environment();

    if (wanted == SION_KEYVAL_META || wanted == SION_KEYVAL_HASH)
        return scion_fail(SION_ERR_ARGUMENT,
                          "key-value mode %s cannot be written, use keyval=inline",
                          scion_keyval_name(wanted));
    *keyval = wanted == SION_KEYVAL_NOTSET ? SION_KEYVAL_NONE : wanted;
    return 0;
}

void scion_mode_compare_keyval(const struct scion_mode *mode, int keyval_of_file)
{
    int said = mode->keyval != SION_KEYVAL_NOTSET;
    int wanted = said ? mode->keyval : keyval_of_environment();

    if (wanted != SION_KEYVAL_NOTSET && wanted != keyval_of_file)
        scion_warn("file read: keyvalmode of file (%s) is different to requested keyvalmode (%s) "
                   "from %s, the file's is taken",
                   scion_keyval_name(keyval_of_file), scion_keyval_name(wanted),
                   said ? "parameter" : "env-var");
}

const char *scion_keyval_name(int keyval)
{
    static const char *const names[] = {"SION_KEYVAL_NONE", "SION_KEYVAL_INLINE",
                                        "SION_KEYVAL_META", "SION_KEYVAL_HASH",
                                        "SION_KEYVAL_UNKNOWN"};

    if (keyval < SION_KEYVAL_NONE || keyval > SION_KEYVAL_UNKNOWN)
        return "unknown";
    return names[keyval - SION_KEYVAL_NONE];
}
