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
/// Has signals come by a descriptor and in no other way, in this thread and those that it makes. Returns it, or -errno.
int cin_signals(const int *numbers, int count);
/// The next signal that has come; 0 for none.
int cin_next_signal(int descriptor);
/// Whether a text is an address of IPv4 or IPv6.
int cin_is_address(const char *text);
/// A socket that listens at a port of an address, or -errno.
int cin_listen(const char *address, uint16_t port);
/// Takes a connection without waiting. Returns its descriptor, or -errno.
int cin_accept(int listener);

/// What is the same for all connections with TLS: a certificate, its key, and whose certificates are believed.
typedef void cin_tls_context;
/// TLS on one connection, by OpenSSL.
typedef void cin_tls;

enum {
  /// The connection is over, or broke a rule.
  CIN_TLS_OVER = -1,
  /// Nothing more until the descriptor is readable, or writable.
  CIN_WANTS_READABLE = -2,
  CIN_WANTS_WRITABLE = -3,
  /// Bytes of a text of a certificate's subject, with a zero behind it.
  CIN_LONGEST_PART = 128,
  /// Bytes of the certificates that a device sends.
  CIN_LONGEST_CHAIN = 16384,
};

/// What the subject of a certificate says; empty for what it does not.
typedef struct {
  char organization[CIN_LONGEST_PART];
  char unit[CIN_LONGEST_PART];
  char name[CIN_LONGEST_PART];
} cin_subject;

typedef struct {
  const uint8_t *bytes;
  long count;
} cin_bytes;

/// Reads the files; `authorities` may be NULL, then no certificates are asked for. With `revocation` each must be of
/// an authority whose list of revoked ones is in that file, and not be on it. Returns NULL, and in `fault` a text
/// with static storage, where something is wrong. The library is loaded by the first call.
cin_tls_context *cin_tls_context_new(const char *certificate, const char *key, const char *authorities,
                                     int revocation, const char **fault);
/// For connections on which nothing is sent: whose certificate a server has is not looked at. A certificate and a key
/// of its own may be NULL. Returns NULL where they cannot be read, or the library is not there.
cin_tls_context *cin_tls_context_new_client(const char *certificate, const char *key);
/// When the certificates of a text in PEM end: the first of them, and the last, in seconds since 1970. Returns how many
/// there are; -1 where the library is not there.
int cin_certificate_ends(const char *text, int length, int64_t *first, int64_t *last);
/// What connections still use stays until they have ended.
void cin_tls_context_free(cin_tls_context *context);
/// TLS on a descriptor that does not wait; NULL without memory.
cin_tls *cin_tls_new(cin_tls_context *context, int descriptor);
/// Goes on with the handshake. Returns 0 when it is done, or one of the numbers above.
int cin_tls_accept(cin_tls *session);
/// The same to a server.
int cin_tls_connect(cin_tls *session);
/// Returns how many bytes there are, of one record at most, or one of the numbers above.
int cin_tls_receive(cin_tls *session, void *bytes, int room);
/// Returns how many bytes were sent, or one of the numbers above; then it is called again with the same bytes first.
int cin_tls_send(cin_tls *session, const void *bytes, int count);
/// Ends TLS; the peer is informed, if that does not have to wait and the handshake was done.
void cin_tls_free(cin_tls *session, int says_so);
/// The subject of the certificate that the peer has proved to have. Returns 0 where it has none, and -1 where a part
/// of it is there twice, too long, or no text.
int cin_tls_subject(const cin_tls *session, cin_subject *subject);
/// The same of certificates in their binary form, its own first, that somebody else has had proved: looks also whether
/// an authority of the context has signed it. Returns -1 where none has.
int cin_tls_judge(cin_tls_context *context, const cin_bytes *chain, unsigned count, cin_subject *subject);

/// A server of HTTP by libmicrohttpd that has no thread of its own: it does something in `cin_http_run` alone.
typedef struct cin_http cin_http;
/// A request that has come whole, or as far as its body, and waits for its reply.
typedef struct cin_request cin_request;

enum {
  /// libmicrohttpd is not installed.
  CIN_NO_LIBRARY = -1,
  /// The library would not start.
  CIN_NOT_STARTED = -2,
  /// libmicrohttpd is installed without TLS.
  CIN_WITHOUT_TLS = -3,
  CIN_MOST_PARAMETERS = 64,
};

/// What HTTP over TLS needs: texts of the files, of which `authorities` may be NULL, and who judges certificates.
typedef struct {
  const char *certificate, *key, *authorities;
  cin_tls_context *judge;
} cin_https;

/// Starts a server at a socket that listens. `connections` are served at once, each of which may be silent for
/// `seconds`, and has so many until a request has come whole; of a body `limit` bytes are kept. Without `https` there
/// is no TLS. Returns NULL, and in `fault` one of the numbers above, where it cannot. The library is loaded by the
/// first call.
cin_http *cin_http_start(int listener, unsigned connections, unsigned seconds, size_t limit,
                         const cin_https *https, int *fault);
/// The descriptor that is readable when there is something to do.
int cin_http_descriptor(const cin_http *http);
/// Does what is to be done. Returns in how many milliseconds it has to be called again at the latest, or -1.
int cin_http_run(cin_http *http);
/// The next request that has come; NULL when there is none. One with a body comes twice: before anything of the body is
/// read, and whole. It is valid until it has its reply, or goes on.
cin_request *cin_http_next(cin_http *http);
/// Has another one judge the certificates of requests from here on.
void cin_http_judge(cin_http *http, cin_tls_context *judge);
/// Takes no more connections.
void cin_http_quiesce(cin_http *http);
/// Ends a server; every request that `cin_http_next` has returned must have its reply, or go on.
void cin_http_stop(cin_http *http);

const char *cin_method(const cin_request *request);
/// The path of its address, without parameters.
const char *cin_path(const cin_request *request);
/// A header; NULL when it is missing, or there more than once.
const char *cin_header(const cin_request *request, const char *name);
/// The user and the password of `Authorization: Basic`, each with room for so many bytes. Returns whether there are both.
int cin_credentials(const cin_request *request, char *user, char *password, size_t room);
/// The subject of the certificate of its connection, as of `cin_tls_subject`; -1 also where no authority has signed it.
int cin_request_subject(const cin_request *request, cin_subject *subject);
/// How many parameters its address has; more than CIN_MOST_PARAMETERS, of which only so many are kept.
int cin_parameters(const cin_request *request);
const char *cin_parameter_name(const cin_request *request, int index);
const char *cin_parameter_value(const cin_request *request, int index);
/// Whether it has come whole; else nothing of its body was read.
int cin_is_whole(const cin_request *request);
/// Has the body read of one that is not whole; a client that has asked whether it may go on is answered 100.
void cin_go_on(cin_request *request);
/// The body; `exceeded` is whether there were more bytes than the limit, which are not kept.
const uint8_t *cin_body(const cin_request *request, size_t *length, int *exceeded);
/// Answers a request with a text that has static storage, with `WWW-Authenticate` for 401, and for 429 and 503 with
/// the seconds after which it may come again.
void cin_reply(cin_request *request, unsigned status, const char *text, unsigned seconds);
/// The same with a text that is copied.
void cin_reply_copy(cin_request *request, unsigned status, const char *text);

#endif
