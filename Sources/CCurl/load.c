#include "load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

struct ccurl_library curl;

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
  *(void **)&curl.receive = dlsym(library, "curl_easy_recv");
  *(void **)&curl.send = dlsym(library, "curl_easy_send");
  *(void **)&curl.cleanup = dlsym(library, "curl_easy_cleanup");
  *(void **)&curl.list_append = dlsym(library, "curl_slist_append");
  *(void **)&curl.list_free = dlsym(library, "curl_slist_free_all");
  *(void **)&curl.multi_init = dlsym(library, "curl_multi_init");
  *(void **)&curl.multi_add = dlsym(library, "curl_multi_add_handle");
  *(void **)&curl.multi_remove = dlsym(library, "curl_multi_remove_handle");
  *(void **)&curl.multi_perform = dlsym(library, "curl_multi_perform");
  *(void **)&curl.multi_poll = dlsym(library, "curl_multi_poll");
  *(void **)&curl.multi_read = dlsym(library, "curl_multi_info_read");
  *(void **)&curl.multi_cleanup = dlsym(library, "curl_multi_cleanup");
  if (!curl.global_init || !curl.init || !curl.setopt || !curl.perform || !curl.getinfo ||
      !curl.receive || !curl.send || !curl.cleanup || !curl.list_append || !curl.list_free ||
      !curl.multi_init || !curl.multi_add || !curl.multi_remove || !curl.multi_perform ||
      !curl.multi_poll || !curl.multi_read || !curl.multi_cleanup)
    return;
  curl.loaded = curl.global_init(GLOBAL_DEFAULT) == 0;
}

int ccurl_load(void) {
  pthread_once(&once, load);
  return curl.loaded;
}

void ccurl_trust(void *handle, const char *authorities) {
  if (!authorities) return;
  curl.setopt(handle, OPT_CAINFO, authorities);
  curl.setopt(handle, OPT_CAPATH, (char *)NULL);
}

long ccurl_retry_after(void *handle) {
  int64_t seconds = 0;
  return curl.getinfo(handle, INFO_RETRY_AFTER, &seconds) == 0 && seconds > 0 ? (long)(seconds < 86400 ? seconds : 86400) : -1;
}
