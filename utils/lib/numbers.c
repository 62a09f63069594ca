#include "lib/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void numbers_free(struct numbers *numbers)
{
    free(numbers->run);
    *numbers = (struct numbers){NULL, 0};
}

/* Digits only: strtoull() would take a sign and blanks. */
static int read_number(const char **at, uint64_t *number)
{
    char *end;

    if (**at < '0' || **at > '9')
        return 0;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static int read_run(const char **at, struct numbers_run *run)
{
    if (!read_number(at, &run->first))
        return 0;
    run->last = run->first;
    if (**at != '-')
        return 1;
    ++*at;
    return read_number(at, &run->last) && run->last >= run->first;
}

static int read_runs(struct numbers *numbers, const char *text)
{
    for (;; text++) {
        if (!read_run(&text, &numbers->run[numbers->count++]))
            return 0;
        if (*text != ',')
            return *text == '\0';
    }
}

static int compare(const void *left, const void *right)
{
    const struct numbers_run *a = left, *b = right;

    return (a->first > b->first) - (a->first < b->first);
}

/* In order, and runs that touch as one. */
static void tidy(struct numbers *numbers)
{
    size_t kept = 0, i;

    qsort(numbers->run, numbers->count, sizeof *numbers->run, compare);
    for (i = 1; i < numbers->count; i++) {
        struct numbers_run *before = &numbers->run[kept], *next = &numbers->run[i];

        if (next->first > before->last && next->first - before->last > 1)
            numbers->run[++kept] = *next;
        else if (next->last > before->last)
            before->last = next->last;
    }
    numbers->count = kept + 1;
}

int numbers_read(const struct tool_option *option, const char *text, void *into)
{
    const char *as_given = tool_spelling(option);
    struct numbers *numbers = into;
    size_t runs = 1;
    uint64_t wrong;
    const char *at;

    numbers_free(numbers);
    for (at = text; *at; at++)
        runs += *at == ',';
    numbers->run = scion_array(runs, sizeof *numbers->run);
    if (!numbers->run) {
        tool_error("out of memory for the list of %s", as_given);
        return TOOL_FAILED;
    }
    if (!read_runs(numbers, text)) {
        tool_error("%s takes numbers such as 3,5-8, not '%s'", as_given, text);
        numbers_free(numbers);
        return TOOL_USAGE;
    }
    tidy(numbers);
    if (option->number > 0 && !numbers_are_below(numbers, (uint64_t)option->number + 1, &wrong)) {
        tool_error("%s takes numbers up to %d, not '%s'", as_given, option->number, text);
        numbers_free(numbers);
        return TOOL_USAGE;
    }
    return TOOL_RUN;
}

int numbers_have(const struct numbers *numbers, uint64_t number)
{
    size_t low = 0, high = numbers->count;

    if (!numbers->run)
        return 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (numbers->run[middle].last < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < numbers->count && numbers->run[low].first <= number;
}

int numbers_are_below(const struct numbers *numbers, uint64_t end, uint64_t *wrong)
{
    const struct numbers_run *last = numbers->run ? numbers->run + numbers->count - 1 : NULL;

    if (!last || last->last < end)
        return 1;
    while (last > numbers->run && last[-1].last >= end)
        last--;
    *wrong = last->first < end ? end : last->first;
    return 0;
}

int numbers_check(const struct numbers *tasks, int ntasks)
{
    uint64_t wrong;

    if (numbers_are_below(tasks, (uint64_t)ntasks, &wrong))
        return TOOL_RUN;
    tool_error("task number %llu out of range 0 .. %d , aborting ...", (unsigned long long)wrong,
               ntasks - 1);
    return TOOL_FAILED;
}
