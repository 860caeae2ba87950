#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>

/// What came back from one request, or why nothing did.
typedef struct {
  /// The HTTP status; 0 when no answer came.
  long status;
  /// The body, to be given back with `ccurl_free`; NULL when there is none.
  unsigned char *body;
  size_t length;
  /// Seconds of a Retry-After header, which may also be a date; -1 without one.
  long retry_after;
  /// Where the server redirects to, in full, to be given back with `ccurl_free`; NULL when it does
  /// not. It is not followed.
  char *redirect;
  /// 0, or libcurl's code; -1 when libcurl is not installed, -2 when the body is too long.
  int code;
} ccurl_answer;

typedef struct {
  const char *user_agent;
  long timeout_milliseconds;
  /// Bytes of the body; more is an error.
  size_t limit;
  /// A file of the certificates to trust; NULL for the system's.
  const char *authorities;
  /// Who asks, by HTTP's Basic authentication; NULL for nobody.
  const char *user, *password;
  /// Files of who asks, by TLS; NULL for nobody.
  const char *certificate, *key;
  /// JSON to be posted; NULL to get the URL.
  const void *json;
  size_t json_length;
} ccurl_options;

/// Sends one request and waits for the answer: over HTTPS, or for a URL that says so over HTTP, then
/// without any proxy. libcurl is loaded by the first call.
ccurl_answer ccurl_send(const char *url, ccurl_options options);

void ccurl_free(ccurl_answer *answer);

/// A connection over TLS to a server whose certificate was checked.
typedef struct ccurl_stream ccurl_stream;

/// Connects, past every proxy, with TLS 1.2 or newer, and checks the server's certificate and its name;
/// waits for it. Returns NULL with libcurl's code, or -1 when libcurl is not installed, and writes why to
/// `error`, which has room for CCURL_ERROR_SIZE bytes. `authorities` is a file of the certificates to
/// trust in place of the system's, or NULL.
ccurl_stream *ccurl_connect(
    const char *host, int port, const char *authorities, long timeout_milliseconds, char *error,
    int *code);

/// The socket, to wait for.
int ccurl_socket(ccurl_stream *stream);

/// Reads what is there: a number of bytes, 0 at the end, -1 when there is nothing yet, -2 when it failed.
long ccurl_receive(ccurl_stream *stream, void *bytes, size_t size);

/// Writes what can be written now: a number of bytes, -2 when it failed.
long ccurl_transmit(ccurl_stream *stream, const void *bytes, size_t size);

void ccurl_disconnect(ccurl_stream *stream);

enum { CCURL_ERROR_SIZE = 256 };

/// Requests to one URL that are on their way at once, over connections that are used again.
typedef struct ccurl_posts ccurl_posts;

typedef struct {
  unsigned long long number;
  /// The HTTP status; 0 when no answer came.
  long status;
  /// Seconds of a Retry-After header, which may also be a date; -1 without one.
  long retry_after;
  /// 0, or libcurl's code; -2 when the answer is longer than may be.
  int code;
} ccurl_posted;

/// Returns NULL when libcurl is not installed. No redirect is followed; of an answer nothing but its status is
/// kept. Over HTTP, which is for this machine alone, without any proxy.
ccurl_posts *ccurl_posts_open(
    const char *url, const char *user_agent, long timeout_milliseconds, size_t limit,
    const char *authorities);

/// Begins to post JSON, with headers besides; both are copied. Returns 0, or -1 without memory.
int ccurl_posts_add(
    ccurl_posts *posts, unsigned long long number, const void *json, size_t length,
    const char *const *headers, int count);

/// Waits until something can be done, at most for a time; returns how many requests are over, of which
/// `room` at most.
int ccurl_posts_run(ccurl_posts *posts, int milliseconds, ccurl_posted *over, int room);

void ccurl_posts_close(ccurl_posts *posts);

#endif
