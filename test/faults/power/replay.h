/*
 * Replays what disk.h has recorded. For each prefix of the record: nothing of what is not synced is
 * there; all of it; all but that of one file or folder; only that; all but the first ones; and
 * random parts, torn at sectors. Each state is made in a folder, where a function judges it.
 *
 * To find out whether a sync is needed, all those of one caller are taken out of the record: then a
 * state must be judged wrong (full.sh).
 *
 * Tasks may be on several nodes, each of which has a cache of its own: then a sync covers what its
 * own task has written.
 */
#ifndef TEST_POWER_REPLAY_H
#define TEST_POWER_REPLAY_H

#include "disk.h"
#include "support.h"

struct scenario {
    const char *name;
    void (*prepare)(void); /* what is on the disk before; NULL: nothing */
    void (*run)(void);     /* recorded */
    /* NULL, or what is wrong with the state in the working directory; told[] has the last values of
       disk_tell() before the power failed, or -1. */
    const char *(*judge)(const int *told);
    const char *mode;
    int number, nfiles, how; /* for the functions */
    int has_nodes;           /* each task is on another node */
};

enum { DEPTH = 4 }; /* of folders */

static const struct scenario *scenario;

/* A caller of fsync(). */
struct site {
    uint64_t site;
    void *frames[FRAMES];
    const char *example, *scenario; /* a name that it synced */
    int is_needed;
};

static struct {
    int random, at_most; /* states with random parts of each prefix; states of a scenario, 0: all */
    unsigned char *is_on; /* [nevents] */
    uint64_t left_out;    /* this site's syncs have not happened */
    int is_complete;      /* the power fails after the run only */
    long states;          /* judged */
    int *pending, npending;
    struct site sites[400];
    int nsites;
    struct {
        const char *name;
        long states;
        int prefixes, syncs;
    } table[60];
    int nrows;
} replay;

/* ---- a state ---- */

struct content {
    unsigned char *bytes;
    size_t size, room;
    mode_t mode;
    off_t cut; /* what is written from here on needs a cut that is not there; -1: none */
};

static void content_resize(struct content *content, size_t size)
{
    if (size > content->room) {
        content->room = 2 * size;
        content->bytes = realloc(content->bytes, content->room);
    }
    if (size > content->size)
        memset(content->bytes + content->size, 0, size - content->size);
    content->size = size;
}

/* Of a write, each sector may be there, or only the size. */
static void content_write(struct content *content, const struct event *event, int is_torn)
{
    size_t done = 0;

    if (content->cut >= 0 && event->offset >= content->cut)
        return;
    if ((size_t)event->offset + event->bytes > content->size)
        content_resize(content, (size_t)event->offset + event->bytes);
    while (done < event->bytes) {
        size_t at = (size_t)event->offset + done, part = SECTOR - at % SECTOR;

        if (part > event->bytes - done)
            part = event->bytes - done;
        if (!is_torn || check_below(2))
            memcpy(content->bytes + at, event->data + done, part);
        done += part;
    }
}

static int is_data(const struct event *event, int node)
{
    return (event->kind == WRITE || event->kind == CUT || event->kind == MODE) &&
           event->node == node;
}

/* is_on: 0 not there, 1 there, 2 torn. */
static void content_of(int node, int n, struct content *content)
{
    int i;

    content->cut = -1;
    content->size = 0;
    content->mode = disk.nodes[node].mode;
    content_resize(content, disk.nodes[node].size);
    if (content->size > 0)
        memcpy(content->bytes, disk.nodes[node].bytes, content->size);
    for (i = 0; i < n; i++) {
        const struct event *event = &disk.events[i];

        if (!is_data(event, node))
            continue;
        if (event->kind == WRITE && replay.is_on[i])
            content_write(content, event, replay.is_on[i] == 2);
        else if (event->kind == MODE && replay.is_on[i])
            content->mode = (mode_t)event->value;
        else if (event->kind == CUT && replay.is_on[i] && content->cut < 0)
            content_resize(content, (size_t)event->offset);
        else if (event->kind == CUT && !replay.is_on[i] && (size_t)event->offset < content->size)
            content->cut = event->offset;
    }
}

