#define _GNU_SOURCE
#include "cingress.h"
#include "peer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

// The few numbers of libmicrohttpd's stable binary interface (libmicrohttpd.so.12) that are used here, so
// that neither its headers nor its library are needed where no ingress of HTTP runs.
enum {
  USE_EPOLL = 512,
  ALLOW_SUSPEND_RESUME = 8192 | 1024,
  OPTION_END = 0,
  OPTION_CONNECTION_MEMORY_LIMIT = 1,
  OPTION_CONNECTION_LIMIT = 2,
  OPTION_CONNECTION_TIMEOUT = 3,
  OPTION_NOTIFY_COMPLETED = 4,
  OPTION_LISTEN_SOCKET = 12,
  OPTION_ARRAY = 15,
  OPTION_STRICT_FOR_CLIENT = 29,
  MEMORY_PERSISTENT = 0,
  MEMORY_COPIED = 2,
  HEADER_KIND = 1,
  QUERY_KIND = 8,
  INFO_EPOLL = 3,
  USE_TLS = 2,
  OPTION_KEY = 8,
  OPTION_CERTIFICATE = 9,
  OPTION_PRIORITIES = 11,
  OPTION_AUTHORITIES = 20,
  OPTION_NOTIFY_CONNECTION = 27,
  STARTED = 0,
  INFO_SESSION = 3,
  INFO_DESCRIPTOR = 6,
  INFO_CONTEXT = 7,
  FEATURE_TLS = 2,
};

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>
_Static_assert(USE_EPOLL == MHD_USE_EPOLL, "");
_Static_assert(ALLOW_SUSPEND_RESUME == MHD_ALLOW_SUSPEND_RESUME, "");
_Static_assert(OPTION_CONNECTION_MEMORY_LIMIT == MHD_OPTION_CONNECTION_MEMORY_LIMIT, "");
_Static_assert(OPTION_CONNECTION_LIMIT == MHD_OPTION_CONNECTION_LIMIT, "");
_Static_assert(OPTION_CONNECTION_TIMEOUT == MHD_OPTION_CONNECTION_TIMEOUT, "");
_Static_assert(OPTION_NOTIFY_COMPLETED == MHD_OPTION_NOTIFY_COMPLETED, "");
_Static_assert(OPTION_LISTEN_SOCKET == MHD_OPTION_LISTEN_SOCKET, "");
_Static_assert(OPTION_ARRAY == MHD_OPTION_ARRAY, "");
_Static_assert(OPTION_STRICT_FOR_CLIENT == MHD_OPTION_STRICT_FOR_CLIENT, "");
_Static_assert(MEMORY_PERSISTENT == MHD_RESPMEM_PERSISTENT, "");
_Static_assert(MEMORY_COPIED == MHD_RESPMEM_MUST_COPY, "");
_Static_assert(HEADER_KIND == MHD_HEADER_KIND && QUERY_KIND == MHD_GET_ARGUMENT_KIND, "");
_Static_assert(INFO_EPOLL == MHD_DAEMON_INFO_EPOLL_FD, "");
_Static_assert(USE_TLS == MHD_USE_TLS && FEATURE_TLS == MHD_FEATURE_TLS, "");
_Static_assert(OPTION_KEY == MHD_OPTION_HTTPS_MEM_KEY, "");
_Static_assert(OPTION_CERTIFICATE == MHD_OPTION_HTTPS_MEM_CERT, "");
_Static_assert(OPTION_PRIORITIES == MHD_OPTION_HTTPS_PRIORITIES, "");
_Static_assert(OPTION_AUTHORITIES == MHD_OPTION_HTTPS_MEM_TRUST, "");
_Static_assert(OPTION_NOTIFY_CONNECTION == MHD_OPTION_NOTIFY_CONNECTION, "");
_Static_assert(STARTED == MHD_CONNECTION_NOTIFY_STARTED, "");
_Static_assert(INFO_SESSION == MHD_CONNECTION_INFO_GNUTLS_SESSION, "");
_Static_assert(INFO_DESCRIPTOR == MHD_CONNECTION_INFO_CONNECTION_FD, "");
_Static_assert(INFO_CONTEXT == MHD_CONNECTION_INFO_SOCKET_CONTEXT, "");
#endif

