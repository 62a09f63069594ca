/*
 * The calls of SCR 3 that examples/scr3.c makes, as far as it sees them: files stay where they are,
 * and the last dataset that was completed is the one to restart from.
 */
#ifndef TEST_SCR_STUB_H
#define TEST_SCR_STUB_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SCR_MAX_FILENAME 1024
#define SCR_SUCCESS 0
#define SCR_FLAG_CHECKPOINT 1

static char stub_dataset[SCR_MAX_FILENAME];

static inline int SCR_Init(void)
{
    return SCR_SUCCESS;
}

static inline int SCR_Finalize(void)
{
    return SCR_SUCCESS;
}

static inline int SCR_Have_restart(int *flag, char *name)
{
    FILE *current = fopen("current", "r");

    *flag = current && fscanf(current, "%1023s", name) == 1;
    if (current)
        fclose(current);
    return SCR_SUCCESS;
}

static inline int SCR_Start_restart(char *name)
{
    (void)name;
    return SCR_SUCCESS;
}

static inline int SCR_Complete_restart(int valid)
{
    return valid ? SCR_SUCCESS : 1;
}

static inline int SCR_Start_output(const char *name, int flags)
{
    (void)flags;
    snprintf(stub_dataset, sizeof stub_dataset, "%s", name);
    mkdir(name, 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    return SCR_SUCCESS;
}

static inline int SCR_Route_file(const char *name, char *path)
{
    strcpy(path, name);
    return SCR_SUCCESS;
}

static inline int SCR_Complete_output(int valid)
{
    FILE *current = valid ? fopen("current", "w") : NULL;

    if (current) {
        fprintf(current, "%s", stub_dataset);
        fclose(current);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return valid ? SCR_SUCCESS : 1;
}

#endif