static void set_name(struct name *names, int *n, char *name, int node)
{
    int i;

    for (i = 0; i < *n && strcmp(names[i].name, name) != 0; i++)
        ;
    if (node < 0 && i < *n)
        names[i] = names[--*n];
    else if (node >= 0)
        names[i == *n ? (*n)++ : i] = (struct name){name, node};
}

static int names_of(int n, struct name *names)
{
    int nnames = disk.nnames, i;

    memcpy(names, disk.names, sizeof disk.names);
    for (i = 0; i < n; i++) {
        const struct event *event = &disk.events[i];

        if (!replay.is_on[i] || (event->kind != NAME && event->kind != UNNAME))
            continue;
        if (event->gone)
            set_name(names, &nnames, event->gone, -1);
        set_name(names, &nnames, event->name, event->kind == NAME ? event->node : -1);
    }
    return nnames;
}

static void remove_tree(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    char path[600];

    while (entries && (entry = readdir(entries))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0) {
            remove_tree(path);
            rmdir(path);
        }
    }
    if (entries)
        closedir(entries);
}

static void make_file(const char *path, const struct content *content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd >= 0 && content->size > 0 &&
        write(fd, content->bytes, content->size) != (ssize_t)content->size)
        abort();
    if (fd < 0) /* its folder is not there */
        return;
    fchmod(fd, content->mode);
    close(fd);
}

/* Into the working directory. Folders come before what is in them; a file may have two names. */
static void make_state(int n)
{
    static struct name names[MOST_NAMES + MOST_EVENTS];
    static struct content content;
    int nnames, i;

    remove_tree(".");
    nnames = names_of(n, names);
    for (i = 0; i < DEPTH * nnames; i++) {
        if (disk.nodes[names[i % nnames].node].is_folder)
            mkdir(names[i % nnames].name, 0755);
    }
    for (i = 0; i < nnames; i++) {
        if (disk.nodes[names[i].node].is_folder)
            continue;
        content_of(names[i].node, n, &content);
        make_file(names[i].name, &content);
    }
}

/* ---- what is on the disk ---- */

static int is_in_folder(const char *name, const char *folder)
{
    const char *slash = strrchr(name, '/');

    return slash
               ? strncmp(name, folder, (size_t)(slash - name)) == 0 && folder[slash - name] == '\0'
               : strcmp(folder, ".") == 0;
}

static int covers(const struct event *sync, const struct event *event)
{
    if (sync->kind == SYNC)
        return is_data(event, sync->node) &&
               (!scenario->has_nodes || event->machine == sync->machine);
    return (event->kind == NAME || event->kind == UNNAME) &&
           (is_in_folder(event->name, sync->name) ||
            (event->gone && is_in_folder(event->gone, sync->name)));
}

/* After n events: 1 for what is certain; the others are listed. */
static void find_pending(int n)
{
    int i, k;

    replay.npending = 0;
    for (i = 0; i < n; i++)
        replay.is_on[i] = 0;
    for (k = 0; k < n; k++) {
        const struct event *sync = &disk.events[k];

        if ((sync->kind != SYNC && sync->kind != SYNC_FOLDER) || sync->site == replay.left_out)
            continue;
        for (i = 0; i < sync->upto; i++)
            replay.is_on[i] |= (unsigned char)covers(sync, &disk.events[i]);
    }
    for (i = 0; i < n; i++) {
        enum kind kind = disk.events[i].kind;

        if (!replay.is_on[i] &&
            (kind == WRITE || kind == CUT || kind == MODE || kind == NAME || kind == UNNAME))
            replay.pending[replay.npending++] = i;
    }
}

/* 1 if both are of the same file, or both are names. */
static int is_alike(const struct event *one, const struct event *other)
{
    int is_name = one->kind == NAME || one->kind == UNNAME;

    return is_name ? other->kind == NAME || other->kind == UNNAME : is_data(other, one->node);
}

/* ---- judging ---- */

static const char *judge(int n)
{
    int told[MOST_TOLD], i;
    const char *wrong;

    for (i = 0; i < MOST_TOLD; i++)
        told[i] = -1;
    for (i = 0; i < n; i++) {
        if (disk.events[i].kind == TELL)
            told[disk.events[i].what] = disk.events[i].value;
    }
    make_state(n);
    support_catch();
    wrong = scenario->judge(told);
    replay.states++;
    return wrong;
}