typedef int (*handler)(void *, void *, const char *, const char *, const char *, const char *,
                       size_t *, void **);
typedef int (*visitor)(void *, int, const char *, const char *);

static struct {
  void *(*start)(unsigned, uint16_t, void *, void *, handler, void *, ...);
  void (*stop)(void *);
  int (*run)(void *);
  int (*timeout)(void *, unsigned long long *);
  int (*quiesce)(void *);
  void (*suspend)(void *);
  void (*resume)(void *);
  void *(*respond)(size_t, void *, int);
  int (*add_header)(void *, const char *, const char *);
  int (*queue)(void *, unsigned, void *);
  void (*destroy)(void *);
  int (*values)(void *, int, visitor, void *);
  const void *(*info)(void *, int, ...);
  const void *(*about)(void *, int, ...);
  int (*supports)(int);
  char *(*basic)(void *, char **);
  void (*release)(void *);
  int loaded;
} mhd;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&mhd.start = dlsym(library, "MHD_start_daemon");
  *(void **)&mhd.stop = dlsym(library, "MHD_stop_daemon");
  *(void **)&mhd.run = dlsym(library, "MHD_run");
  *(void **)&mhd.timeout = dlsym(library, "MHD_get_timeout");
  *(void **)&mhd.quiesce = dlsym(library, "MHD_quiesce_daemon");
  *(void **)&mhd.suspend = dlsym(library, "MHD_suspend_connection");
  *(void **)&mhd.resume = dlsym(library, "MHD_resume_connection");
  *(void **)&mhd.respond = dlsym(library, "MHD_create_response_from_buffer");
  *(void **)&mhd.add_header = dlsym(library, "MHD_add_response_header");
  *(void **)&mhd.queue = dlsym(library, "MHD_queue_response");
  *(void **)&mhd.destroy = dlsym(library, "MHD_destroy_response");
  *(void **)&mhd.values = dlsym(library, "MHD_get_connection_values");
  *(void **)&mhd.info = dlsym(library, "MHD_get_daemon_info");
  *(void **)&mhd.basic = dlsym(library, "MHD_basic_auth_get_username_password");
  *(void **)&mhd.release = dlsym(library, "MHD_free");
  *(void **)&mhd.about = dlsym(library, "MHD_get_connection_info");
  *(void **)&mhd.supports = dlsym(library, "MHD_is_feature_supported");
  mhd.loaded = mhd.about && mhd.supports && mhd.start && mhd.stop && mhd.run && mhd.timeout && mhd.quiesce && mhd.suspend && mhd.resume &&
               mhd.respond && mhd.add_header && mhd.queue && mhd.destroy && mhd.values && mhd.info &&
               mhd.basic && mhd.release;
}

// A connection of which a request has not come whole yet.
struct arrival {
  int descriptor;
  // Its first request has begun; so a handshake is done.
  int has_begun;
  int64_t until;
  struct arrival *before, *next;
};

struct cin_http {
  void *daemon;
  int descriptor;
  size_t limit;
  cin_request *first, *last;
  // Those that have to send a request, the oldest first, and how many have not begun their first one.
  struct arrival *oldest, *newest;
  unsigned beginners;
  int64_t longest_start;
  cin_tls_context *judge;
  char *certificate, *key, *authorities;
};

struct cin_request {
  cin_http *http;
  void *connection;
  const char *method;
  uint8_t *body;
  size_t length;
  int exceeded;
  // It has come whole; else a body is announced of which nothing was read.
  int is_whole;
  // The library says again that it has come, as after each pause before a body.
  int goes_on;
  int parameters;
  const char *names[CIN_MOST_PARAMETERS], *values[CIN_MOST_PARAMETERS];
  const char *path;
  unsigned status, seconds;
  const char *text;
  char *copy;
  cin_request *next;
};

