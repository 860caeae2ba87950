#include "cmicrohttpd.h"

#include "CLinux.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// The few numbers of libmicrohttpd's stable binary interface (libmicrohttpd.so.12) that are used here, so
// that neither its headers nor its library are needed until somebody opens the console.
enum {
  USE_THREAD_PER_CONNECTION = 4,
  USE_INTERNAL_POLLING_THREAD = 8,
  USE_POLL = 64,
  OPTION_END = 0,
  OPTION_CONNECTION_MEMORY_LIMIT = 1,
  OPTION_CONNECTION_LIMIT = 2,
  OPTION_CONNECTION_TIMEOUT = 3,
  OPTION_NOTIFY_COMPLETED = 4,
  OPTION_LISTEN_SOCKET = 12,
  OPTION_STRICT_FOR_CLIENT = 29,
  MEMORY_MUST_COPY = 2,
  HEADER_KIND = 1,
  QUERY_KIND = 8,
  INFO_CLIENT_ADDRESS = 2,
};

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>
_Static_assert(USE_THREAD_PER_CONNECTION == MHD_USE_THREAD_PER_CONNECTION, "");
_Static_assert(USE_INTERNAL_POLLING_THREAD == MHD_USE_INTERNAL_POLLING_THREAD, "");
_Static_assert(USE_POLL == MHD_USE_POLL, "");
_Static_assert(OPTION_CONNECTION_MEMORY_LIMIT == MHD_OPTION_CONNECTION_MEMORY_LIMIT, "");
_Static_assert(OPTION_CONNECTION_LIMIT == MHD_OPTION_CONNECTION_LIMIT, "");
_Static_assert(OPTION_CONNECTION_TIMEOUT == MHD_OPTION_CONNECTION_TIMEOUT, "");
_Static_assert(OPTION_NOTIFY_COMPLETED == MHD_OPTION_NOTIFY_COMPLETED, "");
_Static_assert(OPTION_LISTEN_SOCKET == MHD_OPTION_LISTEN_SOCKET, "");
_Static_assert(OPTION_STRICT_FOR_CLIENT == MHD_OPTION_STRICT_FOR_CLIENT, "");
_Static_assert(MEMORY_MUST_COPY == MHD_RESPMEM_MUST_COPY, "");
_Static_assert(HEADER_KIND == MHD_HEADER_KIND && QUERY_KIND == MHD_GET_ARGUMENT_KIND, "");
_Static_assert(INFO_CLIENT_ADDRESS == MHD_CONNECTION_INFO_CLIENT_ADDRESS, "");
#endif

typedef int (*handler)(void *, void *, const char *, const char *, const char *, const char *,
                       size_t *, void **);
typedef int (*visitor)(void *, int, const char *, const char *);

static struct {
  void *(*start)(unsigned, uint16_t, void *, void *, handler, void *, ...);
  void (*stop)(void *);
  void *(*respond)(size_t, void *, int);
  int (*add_header)(void *, const char *, const char *);
  int (*queue)(void *, unsigned, void *);
  void (*destroy)(void *);
  const char *(*lookup)(void *, int, const char *);
  int (*values)(void *, int, visitor, void *);
  const void *(*info)(void *, int, ...);
  int loaded;
} mhd;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&mhd.start = dlsym(library, "MHD_start_daemon");
  *(void **)&mhd.stop = dlsym(library, "MHD_stop_daemon");
  *(void **)&mhd.respond = dlsym(library, "MHD_create_response_from_buffer");
  *(void **)&mhd.add_header = dlsym(library, "MHD_add_response_header");
  *(void **)&mhd.queue = dlsym(library, "MHD_queue_response");
  *(void **)&mhd.destroy = dlsym(library, "MHD_destroy_response");
  *(void **)&mhd.lookup = dlsym(library, "MHD_lookup_connection_value");
  *(void **)&mhd.values = dlsym(library, "MHD_get_connection_values");
  *(void **)&mhd.info = dlsym(library, "MHD_get_connection_info");
  mhd.loaded = mhd.start && mhd.stop && mhd.respond && mhd.add_header && mhd.queue && mhd.destroy &&
               mhd.lookup && mhd.values && mhd.info;
}

struct cmhd_server {
  void *daemon;
  uint16_t port;
  cmhd_calls calls;
};

struct cmhd_request {
  const cmhd_server *server;
  void *connection;
  const char *method;
  char *path;
  uint8_t *body;
  size_t length;
  size_t limit;
  int exceeded;
  int result;
};

