#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>

/// A server of HTTP on the loopback, by libmicrohttpd.
typedef struct cmhd_server cmhd_server;

/// One request, valid during the call that has it.
typedef struct cmhd_request cmhd_request;

/// What a server does with its requests; both are called on threads of its own, several at once.
typedef struct {
  void *context;
  /// How many bytes of a body are read of this request, before any are; negative to have it answered at
  /// once, without them.
  long (*limit)(void *context, cmhd_request *request);
  /// Answers it, by `cmhd_reply`.
  void (*answer)(void *context, cmhd_request *request);
} cmhd_calls;

enum {
  /// libmicrohttpd is not installed.
  CMHD_NO_LIBRARY = -1,
  /// The library would not start.
  CMHD_NOT_STARTED = -2,
};

/// Starts a server at a port of 127.0.0.1; 0 for any that is free, which `port` then is.
///
/// `connections` are served at once, each of which may be silent for `seconds`. Returns NULL, and in
/// `fault` a number of errno or one of those above, where it cannot. The library is loaded by the first
/// call.
cmhd_server *cmhd_start(uint16_t *port, unsigned connections, unsigned seconds, cmhd_calls calls,
                        int *fault);

/// Ends a server, after what it is answering.
void cmhd_stop(cmhd_server *server);

const char *cmhd_method(const cmhd_request *request);
/// The path, decoded.
const char *cmhd_path(const cmhd_request *request);
/// The user whose program holds the other end of the connection, by the kernel; -1 where it names none.
int64_t cmhd_peer_user(const cmhd_request *request);
/// A header; NULL when it is missing, or there more than once.
const char *cmhd_header(const cmhd_request *request, const char *name);
/// How often a header is there.
int cmhd_header_count(const cmhd_request *request, const char *name);
/// A value of the query of the address; NULL when there is none.
const char *cmhd_query(const cmhd_request *request, const char *name);
/// The body; `exceeded` is whether there were more bytes than the limit, which are not kept.
const uint8_t *cmhd_body(const cmhd_request *request, size_t *length, int *exceeded);

/// Answers a request with a copy of the body. `headers` are names and values in turn, ended by NULL.
void cmhd_reply(cmhd_request *request, unsigned status, const char *const *headers, const void *body,
                size_t length);

#endif
