/*
 * Drives one fuzz target (fuzz.h). With -DFUZZER it has what libFuzzer calls; AFL++ has the same
 * interface, but no mutator of ours, so that -DFUZZER_SEALS lets the target read each input twice,
 * as it is and with right checksums.
 *
 * Otherwise it is a test, which changes the inputs at random for a short time:
 *
 *     PROGRAM                  the test; it prints the random seed
 *     PROGRAM --seeds FOLDER   write the inputs to begin with into a folder
 *     PROGRAM FILE ...         read these inputs, such as one that libFuzzer has found
 */
#include "fuzz.h"

#include "base/error.h"
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ignore(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)text, (void)user;
}

/* Those that the functions of a layer have left for the interface above it. */
static void drop_warnings(void)
{
    char *text;

    while ((text = scion_warning_take()))
        free(text);
}

static void run(const uint8_t *bytes, size_t size)
{
    fuzz_target.run(bytes, size);
    drop_warnings();
}

#if !defined FUZZER || defined FUZZER_SEALS
/* In memory of exactly this size, for sanitizers; libFuzzer's inputs are in such memory. */
static void run_copy(const uint8_t *bytes, size_t size, int seal)
{
    uint8_t *exact = malloc(size + !size);

    FUZZ_CHECK(exact != NULL);
    if (size > 0)
        memcpy(exact, bytes, size);
    if (seal && fuzz_target.seal)
        fuzz_target.seal(exact, size);
    run(exact, size);
    free(exact);
}
#endif

uint8_t *fuzz_golden(const char *name, size_t *size)
{
    uint8_t *bytes = support_load(support_golden(name), size);

    if (!bytes)
        perror(name);
    FUZZ_CHECK(bytes != NULL);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int is_quiet;

    if (!is_quiet)
        sion_error_set_handler(ignore, NULL);
    is_quiet = 1;
#if defined FUZZER && !defined FUZZER_SEALS
    run(bytes, size);
#else
    run_copy(bytes, size, 0);
#endif
#ifdef FUZZER_SEALS
    if (fuzz_target.seal)
        run_copy(bytes, size, 1);
#endif
    return 0;
}

/* Changes `size` bytes, at most `most` afterwards. */
typedef size_t mutator(uint8_t *bytes, size_t size, size_t most);

/* At least this many bytes, until the next call: they are not allocated for each change. */
static inline uint8_t *room_for(size_t bytes)
{
    static uint8_t *room;
    static size_t most;

    if (bytes > most) {
        free(room);
        room = malloc(bytes);
        most = bytes;
    }
    FUZZ_CHECK(room != NULL);
    return room;
}

/* Most changes are made in the focus; seven of eight inputs get right checksums. */
static inline size_t mutate(mutator *change, uint8_t *bytes, size_t size, size_t most,
                            unsigned dice)
{
    size_t from = 0, end = size, inner, length;
    uint8_t *piece;

    if (fuzz_target.focus && dice % 4 != 0)
        from = fuzz_target.focus(bytes, size, dice >> 5, &end);
    inner = end - from;
    length = most - (size - inner);
    FUZZ_CHECK(from <= end && end <= size && size <= most);
    piece = room_for(length + 1);
    memcpy(piece, bytes + from, inner);
    length = change(piece, inner, length);
    if (fuzz_target.resized)
        fuzz_target.resized(bytes, size, from, (long)length - (long)inner);
    memmove(bytes + from + length, bytes + end, size - end);
    memcpy(bytes + from, piece, length);
    size = size - inner + length;
    if (fuzz_target.seal && dice / 4 % 8 != 0)
        fuzz_target.seal(bytes, size);
    return size;
}

#ifdef FUZZER
#ifndef FUZZER_SEALS
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    if (fuzz_target.most > 0 && most > fuzz_target.most)
        most = fuzz_target.most;
    return mutate(LLVMFuzzerMutate, bytes, size < most ? size : most, most, seed >> 3);
}
#endif
#else
enum { INPUT_MOST = 1 << 17 };

static const char *folder; /* for inputs; NULL: they are changed and read */
static int inputs;

/* A few changes: bytes, numbers, parts that are missing, repeated or moved. */
static size_t change(uint8_t *bytes, size_t size, size_t most)
{
    static const int64_t numbers[] = {0,       1,         -1,       0x7fffffff, -0x7fffffff - 1,
                                      0x10000, INT64_MAX, 1LL << 32};
    size_t n = 1 + check_below(4);

    for (; n > 0 && size > 0; n--) {
        size_t at = check_below(size), from = check_below(size),
               run = 1 + check_below(size - (at > from ? at : from));
        size_t width = check_below(2) ? 4 : 8;

        switch (check_below(8)) {
        case 0:
        case 1:
            bytes[at] = (uint8_t)check_random();
            break;
        case 2:
            bytes[at] ^= (uint8_t)(1 << check_below(8));
            break;
        case 3:
        case 4:
            at -= at % 4;
            if (at + width <= size)
                memcpy(bytes + at, &numbers[check_below(8)], width);
            break;
        case 5:
            memmove(bytes + at, bytes + from, run);
            break;
        case 6:
            if (size + run <= most)
                memmove(bytes + at + run, bytes + at, size - at), size += run;
            break;
        default:
            size -= check_below(size) / (check_below(2) ? 1 : 16);
        }
    }
    return size;
}

static void read_changed(const uint8_t *bytes, size_t size)
{
    uint8_t *changed = malloc(INPUT_MOST + 1);
    int round;

    FUZZ_CHECK(changed != NULL);
    LLVMFuzzerTestOneInput(bytes, size);
    for (round = 0; round < fuzz_target.rounds; round++) {
        memcpy(changed, bytes, size);
        LLVMFuzzerTestOneInput(changed,
                               mutate(change, changed, size, INPUT_MOST, (unsigned)check_random()));
    }
    free(changed);
}

static void take(const void *bytes, size_t size)
{
    char path[4096];

    FUZZ_CHECK(size <= INPUT_MOST);
    inputs++;
    snprintf(path, sizeof path, "%s/%03d", folder ? folder : "", inputs);
    if (folder)
        support_store(path, bytes, size);
    else
        read_changed(bytes, size);
}

static void take_all(void)
{
    const char *const *sample = fuzz_target.samples;

    for (; sample && *sample; sample++) {
        size_t size = 0;
        uint8_t *bytes = fuzz_golden(*sample, &size);

        take(bytes, size);
        free(bytes);
    }
    if (fuzz_target.make)
        fuzz_target.make(take);
    CHECK(inputs > 0);
}

static void changed_inputs_do_no_harm(void)
{
    check_seed(20261122);
    take_all();
    printf("# %d inputs, each changed %d times\n", inputs, fuzz_target.rounds);
}

static int read_files(char **paths)
{
    for (; *paths; paths++) {
        size_t size = 0;
        uint8_t *bytes = support_load(*paths, &size);

        if (!bytes) {
            perror(*paths);
            return 1;
        }
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
        folder = argv[2];
        take_all();
        return inputs == 0;
    }
    if (argc > 1)
        return read_files(argv + 1);
    RUN(changed_inputs_do_no_harm);
    return check_done();
}
#endif
