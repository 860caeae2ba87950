// What the thread sanitizer does not see of a Mutex of the standard library: where two threads want it at once, the
// library takes it (in code that is not built for the sanitizer), or the kernel hands it on. Linked in by
// Scripts/sanitize.sh, with `--wrap` for both functions.
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);
SWIFT void real_lock(uint32_t thread, SELF void *mutex) __asm__("__real_" LOCK);
SWIFT void real_unlock(SELF void *mutex) __asm__("__real_" UNLOCK);
SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__("__wrap_" LOCK);
SWIFT void unlock(SELF void *mutex) __asm__("__wrap_" UNLOCK);

SWIFT void lock(uint32_t thread, SELF void *mutex) {
  real_lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock(SELF void *mutex) {
  __tsan_release(mutex);
  real_unlock(mutex);
}
