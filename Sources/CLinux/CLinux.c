#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int linux_open_pty(int *controller, char *path, unsigned long length) {
  int descriptor = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  if (grantpt(descriptor) || unlockpt(descriptor) || ptsname_r(descriptor, path, length)) {
    int code = errno;
    close(descriptor);
    return code;
  }
  struct termios settings;
  if (tcgetattr(descriptor, &settings) == 0) {
    cfmakeraw(&settings);
    tcsetattr(descriptor, TCSANOW, &settings);
  }
  *controller = descriptor;
  return 0;
}

int linux_watch_directory(const char *path) {
  int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) return -errno;
  if (inotify_add_watch(descriptor, path, IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
    int code = errno;
    close(descriptor);
    return -code;
  }
  return descriptor;
}

int linux_drain_watch(int descriptor, const char *name) {
  char buffer[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)]
      __attribute__((aligned(__alignof__(struct inotify_event))));
  int count = 0;
  ssize_t length;
  while ((length = read(descriptor, buffer, sizeof buffer)) > 0) {
    for (char *next = buffer; next < buffer + length;) {
      struct inotify_event *event = (struct inotify_event *)next;
      if (event->len > 0 && strcmp(event->name, name) == 0) count++;
      next += sizeof *event + event->len;
    }
  }
  return count;
}

int linux_peer_credentials(int descriptor, int *pid, unsigned *uid, unsigned *gid) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)) return errno;
  *pid = credentials.pid;
  *uid = credentials.uid;
  *gid = credentials.gid;
  return 0;
}

static long long nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

long long linux_uptime_nanoseconds(void) { return nanoseconds(CLOCK_BOOTTIME); }

long long linux_unix_nanoseconds(void) { return nanoseconds(CLOCK_REALTIME); }
