/* The advice of sionls about file systems that this machine lacks, and about containers in them. */
#include <string.h>

#include "check.h"
#include "sionls/advice.h"

static char text[4096];

/* The output from the line on that begins with this text; NULL if none does. */
static const char *folder_advice(const struct scion_storage *storage, const char *folder)
{
    FILE *to = fmemopen(text, sizeof text, "w");

    CHECK(to);
    advice_print(to, folder, storage);
    fclose(to);
    return text;
}

static void advice_for_lustre_is_to_use_all_targets(void)
{
    const struct scion_storage storage = {.kind = SCION_STORAGE_LUSTRE,
                                          .name = "Lustre",
                                          .stripe_size = 4 << 20,
                                          .stripe_count = 1,
                                          .fsblksize = 4 << 20};

    CHECK_STR(folder_advice(&storage, "/scratch/it's"),
              "# /scratch/it's: Lustre, stripes of 4 MiB on 1 target\n"
              "# New containers take blocks of 4 MiB; chunks of a multiple of that waste nothing.\n"
              "fsblksize=4194304\n"
              "# One file over all targets; for files that are made from now on:\n"
              "lfs setstripe -S 4194304 -c -1 '/scratch/it'\\''s'\n"
              "nfiles=1\n"
              "# Or, for more than some ten thousand tasks, a file on each target:\n"
              "#   lfs setstripe -S 4194304 -c 1 '/scratch/it'\\''s'\n"
              "#   nfiles=$(lfs df '/scratch/it'\\''s' | grep -c OST)\n");
}

static void names_with_newlines_stay_in_the_comment(void)
{
    const struct scion_storage storage = {
        .kind = SCION_STORAGE_LUSTRE, .name = "Lustre", .fsblksize = 4096};

    CHECK(strstr(folder_advice(&storage, "/x'y\nrm -rf %s\033"),
                 "\n#   lfs setstripe -S 1048576 -c 1 "
                 "\"$(printf '/x\\047y\\012rm\\040\\055rf\\040\\045s\\033')\"\n"));
    CHECK(!strstr(text, "\nrm"));
}

static void stripes_have_sizes_that_lustre_accepts(void)
{
    struct scion_storage storage = {
        .kind = SCION_STORAGE_LUSTRE, .name = "Lustre", .stripe_count = -1, .fsblksize = 4096};

    CHECK(strstr(folder_advice(&storage, "d"), "setstripe -S 1048576 -c -1 'd'"));
    CHECK(strstr(text, "on all targets\n"));
    storage.stripe_size = 64 << 20; /* larger than the blocks of a container can be */
    storage.fsblksize = 32 << 20;
    CHECK(strstr(folder_advice(&storage, "d"), "setstripe -S 33554432 -c -1 'd'"));
}

static void other_file_systems_have_nothing_to_set(void)
{
    const struct scion_storage gpfs = {
        .kind = SCION_STORAGE_GPFS, .name = "GPFS", .block = 16 << 20, .fsblksize = 16 << 20};
    const struct scion_storage ext4 = {.kind = SCION_STORAGE_OTHER,
                                       .name = "other",
                                       .type = 0xef53,
                                       .block = 4096,
                                       .fsblksize = 4096};

    CHECK(strstr(folder_advice(&gpfs, "/gpfs"), "# /gpfs: GPFS, blocks of 16 MiB\n"));
    CHECK(strstr(text, "fsblksize=16777216\n"));
    CHECK(!strstr(text, "lfs"));
    CHECK(strstr(folder_advice(&ext4, "/home\n2"),
                 "# /home\\n2: file system of type 0xef53, blocks of 4 KiB\n"));
    CHECK(strstr(text, "fsblksize=4096\n"));
}

static const char *container_advice(struct input input, int fsblksize)
{
    const struct scion_storage storage = {.fsblksize = fsblksize};
    FILE *to = fmemopen(text, sizeof text, "w");

    CHECK(to);
    input.name = "a b";
    advice_print_container(to, &input, &storage);
    fclose(to);
    return text;
}

static void containers_that_could_be_better_get_a_command(void)
{
    const char *command = "\nsiondefrag -q 4096 'a b' 'a b.new'\n";

    CHECK(strstr(
        container_advice((struct input){.ntasks = 2, .maxchunks = 1, .fsblksize = 512}, 4096),
        command));
    CHECK(strstr(text, "share blocks"));
    CHECK(strstr(
        container_advice((struct input){.ntasks = 2, .maxchunks = 3, .fsblksize = 8192}, 4096),
        command));
    CHECK(!strstr(text, "share blocks"));
    CHECK(strstr(text, "keep the data of each task together"));
    container_advice((struct input){.ntasks = 2, .maxchunks = 1, .fsblksize = 8192}, 4096);
    CHECK_STR(text,
              "# a b: 2 tasks, blocks of 8 KiB, at most 1 chunk a task\n# It is good as it is.\n");
    container_advice((struct input){.ntasks = 1, .maxchunks = 1, .fsblksize = 512}, 4096);
    CHECK(strstr(text, "good as it is")); /* no other task to share with */
}

int main(void)
{
    RUN(advice_for_lustre_is_to_use_all_targets);
    RUN(names_with_newlines_stay_in_the_comment);
    RUN(stripes_have_sizes_that_lustre_accepts);
    RUN(other_file_systems_have_nothing_to_set);
    RUN(containers_that_could_be_better_get_a_command);
    return check_done();
}
