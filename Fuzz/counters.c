// Which of the program's coverage counters libFuzzer gets: it reads all it has after every input, which
// costs more than most decoders where it has those of every module.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// libFuzzer's own, which the linker's --wrap puts these in front of.
void __real___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __real___sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

static uint8_t *counters;

void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) {
  (void)stop;
  counters = start;
}

// A counter has two words in the table of places, at the same index.
static void hand_on(const uintptr_t *places, long first, long end) {
  __real___sanitizer_cov_8bit_counters_init(counters + first, counters + end);
  __real___sanitizer_cov_pcs_init(places + 2 * first, places + 2 * end);
}

// Hands on the ranges of FUZZ_COUNTERS, such as "0-24678 294262-355742", or all where it is not set. Every
// object file calls this with the table of the whole program.
void __wrap___sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  static int done;
  if (done) return;
  done = 1;
  const char *ranges = getenv("FUZZ_COUNTERS");
  long count = (stop - start) / 2, first, end;
  int length;
  if (!ranges) {
    hand_on(start, 0, count);
    return;
  }
  while (sscanf(ranges, " %ld-%ld%n", &first, &end, &length) == 2) {
    if (first < 0 || first >= end || end > count) {
      fprintf(stderr, "FUZZ_COUNTERS: %ld-%ld is no range of %ld counters\n", first, end, count);
      exit(2);
    }
    hand_on(start, first, end);
    ranges += length;
  }
}
