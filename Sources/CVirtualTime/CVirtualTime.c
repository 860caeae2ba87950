#include "CVirtualTime.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

extern SWIFT_CALL void swift_job_run(void *job, void *executor, uintptr_t implementation);
extern SWIFT_CALL uint64_t swift_task_getJobTaskId(void *job);
extern SWIFT_CALL size_t swift_task_getJobFlags(void *job);
extern SWIFT_CALL void *swift_task_getCurrent(void);
extern void *swift_retain(void *object);
extern void swift_release(void *object);

static __thread void *current_executor;

void *virtual_time_current_executor(void) { return current_executor; }
void virtual_time_set_current_executor(void *executor) { current_executor = executor; }

void virtual_time_run_job(void *job) { swift_job_run(job, 0, 0); }

enum { job_kind = 0xFF };

uint64_t virtual_time_task_of_job(void *job) {
  return (swift_task_getJobFlags(job) & job_kind) == 0 ? swift_task_getJobTaskId(job) : 0;
}

uint64_t virtual_time_current_task(void) {
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}

// What a task waits for, as debuggers read it.

extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const uint32_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));
extern const bool _swift_concurrency_debug_supportsPriorityEscalation __attribute__((weak));

/// A note that a task keeps about its state; `link` is the target of a dependency.
struct record {
  uint64_t kind;
  struct record *parent;
  void *target;
  void *executor;
  uint64_t dependency;
};

/// The part of a task that is read: 64-bit, without priority escalation, layout version 1.
struct task {
  void *object[2];
  void *scheduler[2];
  uint32_t job_flags, number;
  void *reserved[2];
  uintptr_t resume;
  struct context *context;
  void *more[3];
  _Atomic uint32_t status;
  uint32_t unused;
  struct record *records;
};

_Static_assert(offsetof(struct task, status) == 96, "where the runtime has it");

/// One suspended function, and the function that goes on when it returns.
struct context {
  struct context *parent;
  uintptr_t resume;
};

enum { is_running = 0x800, is_in_line = 0x1000, is_done = 0x2000, is_waiting = 0x4000 };

struct virtual_time_layout virtual_time_layout_of_runtime(void) {
  struct virtual_time_layout layout = {.pointer = sizeof(void *)};
  if (&_swift_concurrency_debug_internal_layout_version)
    layout.version = _swift_concurrency_debug_internal_layout_version;
  if (&_swift_concurrency_debug_asyncTaskSize)
    layout.task = _swift_concurrency_debug_asyncTaskSize;
  layout.escalates = !&_swift_concurrency_debug_supportsPriorityEscalation ||
                     _swift_concurrency_debug_supportsPriorityEscalation;
  return layout;
}

int virtual_time_knows(struct virtual_time_layout layout) {
  return layout.pointer == 8 && layout.version == 1 && layout.task == 208 && !layout.escalates;
}

static bool can_look(void) { return virtual_time_knows(virtual_time_layout_of_runtime()); }

uintptr_t virtual_time_hold_task(void *job) {
  struct task *task = job;
  if (!can_look() || virtual_time_task_of_job(job) == 0) return 0;
  swift_retain(task);
  return (uintptr_t)task;
}

uintptr_t virtual_time_hold_current_task(void) {
  void *task = swift_task_getCurrent();
  return task ? virtual_time_hold_task(task) : 0;
}

void virtual_time_let_go_of_task(uintptr_t task) { swift_release((void *)task); }

enum virtual_time_wait virtual_time_wait_of_task(uintptr_t address) {
  struct task *task = (struct task *)address;
  uint32_t status = atomic_load(&task->status);
  if (status & is_done) return VIRTUAL_TIME_DONE;
  if (status & (is_running | is_in_line)) return VIRTUAL_TIME_ELSEWHERE;
  if (!(status & is_waiting)) return VIRTUAL_TIME_ELSEWHERE;
  struct record *record = task->records;
  while (record && (record->kind & 0xFF) != 0) record = record->parent;
  if (!record || atomic_load(&task->status) != status) return VIRTUAL_TIME_ELSEWHERE;
  switch (record->dependency & 0xFF) {
  case 1: case 3: return VIRTUAL_TIME_TASK;
  case 2: return VIRTUAL_TIME_CONTINUATION;
  default: return VIRTUAL_TIME_ELSEWHERE;
  }
}

void virtual_time_await_suspension(uintptr_t address) {
  struct task *task = (struct task *)address;
  while ((atomic_load(&task->status) & (is_waiting | is_running)) != is_waiting) sched_yield();
}

int virtual_time_functions_of_task(uintptr_t address, uintptr_t *functions, int capacity) {
  struct task *task = (struct task *)address;
  int count = 0;
  if (count < capacity) functions[count++] = task->resume;
  for (struct context *context = task->context; context && count < capacity;
       context = context->parent)
    if (context->resume) functions[count++] = context->resume;
  return count;
}

// Defined in LocationTesting.
void virtual_time_install(void);

// Before main, while there is one thread and no task.
__attribute__((constructor)) static void install(void) { virtual_time_install(); }
