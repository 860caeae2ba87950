#ifndef CCURL_LOAD_H
#define CCURL_LOAD_H

#include <stddef.h>

// The few numbers of libcurl's stable binary interface that are used here (curl/curl.h), so that
// neither its headers nor its library are needed until somebody names a server.
enum {
  OPT_WRITEDATA = 10001,
  OPT_URL = 10002,
  OPT_PROXY = 10004,
  OPT_POSTFIELDS = 10015,
  OPT_USERAGENT = 10018,
  OPT_HTTPHEADER = 10023,
  OPT_ERRORBUFFER = 10010,
  OPT_CAINFO = 10065,
  OPT_SSLCERT = 10025,
  OPT_KEYPASSWD = 10026,
  OPT_SSLKEY = 10087,
  OPT_USERNAME = 10173,
  OPT_PASSWORD = 10174,
  OPT_CAPATH = 10097,
  OPT_WRITEFUNCTION = 20011,
  OPT_SSLVERSION = 32,
  OPT_FOLLOWLOCATION = 52,
  OPT_POSTFIELDSIZE = 60,
  OPT_NOSIGNAL = 99,
  OPT_TIMEOUT_MS = 155,
  OPT_CONNECT_ONLY = 141,
  OPT_PRIVATE = 10103,
  OPT_CONNECTTIMEOUT_MS = 156,
  OPT_PROTOCOLS = 181,
  OPT_SSL_ENABLE_ALPN = 226,
  TLS_1_2 = 6,
  CODE_AGAIN = 81,
  CODE_INVALID = 43,
  PROTOCOL_HTTP = 1,
  PROTOCOL_HTTPS = 2,
  INFO_RESPONSE_CODE = 0x200002,
  INFO_REDIRECT_URL = 0x10001f,
  INFO_PRIVATE = 0x100015,
  INFO_RETRY_AFTER = 0x600039,
  INFO_ACTIVESOCKET = 0x50002c,
  GLOBAL_DEFAULT = 3,
  MESSAGE_DONE = 1,
};

#pragma GCC visibility push(hidden)

/// The library, once it is loaded.
struct ccurl_library {
  int (*global_init)(long);
  void *(*init)(void);
  int (*setopt)(void *, int, ...);
  int (*perform)(void *);
  int (*getinfo)(void *, int, ...);
  int (*receive)(void *, void *, size_t, size_t *);
  int (*send)(void *, const void *, size_t, size_t *);
  void (*cleanup)(void *);
  void *(*list_append)(void *, const char *);
  void (*list_free)(void *);
  void *(*multi_init)(void);
  int (*multi_add)(void *, void *);
  int (*multi_remove)(void *, void *);
  int (*multi_perform)(void *, int *);
  int (*multi_poll)(void *, void *, unsigned, int, int *);
  void *(*multi_read)(void *, int *);
  int (*multi_cleanup)(void *);
  int loaded;
};

extern struct ccurl_library ccurl_functions;
#define curl ccurl_functions

/// Loads the library, once; returns whether it is there.
int ccurl_load(void);

/// Trusts the certificates of a file, and then not those of the system besides.
void ccurl_trust(void *handle, const char *authorities);

/// Seconds of the answer's Retry-After, which may also be a date; a day at most; -1 without one that is to come.
long ccurl_retry_after(void *handle);

#pragma GCC visibility pop

#endif
