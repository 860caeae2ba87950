#pragma once
// The few doors of the Swift runtime that virtual time needs and Swift does not open
// (docs/decisions/0012-virtual-time.md).

#include <stdint.h>

/// The line of work that the calling thread is busy with; null on every other thread.
void *virtual_time_current_line(void);
void virtual_time_set_current_line(void *line);

/// Runs a job that asked for the global executor, on this thread, now.
void virtual_time_run_job(void *job);

/// The number of the job's task, never used twice in a process.
uint64_t virtual_time_task_of_job(void *job);

/// The number of the task that runs on this thread; 0 outside tasks.
uint64_t virtual_time_current_task(void);
