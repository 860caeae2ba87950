#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>

/// What came back from one GET, or why nothing did.
typedef struct {
  /// The HTTP status; 0 when no answer came.
  long status;
  /// The body, to be given back with `ccurl_free`; NULL when there is none.
  unsigned char *body;
  size_t length;
  /// Seconds of a Retry-After header; -1 without one.
  long retry_after;
  /// 0, or libcurl's code; -1 when libcurl is not installed, -2 when the body is too long.
  int code;
} ccurl_answer;

/// Fetches a URL over HTTP or HTTPS and waits for it. libcurl is loaded by the first call.
///
/// A body of more than `limit` bytes is an error.
ccurl_answer ccurl_get(
    const char *url, const char *user_agent, long timeout_milliseconds, size_t limit);

void ccurl_free(ccurl_answer *answer);

#endif
