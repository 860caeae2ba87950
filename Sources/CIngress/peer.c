#define _GNU_SOURCE
#include "cingress.h"
#include "peer.h"

#include <dlfcn.h>
#include <pthread.h>

// Of GnuTLS, by which libmicrohttpd speaks TLS, one function: the certificates that the peer has proved to have. Who
// has signed them is for OpenSSL to say, as with MQTT.

typedef struct {
  unsigned char *bytes;
  unsigned count;
} datum;

static const datum *(*peers)(void *, unsigned *);
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL);
  if (library) *(void **)&peers = dlsym(library, "gnutls_certificate_get_peers");
}

int cin_session_subject(void *session, cin_tls_context *judge, cin_subject *subject) {
  pthread_once(&once, load);
  if (!peers) return -1;
  unsigned count = 0;
  const datum *found = peers(session, &count);
  if (!found || !count) return 0;
  if (count > 8) return -1;
  cin_bytes chain[8];
  long total = 0;
  for (unsigned i = 0; i < count; i++) {
    chain[i] = (cin_bytes){found[i].bytes, found[i].count};
    total += found[i].count;
  }
  return total > CIN_LONGEST_CHAIN ? -1 : cin_tls_judge(judge, chain, count, subject);
}
