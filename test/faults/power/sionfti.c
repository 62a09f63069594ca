/* Power failures of sionfti: what it has written is there when it has ended, and before that a name
   has the whole new file, the older one, or none. */
#include <getopt.h>

#include "replay.h"

int sionfti_main(int argc, char **argv);

enum { CLOSED = MOST_TOLD - 1, WORDS = 12 };

/* The command of the scenario, which writes to `folder`. 0: done. */
static int run_command(const char *command, const char *folder)
{
    char line[200], *words[WORDS], *word;
    int out = dup(1), null = open("/dev/null", O_WRONLY), n = 0, rc;

    snprintf(line, sizeof line, command, folder);
    for (word = strtok(line, " "); word; word = strtok(NULL, " "))
        words[n++] = word;
    words[n] = NULL;
    optind = 0;
    fflush(stdout);
    dup2(null, 1);
    rc = sionfti_main(n, words);
    fflush(stdout);
    dup2(out, 1);
    close(out);
    close(null);
    return rc;
}

/* In a folder `in`, the files of one node, of which one has lost its Rank file; and packed ones. */
static void take_samples(void)
{
    static const char *const names[] = {"Ckpt1-Rank0", "Ckpt1-Rank1", "Ckpt1-Rank2", "Ckpt1-Pcof0",
                                        "Ckpt1-Pcof1", "Ckpt1-Pcof2", "Ckpt1-Pcof3"};
    char from[64], to[64];
    size_t i;

    CHECK_INT(mkdir("in", 0755), 0);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(from, sizeof from, "ftiff/master/L2/%s.fti", names[i]);
        snprintf(to, sizeof to, "in/%s.fti", names[i]);
        support_copy(support_golden(from), to);
    }
    CHECK_INT(
        run_command("sionfti pack -o in/packed.sion in/Ckpt1-Rank0.fti in/Ckpt1-Rank1.fti", ""), 0);
}

/* nfiles: of older ones. */
static void prepare(void)
{
    DIR *entries;
    struct dirent *entry;
    char path[300];

    take_samples();
    CHECK(mkdir("wanted", 0755) == 0 && mkdir("out", 0755) == 0);
    CHECK_INT(run_command(scenario->mode, "wanted"), 0);
    entries = opendir("wanted");
    while (scenario->nfiles > 0 && (entry = readdir(entries))) {
        snprintf(path, sizeof path, "out/%s", entry->d_name);
        if (entry->d_name[0] != '.')
            support_store(path, "older", 5);
    }
    closedir(entries);
}

static void run(void)
{
    CHECK_INT(run_command(scenario->mode, "out"), 0);
    disk_tell(CLOSED, 1);
}

static int is_older(const char *path)
{
    size_t size = 0;
    unsigned char *bytes = support_load(path, &size);
    int is = size == 5 && memcmp(bytes, "older", 5) == 0;

    free(bytes);
    return is;
}

static int is_whole(const char *path, const char *wanted)
{
    return strstr(path, ".sion") ? run_command("sionfti check out/packed.sion", "") == 0
                                 : support_same_files(path, wanted);
}

static const char *judge_one(const char *name, int must)
{
    char path[300], wanted[300];

    snprintf(path, sizeof path, "out/%s", name);
    snprintf(wanted, sizeof wanted, "wanted/%s", name);
    if (access(path, F_OK) != 0)
        return must || scenario->nfiles > 0 ? "a file is lost" : NULL;
    if (is_older(path))
        return must ? "the older file is back" : NULL;
    return is_whole(path, wanted) ? NULL : "a file is not whole";
}

static const char *judge_files(const int *told)
{
    DIR *entries = opendir("wanted");
    struct dirent *entry;
    const char *wrong = NULL;

    while (!wrong && (entry = readdir(entries))) {
        if (entry->d_name[0] != '.')
            wrong = judge_one(entry->d_name, told[CLOSED] > 0);
    }
    closedir(entries);
    return wrong;
}

#define RANK0 "in/Ckpt1-Rank0.fti"

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const struct scenario scenarios[] = {
    {"rehash", prepare, run, judge_files, "sionfti rehash -o %s/new.fti " RANK0, 0, 0, 0, 0},
    {"convert", prepare, run, judge_files, "sionfti convert -l 1.6 -o %s/new.fti " RANK0, 0, 0, 0,
     0},
    {"convert over an older file", prepare, run, judge_files,
     "sionfti convert -l 1.6 -o %s/new.fti " RANK0, 0, 1, 0, 0},
    {"restore", prepare, run, judge_files, "sionfti restore %s/Ckpt1-Rank3.fti in", 0, 0, 0, 0},
    {"extract", prepare, run, judge_files, "sionfti extract -o %s " RANK0, 0, 0, 0, 0},
    {"extract over older files", prepare, run, judge_files, "sionfti extract -o %s " RANK0, 0, 1, 0,
     0},
    {"unpack", prepare, run, judge_files, "sionfti unpack -o %s in/packed.sion", 0, 0, 0, 0},
    {"unpack over older files", prepare, run, judge_files, "sionfti unpack -o %s in/packed.sion", 0,
     1, 0, 0},
    {"pack", prepare, run, judge_files, "sionfti pack -o %s/packed.sion " RANK0, 0, 0, 0, 0},
    {"pack over an older file", prepare, run, judge_files, "sionfti pack -o %s/packed.sion " RANK0,
     0, 1, 0, 0},
};

int main(int argc, char **argv)
{
    return replay_main(scenarios, COUNT(scenarios), argc, argv);
}
