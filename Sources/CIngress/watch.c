#define _GNU_SOURCE
#include "cingress.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
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

int cin_listen(uint16_t port) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  int on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
      !bind(descriptor, (struct sockaddr *)&address, sizeof address) && !listen(descriptor, 1024))
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