// MARK: Those who are slow to begin

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void forget(cin_http *http, struct arrival *arrival) {
  if (!arrival->until) return;
  *(arrival->before ? &arrival->before->next : &http->oldest) = arrival->next;
  *(arrival->next ? &arrival->next->before : &http->newest) = arrival->before;
  arrival->until = 0;
}

// From now on it has its time for a request.
static void expect(cin_http *http, struct arrival *arrival) {
  forget(http, arrival);
  arrival->until = now() + http->longest_start;
  arrival->before = http->newest;
  arrival->next = NULL;
  *(http->newest ? &http->newest->next : &http->oldest) = arrival;
  http->newest = arrival;
}

static struct arrival *arrival_of(void *connection) {
  struct arrival *const *arrival = mhd.about(connection, INFO_CONTEXT);
  return arrival ? *arrival : NULL;
}

static void begin(cin_http *http, struct arrival *arrival) {
  if (!arrival->has_begun) http->beginners--;
  arrival->has_begun = 1;
}

static void notified(void *context, void *connection, void **kept, int what) {
  cin_http *http = context;
  struct arrival *arrival = *kept;
  if (what != STARTED) {
    if (arrival) begin(http, arrival), forget(http, arrival);
    free(arrival);
    *kept = NULL;
    return;
  }
  const int *descriptor = mhd.about(connection, INFO_DESCRIPTOR);
  if (!descriptor || !(arrival = calloc(1, sizeof *arrival))) return;
  arrival->descriptor = *descriptor;
  http->beginners++;
  expect(http, arrival);
  *kept = arrival;
}

// Bytes that come one by one keep nobody's place.
static void end_slow(cin_http *http) {
  int64_t time = http->oldest ? now() : 0;
  while (http->oldest && http->oldest->until <= time) {
    shutdown(http->oldest->descriptor, SHUT_RDWR);
    forget(http, http->oldest);
  }
}

// MARK: Requests

static int take(cin_request *request, const char *bytes, size_t count) {
  if (request->exceeded || count > request->http->limit - request->length) {
    request->exceeded = 1;
    return 1;
  }
  uint8_t *grown = realloc(request->body, request->length + count);
  if (!grown) return 0;
  memcpy(grown + request->length, bytes, count);
  request->body = grown;
  request->length += count;
  return 1;
}

static int note_parameter(void *context, int kind, const char *key, const char *value) {
  (void)kind;
  cin_request *request = context;
  if (request->parameters < CIN_MOST_PARAMETERS) {
    request->names[request->parameters] = key ? key : "";
    request->values[request->parameters] = value ? value : "";
  }
  request->parameters++;
  return 1;
}

static int respond(cin_request *request) {
  int memory = request->copy ? MEMORY_COPIED : MEMORY_PERSISTENT;
  void *response = mhd.respond(strlen(request->text), (void *)request->text, memory);
  if (!response) return 0;
  int is_json = request->text[0] == '[';
  mhd.add_header(response, "Content-Type", is_json ? "application/json" : "text/plain");
  if (request->status == 401) mhd.add_header(response, "WWW-Authenticate", "Basic realm=\"fleet\"");
  char seconds[16];
  snprintf(seconds, sizeof seconds, "%u", request->seconds);
  if (request->status == 503 || request->status == 429)
    mhd.add_header(response, "Retry-After", seconds);
  int result = mhd.queue(request->connection, request->status, response);
  mhd.destroy(response);
  return result;
}

struct search {
  const char *name, *value;
  int count;
};

static int note_header(void *context, int kind, const char *key, const char *value) {
  (void)kind;
  struct search *search = context;
  if (key && !strcasecmp(key, search->name)) {
    search->value = value;
    search->count++;
  }
  return 1;
}

static int announces_body(void *connection) {
  struct search length = {"Content-Length", NULL, 0}, coding = {"Transfer-Encoding", NULL, 0};
  mhd.values(connection, HEADER_KIND, note_header, &length);
  mhd.values(connection, HEADER_KIND, note_header, &coding);
  return coding.count || length.count > 1 || (length.count && strcmp(length.value ? length.value : "", "0"));
}

