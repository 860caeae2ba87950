// A program that has the kernel show another program in its place, as far as an unprivileged process
// can: the attack of the border's tests.
//
//   ForgedProgram shared|own PROGRAM SOCKET METHOD [PARAMETERS]
//
// In a user namespace of its own, a process holds the capability to name another file as the program of
// its memory (PR_SET_MM_MAP). `own` makes such a namespace and connects from it. `shared` leaves that
// to a child that shares its memory and ends, and so never leaves the namespace it began in.
// It prints `shows PATH`, what the kernel then calls its program, and `said …`, the daemon's reply.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct prctl_mm_map map;
static char stack[64 * 1024] __attribute__((aligned(16)));

static void fail(const char *what) {
  fprintf(stderr, "cannot %s: %s\n", what, strerror(errno));
  exit(3);
}

// Copies memory of any owner: a sanitizer knows what lies between variables, and stops memcpy there.
__attribute__((no_sanitize("address", "thread")))
static void copy_all(volatile char *to, const volatile char *from, size_t size) {
  for (size_t i = 0; i < size; i++) to[i] = from[i];
}

// Puts a copy without a file in the place of one mapping of the program.
static void detach(char *begin, size_t size, int protection) {
  char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) fail("map memory");
  if (!(protection & PROT_READ)) return;
  copy_all(copy, begin, size);
  if (mprotect(copy, size, protection) != 0) fail("protect memory");
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == MAP_FAILED) fail("move memory");
}

// The kernel shows no other program while the present one is mapped.
static void detach_program(void) {
  static struct {
    unsigned long begin, end;
    int protection;
  } parts[64];
  char own[4096], line[4352], path[4096], flags[8];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length < 0) fail("read the name of the program");
  own[length] = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) fail("read the mappings");
  size_t count = 0;
  while (fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    path[0] = 0;
    int found = sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095[^\n]", &begin, &end, flags, path);
    if (found < 4 || strcmp(path, own) != 0 || count == 64) continue;
    parts[count].begin = begin;
    parts[count].end = end;
    parts[count].protection = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0)
      | (flags[2] == 'x' ? PROT_EXEC : 0);
    count++;
  }
  fclose(maps);
  for (size_t i = 0; i < count; i++)
    detach((char *)parts[i].begin, parts[i].end - parts[i].begin, parts[i].protection);
}

// Reads what the kernel notes of this memory, so that only the program changes.
static void read_map(void) {
  char text[2048];
  FILE *file = fopen("/proc/self/stat", "r");
  if (!file || !fgets(text, sizeof text, file)) fail("read its own state");
  fclose(file);
  unsigned long long field[53] = {0};
  int number = 2;
  char *rest = strrchr(text, ')') + 1;
  for (char *word = strtok(rest, " "); word && number < 52; word = strtok(NULL, " "))
    field[++number] = strtoull(word, NULL, 10);
  map.start_code = field[26];
  map.end_code = field[27];
  map.start_stack = field[28];
  map.start_data = field[45];
  map.end_data = field[46];
  map.start_brk = field[47];
  map.brk = (unsigned long)sbrk(0);
  map.arg_start = field[48];
  map.arg_end = field[49];
  map.env_start = field[50];
  map.env_end = field[51];
}

static int show(void *unused) {
  (void)unused;
  return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) == 0 ? 0 : errno;
}

int main(int count, char **words) {
  if (count < 5) return 2;
  const char *socket_path = words[3];
  map.exe_fd = open(words[2], O_RDONLY);
  if ((int)map.exe_fd < 0) fail("open the program");
  detach_program();
  read_map();
  if (strcmp(words[1], "own") == 0) {
    if (unshare(CLONE_NEWUSER) != 0) fail("make a namespace");
    if ((errno = show(NULL)) != 0) fail("name another program");
  } else {
    pid_t child = clone(show, stack + sizeof stack, CLONE_VM | CLONE_NEWUSER | SIGCHLD, NULL);
    int status = 0;
    if (child < 0) fail("make a namespace");
    if (waitpid(child, &status, 0) != child) fail("wait for the child");
    if ((errno = WEXITSTATUS(status)) != 0) fail("name another program");
  }
  char shown[4096];
  ssize_t length = readlink("/proc/self/exe", shown, sizeof shown - 1);
  printf("shows %.*s\n", (int)(length < 0 ? 0 : length), shown);
  fflush(stdout);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
  int link = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(link, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  char call[4096], reply[65536];
  int size = snprintf(call, sizeof call, "{\"method\":\"%s\",\"more\":true,\"parameters\":%s}", words[4],
    count > 5 ? words[5] : "{}");
  // Whoever is refused at once may find the daemon's end closed, and reads why all the same.
  if (send(link, call, (size_t)size + 1, MSG_NOSIGNAL) < 0 && errno != EPIPE) fail("send");
  size_t received = 0;
  while (received < sizeof reply - 1) {
    ssize_t read = recv(link, reply + received, 1, 0);
    if (read <= 0 || reply[received++] == 0) break;
  }
  reply[received] = 0;
  printf("said %s\n", received ? reply : "hung up");
  fflush(stdout);
  pause();
  return 0;
}
