#include <stdio.h>

#include "sion_common.h"

#include "siondump.h"
#include "tool.h"

enum { RECORDS_PER_LINE = 5 };

static int is_keyval(const struct input *input)
{
    if (sion_get_keyval_mode(input->sid) == SION_KEYVAL_INLINE)
        return 1;
    fprintf(stderr, "on rank %d: error sid = %d\n", input->ntasks, input->sid);
    return 0;
}

/* What is wrong with a task's records, the library has said. */
static int select_task(const struct input *input, int task)
{
    return sion_seek(input->sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) &&
                   sion_key_full_scan(input->sid)
               ? TOOL_RUN
               : TOOL_FAILED;
}

static void print_statistic(const struct input *input, int task)
{
    sion_key_stat_t keystat;
    uint64_t key;
    int n = 0;

    sion_key_list_iterator_reset(input->sid);
    while (sion_key_list_iterator_next(input->sid, &key)) {
        sion_key_get_stat(input->sid, key, &keystat);
        printf("Task %02d: key[%02d]=%8lld: #blocks=%6lld totalsize=%10lld\n", task, n++,
               (long long)key, keystat.num_blocks, keystat.total_size);
    }
}

static void print_records(const struct input *input, int task)
{
    uint64_t key;
    size_t bytes;
    int n;

    printf("Task %02d:", task);
    sion_fread_key_iterator_reset(input->sid);
    for (n = 0; sion_fread_key_iterator_next(input->sid, &key, &bytes); n++) {
        if (n > 0 && n % RECORDS_PER_LINE == 0)
            printf("\n       :");
        printf(" [%02d:k=<%lld>,size=%zu]", n, (long long)key, bytes);
    }
    putchar('\n');
}

static int dump_tasks(const struct input *input, void (*print)(const struct input *input, int task))
{
    int task, status = TOOL_FAILED;

    if (is_keyval(input)) {
        dump_rule();
        status = TOOL_RUN;
        for (task = 0; task < input->ntasks && status == TOOL_RUN; task++) {
            status = select_task(input, task);
            if (status == TOOL_RUN)
                print(input, task);
        }
    }
    dump_rule();
    return status;
}

int dump_key_statistic(const struct input *input)
{
    return dump_tasks(input, print_statistic);
}

int dump_key_list(const struct input *input)
{
    return dump_tasks(input, print_records);
}