// It goes on when there is a reply, or leave to go on.
static int wait_for_reply(cin_http *http, cin_request *request) {
  struct arrival *arrival = arrival_of(request->connection);
  if (arrival) forget(http, arrival);
  request->next = NULL;
  if (http->last) http->last->next = request;
  else http->first = request;
  http->last = request;
  mhd.suspend(request->connection);
  return 1;
}

static int handle(void *context, void *connection, const char *path, const char *method,
                  const char *version, const char *bytes, size_t *count, void **kept) {
  (void)version;
  cin_http *http = context;
  cin_request *request = *kept;
  if (!request) {
    request = calloc(1, sizeof *request);
    if (!request) return 0;
    *kept = request;
    struct arrival *arrival = arrival_of(connection);
    if (arrival) begin(http, arrival);
    request->http = http;
    request->connection = connection;
    request->method = method;
    request->path = path;
    mhd.values(connection, QUERY_KIND, note_parameter, request);
    return announces_body(connection) ? wait_for_reply(http, request) : 1;
  }
  // Before a body has begun it is not read any more.
  if (request->status) return respond(request);
  int goes_on = request->goes_on;
  request->goes_on = 0;
  if (*count) {
    int taken = take(request, bytes, *count);
    *count = 0;
    return taken;
  }
  if (goes_on) return 1;
  request->is_whole = 1;
  return wait_for_reply(http, request);
}

static void completed(void *context, void *connection, void **kept, int reason) {
  (void)reason;
  struct arrival *arrival = arrival_of(connection);
  if (arrival) expect(context, arrival);
  cin_request *request = *kept;
  if (!request) return;
  free(request->body);
  free(request->copy);
  free(request);
  *kept = NULL;
}

static void release(cin_http *http) {
  if (http->key) explicit_bzero(http->key, strlen(http->key));
  free(http->key);
  free(http->certificate);
  free(http->authorities);
  free(http);
}

// What the library is given for TLS; it ends with OPTION_END alone where there is none.
struct option {
  int option;
  intptr_t value;
  void *pointer;
};

static int set_tls(cin_http *http, const cin_https *https, struct option *options) {
  http->judge = https->judge;
  http->certificate = strdup(https->certificate);
  http->key = strdup(https->key);
  http->authorities = https->authorities ? strdup(https->authorities) : NULL;
  if (!http->certificate || !http->key || (https->authorities && !http->authorities)) return 0;
  int count = 0;
  options[count++] = (struct option){OPTION_CERTIFICATE, 0, http->certificate};
  options[count++] = (struct option){OPTION_KEY, 0, http->key};
  options[count++] =
      (struct option){OPTION_PRIORITIES, 0, "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"};
  if (http->authorities) options[count++] = (struct option){OPTION_AUTHORITIES, 0, http->authorities};
  options[count] = (struct option){OPTION_END, 0, NULL};
  return 1;
}

cin_http *cin_http_start(int listener, unsigned connections, unsigned seconds, size_t limit,
                         const cin_https *https, int *fault) {
  pthread_once(&once, load);
  *fault = CIN_NO_LIBRARY;
  if (!mhd.loaded) return NULL;
  *fault = CIN_WITHOUT_TLS;
  if (https && !mhd.supports(FEATURE_TLS)) return NULL;
  *fault = CIN_NOT_STARTED;
  cin_http *http = calloc(1, sizeof *http);
  if (!http) return NULL;
  http->limit = limit;
  http->longest_start = (int64_t)seconds * 1000;
  struct option options[8] = {{OPTION_END, 0, NULL}};
  int ready = !https || set_tls(http, https, options);
  int flags = USE_EPOLL | ALLOW_SUSPEND_RESUME | (https ? USE_TLS : 0);
  http->daemon = !ready ? NULL
                        : mhd.start(flags, 0, NULL, NULL, handle, http, OPTION_LISTEN_SOCKET, listener,
                                    OPTION_CONNECTION_LIMIT, connections, OPTION_CONNECTION_TIMEOUT, seconds,
                                    OPTION_CONNECTION_MEMORY_LIMIT, (size_t)8192, OPTION_STRICT_FOR_CLIENT, 1,
                                    OPTION_NOTIFY_COMPLETED, completed, http, OPTION_NOTIFY_CONNECTION,
                                    notified, http, OPTION_ARRAY, options, OPTION_END);
  const int *descriptor = http->daemon ? mhd.info(http->daemon, INFO_EPOLL) : NULL;
  if (!descriptor) {
    if (http->daemon) mhd.stop(http->daemon);
    release(http);
    return NULL;
  }
  http->descriptor = *descriptor;
  return http;
}

