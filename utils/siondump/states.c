/* siondump: the states of a container that was published or written on, as far as they are there.
 */
#include <time.h>

#include "lib/message.h"
#include "siondump/parts.h"

static void print_state(const struct scion_state *state)
{
    time_t at = (time_t)(state->time / 1000000000);
    char label[40], when[40] = "";
    struct tm utc;

    snprintf(label, sizeof label, "state %lld:", state->generation);
    if (gmtime_r(&at, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    tool_line(stdout, TOOL_LABEL, label, "%s %s, %lld bytes, tables at %lld",
              state->is_closed ? "closed" : "published", when, state->bytes,
              state->start_of_varheader);
}

/* The tables of the one before are in the file, unless they were written over. */
static void print_older(struct scion_physical *physical)
{
    sion_int64 number;

    for (number = physical->state.generation - 1; number > 0; number--) {
        if (scion_physical_go_back(physical, number) != 0 || physical->state.generation != number)
            break;
        print_state(&physical->state);
    }
}

void dump_states(const struct input *input)
{
    const struct scion_physical *first = scion_container_file(input->container, 0);
    struct scion_physical *physical;

    if (first->state.generation == 0)
        return;
    print_state(&first->state);
    if (scion_physical_read(first->path, &physical) != 0)
        return;
    if (scion_physical_go_back(physical, first->state.generation) == 0)
        print_older(physical);
    scion_physical_close(physical);
}
