/*
 * Stands in for the calls of SCR 3 in examples/scr3.c: files stay where they are, and a restart
 * uses the last completed dataset. The call that the environment variable STUB_FAILS names fails.
 */
#ifndef TEST_SCR_STUB_H
#define TEST_SCR_STUB_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SCR_MAX_FILENAME    1024
#define SCR_SUCCESS         0
#define STUB_FAILURE        1
#define SCR_FLAG_CHECKPOINT 1

static char stub_dataset[SCR_MAX_FILENAME];

static inline int stub_result(const char *call)
{
    const char *failing = getenv("STUB_FAILS");

    return failing && strcmp(failing, call) == 0 ? STUB_FAILURE : SCR_SUCCESS;
}

static inline int SCR_Init(void)
{
    return stub_result(__func__);
}

static inline int SCR_Finalize(void)
{
    return stub_result(__func__);
}

static inline int SCR_Have_restart(int *flag, char *name)
{
    FILE *current = fopen("current", "r");

    *flag = current && fscanf(current, "%1023s", name) == 1;
    if (current)
        fclose(current);
    return stub_result(__func__);
}

static inline int SCR_Start_restart(char *name)
{
    (void)name;
    return stub_result(__func__);
}

static inline int SCR_Complete_restart(int valid)
{
    return valid ? stub_result(__func__) : STUB_FAILURE;
}

static inline int SCR_Start_output(const char *name, int flags)
{
    (void)flags;
    snprintf(stub_dataset, sizeof stub_dataset, "%s", name);
    mkdir(name, 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    return stub_result(__func__);
}

static inline int SCR_Route_file(const char *name, char *path)
{
    strcpy(path, name);
    return stub_result(__func__);
}

static inline int SCR_Complete_output(int valid)
{
    FILE *current = valid ? fopen("current", "w") : NULL;

    if (current) {
        fprintf(current, "%s", stub_dataset);
        fclose(current);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return valid ? stub_result(__func__) : STUB_FAILURE;
}

#endif
