#define _GNU_SOURCE
#include "CVirtualTime.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char *swift_demangle(
  const char *name, size_t length, char *output, size_t *capacity, uint32_t flags);

char *virtual_time_demangled(const char *symbol) {
  return swift_demangle(symbol, strlen(symbol), 0, 0, 0);
}

/// Searches a file's symbol table for the function around an offset from where it was loaded.
static const char *find(const char *file, ElfW(Addr) offset) {
  const ElfW(Ehdr) *header = (const void *)file;
  const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
  const char *best = 0;
  ElfW(Addr) nearest = 0;
  for (int index = 0; index < header->e_shnum; index++) {
    if (sections[index].sh_type != SHT_SYMTAB) continue;
    const ElfW(Sym) *symbols = (const void *)(file + sections[index].sh_offset);
    const char *names = file + sections[sections[index].sh_link].sh_offset;
    size_t count = sections[index].sh_size / sizeof *symbols;
    for (size_t number = 0; number < count; number++) {
      const ElfW(Sym) *symbol = &symbols[number];
      if ((symbol->st_info & 15) != STT_FUNC || symbol->st_value > offset) continue;
      if (offset >= symbol->st_value + symbol->st_size || symbol->st_value < nearest) continue;
      nearest = symbol->st_value;
      best = names + symbol->st_name;
    }
  }
  return best;
}

static int copy(const char *text, char *name, int capacity) {
  if (!text || (int)strlen(text) >= capacity) return 0;
  strcpy(name, text);
  return 1;
}

int virtual_time_symbol(uintptr_t address, char *name, int capacity) {
  Dl_info info;
  if (!dladdr((void *)address, &info)) return 0;
  if (info.dli_sname) return copy(info.dli_sname, name, capacity);
  // The program itself may have been started by a path that leads elsewhere by now.
  int file = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
  if (file < 0) file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0) return 0;
  if (fstat(file, &status) < 0) return close(file), 0;
  const char *content = mmap(0, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (content == MAP_FAILED) return 0;
  int found = copy(find(content, address - (uintptr_t)info.dli_fbase), name, capacity);
  munmap((void *)content, status.st_size);
  return found;
}
