#define _GNU_SOURCE
#include "cingress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

int cin_watch_open(void) {
  int watch = epoll_create1(EPOLL_CLOEXEC);
  return watch < 0 ? -errno : watch;
}

int cin_watch(int watch, int descriptor, unsigned what) {
  struct epoll_event event = {.data.fd = descriptor};
  event.events = (what & CIN_READABLE ? EPOLLIN : 0) | (what & CIN_WRITABLE ? EPOLLOUT : 0);
  if (!epoll_ctl(watch, EPOLL_CTL_MOD, descriptor, &event)) return 0;
  if (errno == ENOENT && !epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &event)) return 0;
  return errno;
}

int cin_watch_wait(int watch, cin_event *events, int room, int milliseconds) {
  struct epoll_event found[256];
  int count = epoll_wait(watch, found, room < 256 ? room : 256, milliseconds);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    unsigned what = 0;
    if (found[i].events & EPOLLIN) what |= CIN_READABLE;
    if (found[i].events & EPOLLOUT) what |= CIN_WRITABLE;
    if (found[i].events & (EPOLLERR | EPOLLHUP)) what |= CIN_OVER;
    events[i] = (cin_event){found[i].data.fd, what};
  }
  return count;
}

int cin_signals(const int *numbers, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, numbers[i]);
  int fault = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (fault) return -fault;
  int descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

int cin_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

// The address of a text, with a port; its length, or 0 where it is none.
static socklen_t read_address(const char *text, uint16_t port, struct sockaddr_storage *address) {
  memset(address, 0, sizeof *address);
  struct sockaddr_in *four = (struct sockaddr_in *)address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
  if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return sizeof *four;
  }
  if (inet_pton(AF_INET6, text, &six->sin6_addr) != 1) return 0;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(port);
  return sizeof *six;
}

int cin_is_address(const char *text) {
  struct sockaddr_storage address;
  return read_address(text, 0, &address) > 0;
}

int cin_listen(const char *text, uint16_t port) {
  struct sockaddr_storage address;
  socklen_t length = read_address(text, port, &address);
  if (!length) return -EINVAL;
  int descriptor = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  int on = 1, off = 0;
  // `::` is every address, also those of IPv4.
  if (address.ss_family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (!setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
      !bind(descriptor, (struct sockaddr *)&address, length) && !listen(descriptor, 1024))
    return descriptor;
  int fault = errno;
  close(descriptor);
  return -fault;
}

int cin_accept(int listener) {
  int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) return -errno;
  int on = 1;
  // Acknowledgements are short and go at once; a peer that has gone without a word is noticed.
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return descriptor;
}