int cin_http_descriptor(const cin_http *http) { return http->descriptor; }

int cin_http_run(cin_http *http) {
  mhd.run(http->daemon);
  end_slow(http);
  unsigned long long milliseconds = 0;
  int has_limit = mhd.timeout(http->daemon, &milliseconds);
  int64_t left = http->oldest ? http->oldest->until - now() : -1;
  if (!has_limit || milliseconds > 60000) milliseconds = 60000;
  // While a handshake is not done the library says that it has something to do, which it has not.
  if (!milliseconds && http->beginners) milliseconds = 10;
  if (left >= 0 && (unsigned long long)left < milliseconds) return (int)left;
  return has_limit || left >= 0 ? (int)milliseconds : -1;
}

cin_request *cin_http_next(cin_http *http) {
  cin_request *request = http->first;
  if (!request) return NULL;
  http->first = request->next;
  if (!http->first) http->last = NULL;
  return request;
}

void cin_http_judge(cin_http *http, cin_tls_context *judge) { http->judge = judge; }

void cin_http_quiesce(cin_http *http) { mhd.quiesce(http->daemon); }

void cin_http_stop(cin_http *http) {
  mhd.stop(http->daemon);
  release(http);
}

const char *cin_path(const cin_request *request) { return request->path; }

const char *cin_method(const cin_request *request) { return request->method; }

const char *cin_header(const cin_request *request, const char *name) {
  struct search search = {name, NULL, 0};
  mhd.values(request->connection, HEADER_KIND, note_header, &search);
  return search.count == 1 ? search.value : NULL;
}

int cin_credentials(const cin_request *request, char *user, char *password, size_t room) {
  char *secret = NULL;
  char *name = mhd.basic(request->connection, &secret);
  int found = name && secret && strlen(name) < room && strlen(secret) < room;
  if (found) {
    strcpy(user, name);
    strcpy(password, secret);
  }
  if (secret) {
    explicit_bzero(secret, strlen(secret));
    mhd.release(secret);
  }
  if (name) mhd.release(name);
  return found;
}

int cin_request_subject(const cin_request *request, cin_subject *subject) {
  if (!request->http->authorities) return 0;
  void *const *session = mhd.about(request->connection, INFO_SESSION);
  return session ? cin_session_subject(*session, request->http->judge, subject) : 0;
}

int cin_parameters(const cin_request *request) { return request->parameters; }

const char *cin_parameter_name(const cin_request *request, int index) { return request->names[index]; }

const char *cin_parameter_value(const cin_request *request, int index) { return request->values[index]; }

const uint8_t *cin_body(const cin_request *request, size_t *length, int *exceeded) {
  *length = request->length;
  *exceeded = request->exceeded;
  return request->body;
}

int cin_is_whole(const cin_request *request) { return request->is_whole; }

void cin_go_on(cin_request *request) {
  struct arrival *arrival = arrival_of(request->connection);
  if (arrival) expect(request->http, arrival);
  request->goes_on = 1;
  mhd.resume(request->connection);
}

void cin_reply(cin_request *request, unsigned status, const char *text, unsigned seconds) {
  request->seconds = seconds;
  request->status = status;
  request->text = text;
  mhd.resume(request->connection);
}

void cin_reply_copy(cin_request *request, unsigned status, const char *text) {
  request->copy = strdup(text);
  cin_reply(request, request->copy ? status : 503, request->copy ? request->copy : "", 5);
}
