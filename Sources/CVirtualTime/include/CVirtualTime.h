#pragma once
// Functions of the Swift runtime that virtual time needs and Swift does not export
// (docs/decisions/0012-virtual-time.md).

#include <stdint.h>

/// The executor whose job runs on the calling thread; null on every other thread.
void *virtual_time_current_executor(void);
void virtual_time_set_current_executor(void *executor);

/// Runs a job that asked for the global executor, on this thread, now.
void virtual_time_run_job(void *job);

/// The number of the job's task, never used twice in a process; 0 for a job of no task.
uint64_t virtual_time_task_of_job(void *job);

/// The number of the task that runs on this thread; 0 outside tasks.
uint64_t virtual_time_current_task(void);

/// How the runtime lays out its tasks; 0 for what it does not say.
struct virtual_time_layout {
  uint32_t pointer, version, task;
  int escalates;
};

struct virtual_time_layout virtual_time_layout_of_runtime(void);

/// Whether tasks of this layout can be read.
int virtual_time_knows(struct virtual_time_layout layout);

/// The job's task, held so that it can be looked at; 0 where the job is no task, or where the
/// runtime's tasks look different from those that are known here.
uintptr_t virtual_time_hold_task(void *job);
/// The same for the task that runs on this thread.
uintptr_t virtual_time_hold_current_task(void);
void virtual_time_let_go_of_task(uintptr_t task);

/// Waits until a task, which another thread may run, has suspended.
void virtual_time_await_suspension(uintptr_t task);

/// Why a task does not run in line.
enum virtual_time_wait {
  /// It has ended.
  VIRTUAL_TIME_DONE,
  /// It runs on another executor, or waits for its turn there.
  VIRTUAL_TIME_ELSEWHERE,
  /// Somebody has to resume its continuation.
  VIRTUAL_TIME_CONTINUATION,
  /// It waits for another task, or for a group.
  VIRTUAL_TIME_TASK,
};

enum virtual_time_wait virtual_time_wait_of_task(uintptr_t task);

/// The functions that go on when a suspended task does, innermost first; returns how many.
int virtual_time_functions_of_task(uintptr_t task, uintptr_t *functions, int capacity);

/// Writes the name of the function at an address, as it is in the symbol table of its file, and
/// returns 1; returns 0 where it has none there.
int virtual_time_symbol(uintptr_t address, char *name, int capacity);

/// The name as it was written in Swift, to be freed; null where it is none of Swift's.
char *virtual_time_demangled(const char *symbol);
