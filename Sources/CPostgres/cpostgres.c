#define _GNU_SOURCE
#include "cpostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The few numbers of libpq's stable binary interface (libpq-fe.h) that are used here, so that neither its
// headers nor its library are needed where no sink hands on to PostgreSQL.
enum {
  POLLING_FAILED = 0,
  POLLING_READING = 1,
  POLLING_OK = 3,
  RESULT_COMMAND_OK = 1,
  RESULT_TUPLES_OK = 2,
  DIAG_SQLSTATE = 'C',
  DIAG_MESSAGE = 'M',
};

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
_Static_assert(PGRES_POLLING_FAILED == POLLING_FAILED && PGRES_POLLING_OK == POLLING_OK, "");
_Static_assert(PGRES_POLLING_READING == POLLING_READING, "");
_Static_assert(PGRES_COMMAND_OK == RESULT_COMMAND_OK && PGRES_TUPLES_OK == RESULT_TUPLES_OK, "");
_Static_assert(PG_DIAG_SQLSTATE == DIAG_SQLSTATE && PG_DIAG_MESSAGE_PRIMARY == DIAG_MESSAGE, "");
#endif

static struct {
  void *(*start)(const char *);
  int (*poll)(void *);
  int (*socket)(const void *);
  char *(*error)(const void *);
  int (*send)(void *, const char *, int, const unsigned *, const char *const *, const int *,
              const int *, int);
  int (*consume)(void *);
  int (*busy)(void *);
  int (*flush)(void *);
  int (*nonblocking)(void *, int);
  void *(*result)(void *);
  int (*status)(const void *);
  char *(*field)(const void *, int);
  void (*clear)(void *);
  void (*finish)(void *);
  void *(*notices)(void *, void (*)(void *, const char *), void *);
  int loaded;
} pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&pq.start = dlsym(library, "PQconnectStart");
  *(void **)&pq.poll = dlsym(library, "PQconnectPoll");
  *(void **)&pq.socket = dlsym(library, "PQsocket");
  *(void **)&pq.error = dlsym(library, "PQerrorMessage");
  *(void **)&pq.send = dlsym(library, "PQsendQueryParams");
  *(void **)&pq.consume = dlsym(library, "PQconsumeInput");
  *(void **)&pq.busy = dlsym(library, "PQisBusy");
  *(void **)&pq.flush = dlsym(library, "PQflush");
  *(void **)&pq.nonblocking = dlsym(library, "PQsetnonblocking");
  *(void **)&pq.result = dlsym(library, "PQgetResult");
  *(void **)&pq.status = dlsym(library, "PQresultStatus");
  *(void **)&pq.field = dlsym(library, "PQresultErrorField");
  *(void **)&pq.clear = dlsym(library, "PQclear");
  *(void **)&pq.finish = dlsym(library, "PQfinish");
  *(void **)&pq.notices = dlsym(library, "PQsetNoticeProcessor");
  pq.loaded = pq.start && pq.poll && pq.socket && pq.error && pq.send && pq.consume && pq.busy &&
              pq.flush && pq.nonblocking && pq.result && pq.status && pq.field && pq.clear &&
              pq.finish && pq.notices;
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Waits for a socket; returns whether something has happened before the end.
static int wait_for(int descriptor, short events, long end) {
  struct pollfd watched = {.fd = descriptor, .events = events};
  for (;;) {
    long left = end - now();
    if (left <= 0 || descriptor < 0) return 0;
    int count = poll(&watched, 1, (int)left);
    if (count > 0) return 1;
    if (count < 0 && errno != EINTR) return 0;
  }
}

static void say(cpg_answer *answer, const char *text) {
  answer->fault = 1;
  size_t count = strcspn(text ? text : "", "\n");
  if (count >= sizeof answer->message) count = sizeof answer->message - 1;
  memcpy(answer->message, text ? text : "", count);
  answer->message[count] = 0;
}

static void ignore(void *context, const char *text) { (void)context, (void)text; }

cpg_connection *cpg_open(const char *words, int milliseconds, cpg_answer *answer) {
  memset(answer, 0, sizeof *answer);
  pthread_once(&once, load);
  if (!pq.loaded) {
    say(answer, "libpq is not installed: apt-get install libpq5");
    answer->fault = -1;
    return NULL;
  }
  long end = now() + milliseconds;
  void *connection = pq.start(words);
  int state = POLLING_READING + 1;
  while (connection && state != POLLING_OK && state != POLLING_FAILED) {
    short events = state == POLLING_READING ? POLLIN : POLLOUT;
    if (!wait_for(pq.socket(connection), events, end)) break;
    state = pq.poll(connection);
  }
  if (connection && state == POLLING_OK && pq.nonblocking(connection, 1) == 0) {
    pq.notices(connection, ignore, NULL);
    return connection;
  }
  const char *text = connection ? pq.error(connection) : "there is not enough memory";
  say(answer, text && *text ? text : "no answer in time");
  if (connection) pq.finish(connection);
  return NULL;
}

// Reads the results until there is none; the first fault counts.
static void read_results(void *connection, long end, cpg_answer *answer) {
  for (;;) {
    int unsent = pq.flush(connection);
    while (unsent > 0 || pq.busy(connection)) {
      if (!wait_for(pq.socket(connection), unsent > 0 ? POLLIN | POLLOUT : POLLIN, end))
        return say(answer, "no answer in time");
      if (!pq.consume(connection)) return say(answer, pq.error(connection));
      if (unsent > 0) unsent = pq.flush(connection);
    }
    void *result = unsent < 0 ? NULL : pq.result(connection);
    if (unsent < 0) say(answer, pq.error(connection));
    if (!result) return;
    int status = pq.status(result);
    if (status != RESULT_COMMAND_OK && status != RESULT_TUPLES_OK && !answer->fault) {
      const char *state = pq.field(result, DIAG_SQLSTATE);
      const char *text = pq.field(result, DIAG_MESSAGE);
      say(answer, text ? text : "no answer");
      if (state) strncpy(answer->state, state, sizeof answer->state - 1);
    }
    pq.clear(result);
  }
}

cpg_answer cpg_run(
    cpg_connection *connection, const char *statement, const char *parameter, int milliseconds) {
  cpg_answer answer = {0};
  long end = now() + milliseconds;
  const char *const values[] = {parameter};
  if (!pq.send(connection, statement, parameter ? 1 : 0, NULL, values, NULL, NULL, 0))
    say(&answer, pq.error(connection));
  else
    read_results(connection, end, &answer);
  return answer;
}

void cpg_close(cpg_connection *connection) { pq.finish(connection); }
