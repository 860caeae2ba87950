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

// Hands on the ranges of FUZZ_COUNTERS, such as "0-24678 294262-355742", or all where it is not set. A
// counter has two words in the table of places, at the same index. Every object file calls this with the
// table of the whole program.
void __wrap___sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  static int done;
  if (done) return;
  done = 1;
  const char *ranges = getenv("FUZZ_COUNTERS");
  char all[64];
  long count = (stop - start) / 2, first, end;
  int length;
  if (!ranges) {
    snprintf(all, sizeof all, "0-%ld", count);
    ranges = all;
  }
  while (sscanf(ranges, " %ld-%ld%n", &first, &end, &length) == 2) {
    if (first < 0 || first >= end || end > count) {
      fprintf(stderr, "FUZZ_COUNTERS: %ld-%ld is no range of %ld counters\n", first, end, count);
      exit(2);
    }
    __real___sanitizer_cov_8bit_counters_init(counters + first, counters + end);
    __real___sanitizer_cov_pcs_init(start + 2 * first, start + 2 * end);
    ranges += length;
  }
}
