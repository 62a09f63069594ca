/* siondump: compressed streams. */
#include <stdio.h>

#include "lib/tool.h"
#include "siondump/parts.h"

void dump_zips(const struct input *plain, int tasks)
{
    struct scion_zipped_facts facts;
    char text[ZIPS_TEXT];
    int task;

    if (!zips_of_all(plain, &facts))
        return;
    if (!tasks) {
        tool_line(stdout, TOOL_LABEL, "compression:", "%s", zips_text(text, &facts));
        tool_line(stdout, TOOL_LABEL,
                  "plain bytes:", "%lld in %lld frames, %.2f times the stored %lld", facts.plain,
                  facts.frames, zips_ratio(&facts), facts.stored);
        return;
    }
    printf("siondump: compressed streams, their plain bytes:\n");
    for (task = 0; task < plain->ntasks; task++) {
        if (!zips_of_task(plain, task, &facts))
            continue;
        printf("Stream %02d: size=%10lld B stored=%10lld B ratio=%6.2f frames=%lld\n", task,
               facts.plain, facts.stored, zips_ratio(&facts), facts.frames);
    }
    dump_rule();
}
