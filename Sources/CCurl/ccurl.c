#include "ccurl.h"
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct sink {
  ccurl_answer *answer;
  size_t limit;
};

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  struct sink *sink = context;
  size_t added = size * count;
  if (sink->answer->length + added > sink->limit) {
    sink->answer->code = -2;
    return 0;
  }
  unsigned char *grown = realloc(sink->answer->body, sink->answer->length + added + 1);
  if (!grown) return 0;
  memcpy(grown + sink->answer->length, bytes, added);
  sink->answer->body = grown;
  sink->answer->length += added;
  return added;
}

ccurl_answer ccurl_send(const char *url, ccurl_options options) {
  ccurl_answer answer = {.status = 0, .retry_after = -1, .code = -1};
  void *handle = ccurl_load() ? curl.init() : NULL;
  if (!handle) return answer;
  struct sink sink = {&answer, options.limit};
  int is_plain = strncasecmp(url, "http://", 7) == 0;
  answer.code = 0;
  curl.setopt(handle, OPT_URL, url);
  curl.setopt(handle, OPT_USERAGENT, options.user_agent);
  curl.setopt(handle, OPT_TIMEOUT_MS, options.timeout_milliseconds);
  curl.setopt(handle, OPT_NOSIGNAL, 1L);
  curl.setopt(handle, OPT_FOLLOWLOCATION, 0L);
  curl.setopt(handle, OPT_PROTOCOLS, (long)(is_plain ? PROTOCOL_HTTP : PROTOCOL_HTTPS));
  // Plain HTTP is for this machine alone; a proxy that the environment names would see it all.
  if (is_plain) curl.setopt(handle, OPT_PROXY, "");
  ccurl_trust(handle, options.authorities);
  curl.setopt(handle, OPT_SSLVERSION, (long)TLS_1_2);
  int code = 0;
  // Whoever cannot be named is not sent for.
  if (options.user) code = curl.setopt(handle, OPT_USERNAME, options.user);
  if (!code && options.password) code = curl.setopt(handle, OPT_PASSWORD, options.password);
  if (!code && options.certificate) code = curl.setopt(handle, OPT_SSLCERT, options.certificate);
  if (!code && options.key) code = curl.setopt(handle, OPT_SSLKEY, options.key);
  // An encrypted key is none; nobody is at a terminal to be asked.
  if (!code && options.key) code = curl.setopt(handle, OPT_KEYPASSWD, "");
  void *headers = NULL;
  if (options.json) {
    headers = curl.list_append(NULL, "Content-Type: application/json");
    curl.setopt(handle, OPT_HTTPHEADER, headers);
    curl.setopt(handle, OPT_POSTFIELDSIZE, (long)options.json_length);
    curl.setopt(handle, OPT_POSTFIELDS, options.json);
  }
  curl.setopt(handle, OPT_WRITEFUNCTION, take_body);
  curl.setopt(handle, OPT_WRITEDATA, &sink);
  if (!code) code = curl.perform(handle);
  if (answer.code == 0) answer.code = code;
  if (code == 0) {
    char *redirect = NULL;
    curl.getinfo(handle, INFO_RESPONSE_CODE, &answer.status);
    answer.retry_after = ccurl_retry_after(handle);
    if (curl.getinfo(handle, INFO_REDIRECT_URL, &redirect) == 0 && redirect)
      answer.redirect = strdup(redirect);
  }
  curl.cleanup(handle);
  curl.list_free(headers);
  return answer;
}

void ccurl_free(ccurl_answer *answer) {
  free(answer->body);
  free(answer->redirect);
  answer->body = NULL;
  answer->redirect = NULL;
  answer->length = 0;
}

struct ccurl_stream {
  void *handle;
  int descriptor;
};

// Makes the connection, and checks the certificate; nothing is asked over it.
static int shake_hands(
    void *handle, const char *url, const char *authorities, long timeout, char *error) {
  int code = curl.setopt(handle, OPT_URL, url);
  if (!code) code = curl.setopt(handle, OPT_CONNECT_ONLY, 1L);
  if (!code) code = curl.setopt(handle, OPT_PROTOCOLS, (long)PROTOCOL_HTTPS);
  if (!code) code = curl.setopt(handle, OPT_SSLVERSION, (long)TLS_1_2);
  if (code) return code;
  curl.setopt(handle, OPT_SSL_ENABLE_ALPN, 0L);
  curl.setopt(handle, OPT_NOSIGNAL, 1L);
  curl.setopt(handle, OPT_PROXY, "");
  curl.setopt(handle, OPT_CONNECTTIMEOUT_MS, timeout);
  curl.setopt(handle, OPT_ERRORBUFFER, error);
  ccurl_trust(handle, authorities);
  code = curl.perform(handle);
  // The buffer is the caller's.
  curl.setopt(handle, OPT_ERRORBUFFER, (char *)NULL);
  return code;
}

ccurl_stream *ccurl_connect(
    const char *host, int port, const char *authorities, long timeout_milliseconds, char *error,
    int *code) {
  error[0] = 0;
  *code = -1;
  void *handle = ccurl_load() ? curl.init() : NULL;
  if (!handle) return NULL;
  char url[512];
  const char *form = strchr(host, ':') ? "https://[%s]:%d" : "https://%s:%d";
  int length = snprintf(url, sizeof url, form, host, port);
  *code = CODE_INVALID;
  if (length > 0 && (size_t)length < sizeof url)
    *code = shake_hands(handle, url, authorities, timeout_milliseconds, error);
  ccurl_stream *stream = *code ? NULL : calloc(1, sizeof *stream);
  if (stream) {
    stream->handle = handle;
    stream->descriptor = -1;
    curl.getinfo(handle, INFO_ACTIVESOCKET, &stream->descriptor);
  }
  if (stream && stream->descriptor >= 0) return stream;
  if (!*code) *code = CODE_INVALID;
  free(stream);
  curl.cleanup(handle);
  return NULL;
}

int ccurl_socket(ccurl_stream *stream) { return stream->descriptor; }

long ccurl_receive(ccurl_stream *stream, void *bytes, size_t size) {
  size_t count = 0;
  int code = curl.receive(stream->handle, bytes, size, &count);
  return code == CODE_AGAIN ? -1 : code ? -2 : (long)count;
}

long ccurl_transmit(ccurl_stream *stream, const void *bytes, size_t size) {
  size_t count = 0;
  int code = curl.send(stream->handle, bytes, size, &count);
  return code == CODE_AGAIN ? 0 : code ? -2 : (long)count;
}

void ccurl_disconnect(ccurl_stream *stream) {
  curl.cleanup(stream->handle);
  free(stream);
}
