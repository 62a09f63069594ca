/* Keys and their records. */
#include <stdio.h>

#include "sion_common.h"

#include "lib/keys.h"
#include "lib/records.h"
#include "lib/tool.h"
#include "siondump/parts.h"

enum { RECORDS_PER_LINE = 5 };

static int print_statistic(struct records *records)
{
    struct key *keys, *key;
    int status = keys_scan(records, &keys), n = 0;

    for (key = keys; key && status == TOOL_RUN; key = key->hh.next)
        printf("Task %02d: key[%02d]=%8lld: #blocks=%6lld totalsize=%10lld\n", records->task, n++,
               (long long)key->key, key->records, key->bytes);
    keys_free(keys);
    return status;
}

static int print_records(struct records *records)
{
    sion_int64 n;
    int status;

    printf("Task %02d:", records->task);
    for (n = 0; (status = records_next(records)) == TOOL_RUN; n++) {
        if (n > 0 && n % RECORDS_PER_LINE == 0)
            printf("\n       :");
        printf(" [%02lld:k=<%lld>,size=%lld]", n, (long long)records->key, records->length);
    }
    putchar('\n');
    return status == TOOL_DONE ? TOOL_RUN : status;
}

static int dump_tasks(const struct input *input, int (*print)(struct records *records))
{
    struct records records;
    struct progress progress;
    int task, status = TOOL_FAILED;

    if (input->keyval != SION_KEYVAL_INLINE) {
        fprintf(stderr, "on rank %d: error sid = %d\n", input->ntasks, input->sid);
    } else {
        progress_start(&progress, input->total, 1);
        dump_rule();
        status = TOOL_RUN;
        for (task = 0; task < input->ntasks; task++) {
            if (input_leaves_out(input, task))
                continue;
            records_start(&records, input, task, &progress);
            if (print(&records) != TOOL_RUN)
                status = TOOL_FAILED;
        }
        progress_end(&progress);
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
