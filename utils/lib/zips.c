#include "lib/zips.h"

#include "file/physical.h"
#include "lib/text.h"

int zips_of_task(const struct input *input, int task, struct scion_zipped_facts *facts)
{
    int file, index;

    scion_container_locate(input->container, task, &file, &index);
    return scion_unzip_view_facts(scion_container_file(input->container, file)->unzip, index,
                                  facts);
}

int zips_of_all(const struct input *input, struct scion_zipped_facts *facts)
{
    struct scion_zipped_facts one;
    int task;

    *facts = (struct scion_zipped_facts){0};
    if (!input_is_zipped(input))
        return 0;
    for (task = 0; task < input->ntasks; task++) {
        if (!zips_of_task(input, task, &one))
            continue;
        if (facts->head.frame == 0)
            facts->head = one.head;
        facts->stored += one.stored;
        facts->plain += one.plain;
        facts->frames += one.frames;
    }
    return 1;
}

const char *zips_text(char text[ZIPS_TEXT], const struct scion_zipped_facts *facts)
{
    char size[TEXT_SIZE], shuffled[24] = "";

    if (facts->head.frame == 0)
        return "zstd, no frames";
    if (facts->head.shuffle > 1)
        snprintf(shuffled, sizeof shuffled, ", shuffle %u", facts->head.shuffle);
    snprintf(text, ZIPS_TEXT, "zstd, frames of %s%s", text_size(size, facts->head.frame), shuffled);
    return text;
}

double zips_ratio(const struct scion_zipped_facts *facts)
{
    return facts->stored > 0 ? (double)facts->plain / (double)facts->stored : 1;
}
