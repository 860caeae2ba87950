#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The few numbers of libcurl's stable binary interface that are used here (curl/curl.h), so that
// neither its headers nor its library are needed until somebody chooses a web geocoder.
enum {
  OPT_WRITEDATA = 10001,
  OPT_URL = 10002,
  OPT_PROXY = 10004,
  OPT_POSTFIELDS = 10015,
  OPT_USERAGENT = 10018,
  OPT_HTTPHEADER = 10023,
  OPT_HEADERDATA = 10029,
  OPT_CAINFO = 10065,
  OPT_WRITEFUNCTION = 20011,
  OPT_HEADERFUNCTION = 20079,
  OPT_FOLLOWLOCATION = 52,
  OPT_POSTFIELDSIZE = 60,
  OPT_NOSIGNAL = 99,
  OPT_TIMEOUT_MS = 155,
  OPT_PROTOCOLS = 181,
  PROTOCOL_HTTP = 1,
  PROTOCOL_HTTPS = 2,
  INFO_RESPONSE_CODE = 0x200002,
  INFO_REDIRECT_URL = 0x10001f,
  GLOBAL_DEFAULT = 3,
};

static struct {
  int (*global_init)(long);
  void *(*init)(void);
  int (*setopt)(void *, int, ...);
  int (*perform)(void *);
  int (*getinfo)(void *, int, ...);
  void (*cleanup)(void *);
  void *(*list_append)(void *, const char *);
  void (*list_free)(void *);
  int loaded;
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&curl.global_init = dlsym(library, "curl_global_init");
  *(void **)&curl.init = dlsym(library, "curl_easy_init");
  *(void **)&curl.setopt = dlsym(library, "curl_easy_setopt");
  *(void **)&curl.perform = dlsym(library, "curl_easy_perform");
  *(void **)&curl.getinfo = dlsym(library, "curl_easy_getinfo");
  *(void **)&curl.cleanup = dlsym(library, "curl_easy_cleanup");
  *(void **)&curl.list_append = dlsym(library, "curl_slist_append");
  *(void **)&curl.list_free = dlsym(library, "curl_slist_free_all");
  if (!curl.global_init || !curl.init || !curl.setopt || !curl.perform || !curl.getinfo ||
      !curl.cleanup || !curl.list_append || !curl.list_free)
    return;
  curl.loaded = curl.global_init(GLOBAL_DEFAULT) == 0;
}

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

static size_t take_header(char *bytes, size_t size, size_t count, void *context) {
  struct sink *sink = context;
  static const char name[] = "retry-after:";
  size_t length = size * count;
  if (length > sizeof name && strncasecmp(bytes, name, sizeof name - 1) == 0) {
    char digits[16] = {0};
    size_t rest = length - (sizeof name - 1);
    memcpy(digits, bytes + sizeof name - 1, rest < sizeof digits ? rest : sizeof digits - 1);
    char *end = digits;
    long seconds = strtol(digits, &end, 10);
    if (end != digits && seconds >= 0) sink->answer->retry_after = seconds;
  }
  return length;
}

ccurl_answer ccurl_send(const char *url, ccurl_options options) {
  ccurl_answer answer = {.status = 0, .retry_after = -1, .code = -1};
  pthread_once(&once, load);
  void *handle = curl.loaded ? curl.init() : NULL;
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
  if (options.authorities) curl.setopt(handle, OPT_CAINFO, options.authorities);
  void *headers = NULL;
  if (options.json) {
    headers = curl.list_append(NULL, "Content-Type: application/json");
    curl.setopt(handle, OPT_HTTPHEADER, headers);
    curl.setopt(handle, OPT_POSTFIELDSIZE, (long)options.json_length);
    curl.setopt(handle, OPT_POSTFIELDS, options.json);
  }
  curl.setopt(handle, OPT_WRITEFUNCTION, take_body);
  curl.setopt(handle, OPT_WRITEDATA, &sink);
  curl.setopt(handle, OPT_HEADERFUNCTION, take_header);
  curl.setopt(handle, OPT_HEADERDATA, &sink);
  int code = curl.perform(handle);
  if (answer.code == 0) answer.code = code;
  if (code == 0) {
    char *redirect = NULL;
    curl.getinfo(handle, INFO_RESPONSE_CODE, &answer.status);
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