/* Put all pending events to `on`. */
static void set_all(int on)
{
    int i;

    for (i = 0; i < replay.npending; i++)
        replay.is_on[replay.pending[i]] = (unsigned char)on;
}

static void set_random(void)
{
    int i;

    for (i = 0; i < replay.npending; i++)
        replay.is_on[replay.pending[i]] = (unsigned char)check_below(3);
}

/* Part `part` of the pending events; 0: there is no such part. */
static int set_part(int part)
{
    int n = replay.npending, i;

    if (part < 2) {
        set_all(part);
        return part == 0 || n > 0;
    }
    part -= 2;
    if (part < 2 * n) { /* one file, or all others */
        const struct event *one = &disk.events[replay.pending[part / 2]];

        for (i = 0; i < n; i++)
            replay.is_on[replay.pending[i]] =
                is_alike(one, &disk.events[replay.pending[i]]) == part % 2;
        return 1;
    }
    part -= 2 * n;
    if (part < n) { /* all but the first ones */
        for (i = 0; i < n; i++)
            replay.is_on[replay.pending[i]] = i > part;
        return 1;
    }
    part -= n;
    if (n > 0 && part < replay.random) {
        set_random();
        return 1;
    }
    return 0;
}

/* 1 if this part says the same as an earlier one: of one file, its first event stands for all. */
static int is_repeated(int part)
{
    int n = replay.npending, i;

    part -= 2;
    if (part < 0 || part >= 2 * n)
        return 0;
    for (i = 0; i < part / 2; i++) {
        if (is_alike(&disk.events[replay.pending[part / 2]], &disk.events[replay.pending[i]]))
            return 1;
    }
    return 0;
}

/* The power fails after n events. What is wrong, or NULL. */
static const char *fail_after(int n, int *part)
{
    const char *wrong = NULL;

    find_pending(n);
    for (*part = 0; !wrong && set_part(*part); ++*part) {
        if (!is_repeated(*part))
            wrong = judge(n);
    }
    return wrong;
}

/* Whether the state can differ from that of the prefix before. */
static int is_news(int n)
{
    return n == 0 || n == disk.nevents || disk.events[n].kind == SYNC ||
           disk.events[n].kind == SYNC_FOLDER || disk.events[n].kind == NAME ||
           disk.events[n - 1].kind == TELL || disk.events[n - 1].kind == NAME ||
           disk.events[n - 1].kind == SYNC || disk.events[n - 1].kind == SYNC_FOLDER;
}

static const char *fail_everywhere(int every, char *where, size_t size)
{
    const char *wrong = NULL;
    int n, part, seen = 0;

    for (n = 0; n <= disk.nevents && !wrong; n++) {
        if (every == 0 ? !is_news(n) : seen++ % every != 0)
            continue;
        wrong = fail_after(n, &part);
        if (wrong)
            snprintf(where, size, "%s, %s, after %d of %d events, part %d: %.200s", scenario->name,
                     scenario->mode ? scenario->mode : "", n, disk.nevents, part, wrong);
    }
    return wrong ? where : NULL;
}

/* What may be there or not, for a state that is judged wrong. */
static void print_pending(void)
{
    static const char *const kinds[] = {"write", "cut", "permissions", "name", "remove", "",
                                        "",      ""};
    int i;

    for (i = 0; i < replay.npending; i++) {
        const struct event *event = &disk.events[replay.pending[i]];

        printf("#   %s: event %d, %s %s, file %d, at %lld, %zu bytes\n",
               replay.is_on[replay.pending[i]] ? "there" : "not there", replay.pending[i],
               kinds[event->kind], event->name ? event->name : "", event->node,
               (long long)event->offset, event->bytes);
    }
    printf("#   message: %s\n", support_message);
}

/* ---- scenarios ---- */

static void record_scenario(void)
{
    remove_tree("../run");
    if (chdir("../run") != 0)
        abort();
    support_catch();
    if (scenario->prepare)
        scenario->prepare();
    disk_begin();
    scenario->run();
    disk_end();
    if (chdir("../crash") != 0)
        abort();
    free(replay.is_on);
    free(replay.pending);
    replay.is_on = malloc((size_t)disk.nevents + 1);
    replay.pending = malloc(((size_t)disk.nevents + 1) * sizeof *replay.pending);
}

