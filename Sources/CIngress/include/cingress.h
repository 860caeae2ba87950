#ifndef CINGRESS_H
#define CINGRESS_H

#include <stddef.h>
#include <stdint.h>

// What Swift's C library does not show: the descriptors of many connections, watched at once.

enum { CIN_READABLE = 1, CIN_WRITABLE = 2, CIN_OVER = 4 };

/// What has happened to a descriptor.
typedef struct {
  int descriptor;
  unsigned what;
} cin_event;

/// Returns a descriptor that watches others (epoll), or -errno.
int cin_watch_open(void);
/// Watches a descriptor for being readable or writable, anew or differently. Returns an errno, or 0.
int cin_watch(int watch, int descriptor, unsigned what);
/// Waits at most so many milliseconds. Returns how many events there are, or -errno.
int cin_watch_wait(int watch, cin_event *events, int room, int milliseconds);
/// A socket that listens at a port of 127.0.0.1, or -errno.
int cin_listen(uint16_t port);
/// Takes a connection without waiting. Returns its descriptor, or -errno.
int cin_accept(int listener);

/// A server of HTTP by libmicrohttpd that has no thread of its own: it does something in `cin_http_run` alone.
typedef struct cin_http cin_http;
/// A request that has come whole, and waits for its reply.
typedef struct cin_request cin_request;

enum {
  /// libmicrohttpd is not installed.
  CIN_NO_LIBRARY = -1,
  /// The library would not start.
  CIN_NOT_STARTED = -2,
  CIN_MOST_PARAMETERS = 64,
};

/// Starts a server at a socket that listens. `connections` are served at once, each of which may be silent for
/// `seconds`; of a body `limit` bytes are kept. Returns NULL, and in `fault` one of the numbers above, where it
/// cannot. The library is loaded by the first call.
cin_http *cin_http_start(int listener, unsigned connections, unsigned seconds, size_t limit, int *fault);
/// The descriptor that is readable when there is something to do.
int cin_http_descriptor(const cin_http *http);
/// Does what is to be done. Returns in how many milliseconds it has to be called again at the latest, or -1.
int cin_http_run(cin_http *http);
/// The next request that has come; NULL when there is none. It is valid until it has its reply.
cin_request *cin_http_next(cin_http *http);
/// Takes no more connections.
void cin_http_quiesce(cin_http *http);
/// Ends a server; every request that `cin_http_next` has returned must have its reply.
void cin_http_stop(cin_http *http);

const char *cin_method(const cin_request *request);
/// A header; NULL when it is missing, or there more than once.
const char *cin_header(const cin_request *request, const char *name);
/// The user and the password of `Authorization: Basic`, each with room for so many bytes. Returns whether there are both.
int cin_credentials(const cin_request *request, char *user, char *password, size_t room);
/// How many parameters its address has; more than CIN_MOST_PARAMETERS, of which only so many are kept.
int cin_parameters(const cin_request *request);
const char *cin_parameter_name(const cin_request *request, int index);
const char *cin_parameter_value(const cin_request *request, int index);
/// The body; `exceeded` is whether there were more bytes than the limit, which are not kept.
const uint8_t *cin_body(const cin_request *request, size_t *length, int *exceeded);
/// Answers a request with a text that has static storage, and with `WWW-Authenticate` for 401.
void cin_reply(cin_request *request, unsigned status, const char *text);

#endif
