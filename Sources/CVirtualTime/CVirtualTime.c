#include "CVirtualTime.h"

#define SWIFT_CALL __attribute__((swiftcall))

extern SWIFT_CALL void swift_job_run(void *job, void *executor, uintptr_t implementation);
extern SWIFT_CALL uint64_t swift_task_getJobTaskId(void *job);
extern SWIFT_CALL void *swift_task_getCurrent(void);

static __thread void *current_line;

void *virtual_time_current_line(void) { return current_line; }
void virtual_time_set_current_line(void *line) { current_line = line; }

void virtual_time_run_job(void *job) { swift_job_run(job, 0, 0); }
uint64_t virtual_time_task_of_job(void *job) { return swift_task_getJobTaskId(job); }

uint64_t virtual_time_current_task(void) {
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}

// Defined in LocationTesting.
void virtual_time_install(void);

// Before main, while there is one thread and no task.
__attribute__((constructor)) static void install(void) { virtual_time_install(); }
