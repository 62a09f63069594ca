/* Times of several runs, and the table of their medians. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"
#include "methods.h"

static double *need_values(const struct bench *bench)
{
    double *values = calloc((size_t)bench->options.repeats, sizeof *values);

    if (!values)
        bench_fail(bench, "out of memory for %d times", bench->options.repeats);
    return values;
}

void bench_make_series(const struct bench *bench, struct bench_series *series, const char *name)
{
    int writing, phase;

    series->name = name;
    for (writing = 0; writing < 2; writing++)
        for (phase = 0; phase <= BENCH_PHASES; phase++)
            series->seconds[writing][phase] = need_values(bench);
}

void bench_free_series(struct bench_series *series)
{
    int writing, phase;

    for (writing = 0; writing < 2; writing++)
        for (phase = 0; phase <= BENCH_PHASES; phase++)
            free(series->seconds[writing][phase]);
}

double bench_lap_of_all(const struct bench *bench, double *start)
{
    double mine = bench_lap(start), most = 0;

    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, bench->all);
    MPI_Barrier(bench->all);
    bench_lap(start);
    return most;
}

void bench_note(struct bench_series *series, int writing, int repeat,
                const double seconds[BENCH_PHASES])
{
    int phase;

    for (phase = 0; phase < BENCH_PHASES; phase++) {
        series->seconds[writing][phase][repeat] = seconds[phase];
        series->seconds[writing][BENCH_PHASES][repeat] += seconds[phase];
    }
}

/* ---- output ---- */

/* One direction of a method: seconds of the phases, MiB/s in total, and its ratio to the first. */
struct row {
    const char *set, *name, *direction;
    double seconds[BENCH_PHASES], rate, ratio;
};

static void print_table(const struct row *row, int count)
{
    int i;

    printf("%-22s %-5s %10s %10s %10s %10s %10s %7s\n", row->set, "", "open s", "move s", "close s",
           "sync s", "MiB/s", "ratio");
    for (i = 0; i < count; i++)
        printf("%-22s %-5s %10.6f %10.6f %10.6f %10.6f %10.1f %7.2f\n", row[i].name,
               row[i].direction, row[i].seconds[BENCH_PHASE_OPEN], row[i].seconds[BENCH_PHASE_MOVE],
               row[i].seconds[BENCH_PHASE_CLOSE], row[i].seconds[BENCH_PHASE_SYNC], row[i].rate,
               row[i].ratio);
}

static void print_csv(const struct row *row, int count)
{
    int i;

    printf("set,method,direction,open,move,close,sync,mib_per_second,ratio\n");
    for (i = 0; i < count; i++)
        printf("%s,\"%s\",%s,%.6f,%.6f,%.6f,%.6f,%.1f,%.3f\n", row[i].set, row[i].name,
               row[i].direction, row[i].seconds[BENCH_PHASE_OPEN], row[i].seconds[BENCH_PHASE_MOVE],
               row[i].seconds[BENCH_PHASE_CLOSE], row[i].seconds[BENCH_PHASE_SYNC], row[i].rate,
               row[i].ratio);
}

static void print_json(const struct row *row, int count)
{
    int i;

    printf("{\"set\": \"%s\", \"rows\": [\n", row->set);
    for (i = 0; i < count; i++)
        printf("  {\"method\": \"%s\", \"direction\": \"%s\", \"open\": %.6f, \"move\": %.6f, "
               "\"close\": %.6f, \"sync\": %.6f, \"mib_per_second\": %.1f, \"ratio\": %.3f}%s\n",
               row[i].name, row[i].direction, row[i].seconds[BENCH_PHASE_OPEN],
               row[i].seconds[BENCH_PHASE_MOVE], row[i].seconds[BENCH_PHASE_CLOSE],
               row[i].seconds[BENCH_PHASE_SYNC], row[i].rate, row[i].ratio,
               i + 1 < count ? "," : "");
    printf("]}\n");
}

static void fill_row(struct row *row, const char *set, struct bench_series *series, int writing,
                     int repeats, double mib)
{
    int phase;

    row->set = set;
    row->name = series->name;
    row->direction = writing ? "write" : "read";
    for (phase = 0; phase < BENCH_PHASES; phase++)
        row->seconds[phase] = bench_median(series->seconds[writing][phase], repeats);
    row->rate = mib / bench_median(series->seconds[writing][BENCH_PHASES], repeats);
}

/* The median of the ratios of each repeat, whose runs suffer the same disturbances. The values keep
   their order. */
static double ratio_to(const struct bench *bench, const struct bench_series *first,
                       const struct bench_series *series, int writing)
{
    double *ratios = need_values(bench), ratio;
    int i, repeats = bench->options.repeats;

    for (i = 0; i < repeats; i++)
        ratios[i] =
            first->seconds[writing][BENCH_PHASES][i] / series->seconds[writing][BENCH_PHASES][i];
    ratio = bench_median(ratios, repeats);
    free(ratios);
    return ratio;
}

void bench_print_series(const struct bench *bench, const char *set, long long bytes,
                        struct bench_series *series, int count)
{
    const char *format = bench->options.output;
    struct row *rows = calloc(2 * (size_t)count, sizeof *rows);
    int i, writing, n = 0;

    if (!rows)
        bench_fail(bench, "out of memory for a table");
    for (writing = 1; writing >= 0; writing--) {
        for (i = 0; i < count; i++, n++)
            rows[n].ratio = ratio_to(bench, &series[0], &series[i], writing);
    }
    for (writing = 1, n = 0; writing >= 0; writing--) {
        for (i = 0; i < count; i++, n++)
            fill_row(&rows[n], set, &series[i], writing, bench->options.repeats,
                     (double)bytes / 1048576);
    }
    (strcmp(format, "csv") == 0    ? print_csv
     : strcmp(format, "json") == 0 ? print_json
                                   : print_table)(rows, n);
    free(rows);
}