static void note_sites(void)
{
    int i, k;

    for (i = 0; i < disk.nevents; i++) {
        const struct event *event = &disk.events[i];

        if (event->kind != SYNC && event->kind != SYNC_FOLDER)
            continue;
        for (k = 0; k < replay.nsites && replay.sites[k].site != event->site; k++)
            ;
        if (k < replay.nsites || k == (int)(sizeof replay.sites / sizeof *replay.sites))
            continue;
        replay.sites[k].site = event->site;
        replay.sites[k].scenario = scenario->name;
        replay.sites[k].example = event->kind == SYNC ? "file" : "folder";
        memcpy(replay.sites[k].frames, event->frames, sizeof event->frames);
        replay.nsites++;
    }
}

static int has_site(uint64_t site)
{
    int i;

    for (i = 0; i < disk.nevents; i++) {
        if ((disk.events[i].kind == SYNC || disk.events[i].kind == SYNC_FOLDER) &&
            disk.events[i].site == site)
            return 1;
    }
    return 0;
}

static int count_syncs(void)
{
    int n = 0, i;

    for (i = 0; i < disk.nevents; i++)
        n += disk.events[i].kind == SYNC || disk.events[i].kind == SYNC_FOLDER;
    return n;
}

/* What holds at any power failure. */
static void try_scenario(int is_full)
{
    char where[400];
    long before = replay.states;

    record_scenario();
    note_sites();
    replay.left_out = 0;
    replay.random = is_full ? 20 : 1;
    if (fail_everywhere(is_full ? 1 : 0, where, sizeof where)) {
        printf("# %s\n", where);
        print_pending();
        CHECK_STR(where, "what was promised is there after each power failure");
    }
    replay.table[replay.nrows].name = scenario->name;
    replay.table[replay.nrows].states = replay.states - before;
    replay.table[replay.nrows].prefixes = disk.nevents;
    replay.table[replay.nrows++].syncs = count_syncs();
}

/* Which syncs the scenario needs. */
static void try_without(void)
{
    char where[400];
    int k;

    record_scenario();
    replay.random = 2;
    for (k = 0; k < replay.nsites; k++) {
        if (replay.sites[k].is_needed || !has_site(replay.sites[k].site))
            continue;
        replay.left_out = replay.sites[k].site;
        replay.sites[k].is_needed = fail_everywhere(0, where, sizeof where) != NULL;
    }
    replay.left_out = 0;
}

/* addr2line -e PROGRAM takes these numbers. */
static void print_site(const struct site *site)
{
    extern char __executable_start;
    int i;

    printf("# %sneeded: sync of a %s in %s:", site->is_needed ? "" : "not ", site->example,
           site->scenario);
    for (i = OWN_FRAMES; i < FRAMES && site->frames[i]; i++)
        printf(" %#lx", (unsigned long)((char *)site->frames[i] - &__executable_start));
    printf("\n");
}

/* One that is not needed in these scenarios may be in those of another program. */
static void find_needed(const struct scenario *scenarios, int n)
{
    int i, needed = 0;

    for (i = 0; i < n; i++) {
        scenario = &scenarios[i];
        try_without();
    }
    for (i = 0; i < replay.nsites; i++) {
        needed += replay.sites[i].is_needed;
        print_site(&replay.sites[i]);
    }
    CHECK(needed > 0);
}

static int replay_main(const struct scenario *scenarios, int n, int argc, char **argv)
{
    int is_full = argc > 1 && strcmp(argv[1], "full") == 0, i;

    check_seed(1);
    support_enter_folder();
    if (mkdir("run", 0755) != 0 || mkdir("crash", 0755) != 0 || chdir("crash") != 0)
        return 99;
    for (i = 0; i < n; i++) {
        scenario = &scenarios[i];
        check_failed_here = 0;
        try_scenario(is_full);
        printf("# %s: %ld states, %d events, %d syncs\n", scenario->name, replay.table[i].states,
               replay.table[i].prefixes, replay.table[i].syncs);
        check_report(scenario->name);
    }
    if (is_full) {
        check_failed_here = 0;
        find_needed(scenarios, n);
        check_report("a sync that is left out is noticed");
    }
    printf("# %ld states\n", replay.states);
    if (chdir("..") == 0) {
        remove_tree(".");
        support_leave_folder();
    }
    return check_done();
}

#endif