static int take(cmhd_request *request, const char *bytes, size_t count) {
  if (request->exceeded || count > request->limit - request->length) {
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

static int handle(void *context, void *connection, const char *path, const char *method,
                  const char *version, const char *bytes, size_t *count, void **kept) {
  (void)version;
  cmhd_server *server = context;
  cmhd_request *request = *kept;
  if (!request) {
    request = calloc(1, sizeof *request);
    if (!request || !(request->path = strdup(path))) {
      free(request);
      return 0;
    }
    *kept = request;
    request->server = server;
    request->connection = connection;
    request->method = method;
    long limit = server->calls.limit(server->calls.context, request);
    if (limit >= 0) {
      request->limit = (size_t)limit;
      return 1;
    }
    server->calls.answer(server->calls.context, request);
    return request->result;
  }
  if (*count) {
    int taken = take(request, bytes, *count);
    *count = 0;
    return taken;
  }
  server->calls.answer(server->calls.context, request);
  return request->result;
}

static void completed(void *context, void *connection, void **kept, int reason) {
  (void)context;
  (void)connection;
  (void)reason;
  cmhd_request *request = *kept;
  if (!request) return;
  free(request->path);
  free(request->body);
  free(request);
  *kept = NULL;
}

static int listener(uint16_t *port, int *fault) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (descriptor >= 0 && !setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
      !bind(descriptor, (struct sockaddr *)&address, sizeof address) && !listen(descriptor, 16) &&
      !getsockname(descriptor, (struct sockaddr *)&address, &size)) {
    *port = ntohs(address.sin_port);
    return descriptor;
  }
  *fault = errno;
  if (descriptor >= 0) close(descriptor);
  return -1;
}

cmhd_server *cmhd_start(uint16_t *port, unsigned connections, unsigned seconds, cmhd_calls calls,
                        int *fault) {
  pthread_once(&once, load);
  if (!mhd.loaded) {
    *fault = CMHD_NO_LIBRARY;
    return NULL;
  }
  int descriptor = listener(port, fault);
  if (descriptor < 0) return NULL;
  cmhd_server *server = calloc(1, sizeof *server);
  if (server) {
    server->calls = calls;
    server->port = *port;
    server->daemon = mhd.start(
        USE_THREAD_PER_CONNECTION | USE_INTERNAL_POLLING_THREAD | USE_POLL, *port, NULL, NULL, handle,
        server, OPTION_LISTEN_SOCKET, descriptor, OPTION_CONNECTION_LIMIT, connections,
        OPTION_CONNECTION_TIMEOUT, seconds, OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
        OPTION_STRICT_FOR_CLIENT, 1, OPTION_NOTIFY_COMPLETED, completed, NULL, OPTION_END);
    if (server->daemon) return server;
  }
  *fault = CMHD_NOT_STARTED;
  close(descriptor);
  free(server);
  return NULL;
}

void cmhd_stop(cmhd_server *server) {
  mhd.stop(server->daemon);
  free(server);
}

const char *cmhd_method(const cmhd_request *request) { return request->method; }

const char *cmhd_path(const cmhd_request *request) { return request->path; }

int64_t cmhd_peer_user(const cmhd_request *request) {
  const struct sockaddr *const *address = mhd.info(request->connection, INFO_CLIENT_ADDRESS);
  if (!address || !*address || (*address)->sa_family != AF_INET) return -1;
  struct sockaddr_in near;
  memcpy(&near, *address, sizeof near);
  struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(request->server->port)};
  far.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return linux_tcp_user(&near, &far);
}

struct search {
  const char *name;
  int count;
};

static int note(void *context, int kind, const char *key, const char *value) {
  (void)kind;
  (void)value;
  struct search *search = context;
  if (key && !strcasecmp(key, search->name)) search->count++;
  return 1;
}

int cmhd_header_count(const cmhd_request *request, const char *name) {
  struct search search = {name, 0};
  mhd.values(request->connection, HEADER_KIND, note, &search);
  return search.count;
}

const char *cmhd_header(const cmhd_request *request, const char *name) {
  if (cmhd_header_count(request, name) != 1) return NULL;
  return mhd.lookup(request->connection, HEADER_KIND, name);
}

const char *cmhd_query(const cmhd_request *request, const char *name) {
  return mhd.lookup(request->connection, QUERY_KIND, name);
}

const uint8_t *cmhd_body(const cmhd_request *request, size_t *length, int *exceeded) {
  *length = request->length;
  *exceeded = request->exceeded;
  return request->body;
}

void cmhd_reply(cmhd_request *request, unsigned status, const char *const *headers, const void *body,
                size_t length) {
  void *response = mhd.respond(length, (void *)body, MEMORY_MUST_COPY);
  if (!response) return;
  for (; headers && headers[0]; headers += 2) mhd.add_header(response, headers[0], headers[1]);
  request->result = mhd.queue(request->connection, status, response);
  mhd.destroy(response);
}
