#define _GNU_SOURCE
#include "cingress.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

// The few numbers of OpenSSL's stable binary interface (libssl.so.3) that are used here, so that neither its
// headers nor its library are needed where no ingress speaks TLS.
enum {
  CONTROL_MODE = 33,
  CONTROL_CACHE = 44,
  CONTROL_CLEAR_MODE = 78,
  CONTROL_LONGEST_CHAIN = 51,
  CONTROL_OLDEST_VERSION = 123,
  VERSION_1_2 = 0x0303,
  CACHE_OFF = 0,
  // Writing in part, from a buffer that may have moved; no buffers at rest.
  MODES = 0x1 | 0x2 | 0x10,
  // One call reads on until a record has something for us, however many there are without.
  AUTO_RETRY = 4,
  NO_TICKET = 1 << 14,
  NO_RENEGOTIATION = 1 << 30,
  VERIFY_PEER = 1,
  FILE_PEM = 1,
  ERROR_WANT_READ = 2,
  ERROR_WANT_WRITE = 3,
  // Of the device's certificate and of each one above it.
  CHECK_REVOCATION = 0x4 | 0x8,
  NAME = 13,
  ORGANIZATION = 17,
  UNIT = 18,
};

#if __has_include(<openssl/ssl.h>)
#include <openssl/ssl.h>
_Static_assert(CONTROL_MODE == SSL_CTRL_MODE && CONTROL_CACHE == SSL_CTRL_SET_SESS_CACHE_MODE, "");
_Static_assert(CONTROL_CLEAR_MODE == SSL_CTRL_CLEAR_MODE && AUTO_RETRY == SSL_MODE_AUTO_RETRY, "");
_Static_assert(CONTROL_LONGEST_CHAIN == SSL_CTRL_SET_MAX_CERT_LIST, "");
_Static_assert(CONTROL_OLDEST_VERSION == SSL_CTRL_SET_MIN_PROTO_VERSION, "");
_Static_assert(VERSION_1_2 == TLS1_2_VERSION && CACHE_OFF == SSL_SESS_CACHE_OFF, "");
_Static_assert(MODES == (SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS), "");
_Static_assert(NO_TICKET == SSL_OP_NO_TICKET && NO_RENEGOTIATION == SSL_OP_NO_RENEGOTIATION, "");
_Static_assert(VERIFY_PEER == SSL_VERIFY_PEER && FILE_PEM == SSL_FILETYPE_PEM, "");
_Static_assert(ERROR_WANT_READ == SSL_ERROR_WANT_READ && ERROR_WANT_WRITE == SSL_ERROR_WANT_WRITE, "");
_Static_assert(CHECK_REVOCATION == (X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL), "");
_Static_assert(NAME == NID_commonName && ORGANIZATION == NID_organizationName, "");
_Static_assert(UNIT == NID_organizationalUnitName, "");
#endif

static struct {
  const void *(*method)(void);
  const void *(*client_method)(void);
  void *(*context)(const void *);
  void (*free_context)(void *);
  long (*control)(void *, int, long, void *);
  uint64_t (*options)(void *, uint64_t);
  int (*tickets)(void *, size_t);
  int (*chain)(void *, const char *);
  int (*key)(void *, const char *, int);
  int (*matches)(const void *);
  void (*passphrase)(void *, int (*)(char *, int, int, void *));
  int (*authorities)(void *, const char *);
  void *(*names)(const char *);
  void (*set_names)(void *, void *);
  void (*verify)(void *, int, void *);
  void (*depth)(void *, int);
  int (*level)(const void *);
  void *(*store)(const void *);
  void *(*session)(void *);
  void (*free_session)(void *);
  int (*descriptor)(void *, int);
  int (*accept)(void *);
  int (*connect)(void *);
  int (*read)(void *, void *, int);
  int (*write)(void *, const void *, int);
  int (*error)(const void *, int);
  int (*shutdown)(void *);
  void *(*peer)(const void *);
  // Of libcrypto.
  void (*clear)(void);
  unsigned long (*last)(void);
  const char *(*reason)(unsigned long);
  int (*store_flags)(void *, unsigned long);
  void *(*certificate)(void *, const unsigned char **, long);
  void (*free_certificate)(void *);
  void *(*subject)(const void *);
  int (*find)(const void *, int, int);
  void *(*entry)(const void *, int);
  void *(*data)(const void *);
  int (*text)(unsigned char **, const void *);
  void (*free)(void *, const char *, int);
  void *(*judge)(void);
  int (*begin)(void *, void *, void *, void *);
  int (*purpose)(void *, const char *);
  void *(*parameters)(const void *);
  void (*strength)(void *, int);
  int (*valid)(void *);
  void (*free_judge)(void *);
  void *(*list)(void);
  int (*push)(void *, const void *);
  void (*free_list)(void *, void (*)(void *));
  void *(*memory)(const void *, int);
  int (*free_memory)(void *);
  void *(*next)(void *, void **, int (*)(char *, int, int, void *), void *);
  const void *(*end)(const void *);
  int (*time)(const void *, struct tm *);
  int loaded;
} tls;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Each function and its name in the library.
static const struct {
  void *place;
  const char *name;
} functions[] = {
    {&tls.method, "TLS_server_method"},
    {&tls.client_method, "TLS_client_method"},
    {&tls.context, "SSL_CTX_new"},
    {&tls.free_context, "SSL_CTX_free"},
    {&tls.control, "SSL_CTX_ctrl"},
    {&tls.options, "SSL_CTX_set_options"},
    {&tls.tickets, "SSL_CTX_set_num_tickets"},
    {&tls.chain, "SSL_CTX_use_certificate_chain_file"},
    {&tls.key, "SSL_CTX_use_PrivateKey_file"},
    {&tls.matches, "SSL_CTX_check_private_key"},
    {&tls.passphrase, "SSL_CTX_set_default_passwd_cb"},
    {&tls.authorities, "SSL_CTX_load_verify_file"},
    {&tls.names, "SSL_load_client_CA_file"},
    {&tls.set_names, "SSL_CTX_set_client_CA_list"},
    {&tls.verify, "SSL_CTX_set_verify"},
    {&tls.depth, "SSL_CTX_set_verify_depth"},
    {&tls.level, "SSL_CTX_get_security_level"},
    {&tls.store, "SSL_CTX_get_cert_store"},
    {&tls.session, "SSL_new"},
    {&tls.free_session, "SSL_free"},
    {&tls.descriptor, "SSL_set_fd"},
    {&tls.accept, "SSL_accept"},
    {&tls.connect, "SSL_connect"},
    {&tls.read, "SSL_read"},
    {&tls.write, "SSL_write"},
    {&tls.error, "SSL_get_error"},
    {&tls.shutdown, "SSL_shutdown"},
    {&tls.peer, "SSL_get1_peer_certificate"},
    {&tls.clear, "ERR_clear_error"},
    {&tls.last, "ERR_peek_last_error"},
    {&tls.reason, "ERR_reason_error_string"},
    {&tls.store_flags, "X509_STORE_set_flags"},
    {&tls.certificate, "d2i_X509"},
    {&tls.free_certificate, "X509_free"},
    {&tls.subject, "X509_get_subject_name"},
    {&tls.find, "X509_NAME_get_index_by_NID"},
    {&tls.entry, "X509_NAME_get_entry"},
    {&tls.data, "X509_NAME_ENTRY_get_data"},
    {&tls.text, "ASN1_STRING_to_UTF8"},
    {&tls.free, "CRYPTO_free"},
    {&tls.judge, "X509_STORE_CTX_new"},
    {&tls.begin, "X509_STORE_CTX_init"},
    {&tls.purpose, "X509_STORE_CTX_set_default"},
    {&tls.parameters, "X509_STORE_CTX_get0_param"},
    {&tls.strength, "X509_VERIFY_PARAM_set_auth_level"},
    {&tls.valid, "X509_verify_cert"},
    {&tls.free_judge, "X509_STORE_CTX_free"},
    {&tls.list, "OPENSSL_sk_new_null"},
    {&tls.push, "OPENSSL_sk_push"},
    {&tls.free_list, "OPENSSL_sk_pop_free"},
    {&tls.memory, "BIO_new_mem_buf"},
    {&tls.free_memory, "BIO_free"},
    {&tls.next, "PEM_read_bio_X509"},
    {&tls.end, "X509_get0_notAfter"},
    {&tls.time, "ASN1_TIME_to_tm"},
};

static void load(void) {
  void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *found = dlsym(library, functions[i].name);
    if (!found) return;
    memcpy(functions[i].place, &found, sizeof found);
  }
  tls.loaded = 1;
}

// MARK: What is the same for all connections

// A key with a passphrase is refused: nobody is there to type it.
static int no_passphrase(char *text, int room, int writing, void *context) {
  (void)text, (void)room, (void)writing, (void)context;
  return 0;
}

static const char *why(const char *otherwise) {
  const char *reason = tls.reason(tls.last());
  return reason ? reason : otherwise;
}

static int set_authorities(void *context, const char *path, int revocation) {
  void *names = tls.names(path);
  if (!names || !tls.authorities(context, path)) return 0;
  tls.set_names(context, names);
  tls.verify(context, VERIFY_PEER, NULL);
  tls.depth(context, 4);
  return !revocation || tls.store_flags(tls.store(context), CHECK_REVOCATION);
}

cin_tls_context *cin_tls_context_new(const char *certificate, const char *key, const char *authorities,
                                     int revocation, const char **fault) {
  pthread_once(&once, load);
  *fault = "TLS needs OpenSSL: apt install libssl3";
  if (!tls.loaded) return NULL;
  tls.clear();
  *fault = "OpenSSL does not start";
  void *context = tls.context(tls.method());
  if (!context) return NULL;
  tls.control(context, CONTROL_OLDEST_VERSION, VERSION_1_2, NULL);
  tls.control(context, CONTROL_MODE, MODES, NULL);
  tls.control(context, CONTROL_CLEAR_MODE, AUTO_RETRY, NULL);
  tls.control(context, CONTROL_LONGEST_CHAIN, CIN_LONGEST_CHAIN, NULL);
  // Each connection proves anew who it is; nothing is kept of those that have ended.
  tls.control(context, CONTROL_CACHE, CACHE_OFF, NULL);
  tls.options(context, NO_TICKET | NO_RENEGOTIATION);
  tls.tickets(context, 0);
  tls.passphrase(context, no_passphrase);
  *fault = NULL;
  if (!tls.chain(context, certificate)) *fault = why("the certificate cannot be read");
  else if (!tls.key(context, key, FILE_PEM)) *fault = why("the key cannot be read");
  else if (!tls.matches(context)) *fault = "the key is not of the certificate";
  else if (authorities && !set_authorities(context, authorities, revocation))
    *fault = why("the authorities cannot be read");
  tls.clear();
  if (!*fault) return context;
  tls.free_context(context);
  return NULL;
}

cin_tls_context *cin_tls_context_new_client(const char *certificate, const char *key) {
  pthread_once(&once, load);
  if (!tls.loaded) return NULL;
  tls.clear();
  void *context = tls.context(tls.client_method());
  if (!context) return NULL;
  tls.passphrase(context, no_passphrase);
  if (certificate && key && !(tls.chain(context, certificate) && tls.key(context, key, FILE_PEM))) {
    tls.free_context(context);
    context = NULL;
  }
  tls.clear();
  return context;
}

void cin_tls_context_free(cin_tls_context *context) { tls.free_context(context); }

int cin_certificate_ends(const char *text, int length, int64_t *first, int64_t *last) {
  pthread_once(&once, load);
  if (!tls.loaded) return -1;
  void *memory = tls.memory(text, length);
  if (!memory) return -1;
  int count = 0;
  void *certificate;
  while ((certificate = tls.next(memory, NULL, no_passphrase, NULL))) {
    struct tm parts;
    if (tls.time(tls.end(certificate), &parts)) {
      int64_t end = timegm(&parts);
      if (!count || end < *first) *first = end;
      if (!count || end > *last) *last = end;
      count++;
    }
    tls.free_certificate(certificate);
  }
  tls.free_memory(memory);
  // What ends the reading is a fault of the library's.
  tls.clear();
  return count;
}

// MARK: One connection

cin_tls *cin_tls_new(cin_tls_context *context, int descriptor) {
  void *session = tls.session(context);
  if (session && tls.descriptor(session, descriptor)) return session;
  if (session) tls.free_session(session);
  return NULL;
}

static int outcome(cin_tls *session, int result) {
  if (result > 0) return result;
  switch (tls.error(session, result)) {
    case ERROR_WANT_READ: return CIN_WANTS_READABLE;
    case ERROR_WANT_WRITE: return CIN_WANTS_WRITABLE;
    default: return CIN_TLS_OVER;
  }
}

int cin_tls_accept(cin_tls *session) {
  tls.clear();
  int result = outcome(session, tls.accept(session));
  return result > 0 ? 0 : result;
}

int cin_tls_connect(cin_tls *session) {
  tls.clear();
  int result = outcome(session, tls.connect(session));
  return result > 0 ? 0 : result;
}

int cin_tls_receive(cin_tls *session, void *bytes, int room) {
  tls.clear();
  return outcome(session, tls.read(session, bytes, room));
}

int cin_tls_send(cin_tls *session, const void *bytes, int count) {
  tls.clear();
  return outcome(session, tls.write(session, bytes, count));
}

void cin_tls_free(cin_tls *session, int says_so) {
  tls.clear();
  if (says_so) tls.shutdown(session);
  tls.free_session(session);
}

// MARK: Whose a certificate is

// A part of the subject as text; 0 where it is not there exactly once, has a zero in it, or is too long.
static int part(const void *subject, int which, char *text, int *fault) {
  text[0] = 0;
  int place = tls.find(subject, which, -1);
  if (place < 0) return 0;
  unsigned char *found = NULL;
  int count = tls.text(&found, tls.data(tls.entry(subject, place)));
  int fits = count > 0 && count < CIN_LONGEST_PART && !memchr(found, 0, (size_t)count);
  if (fits) {
    memcpy(text, found, (size_t)count);
    text[count] = 0;
  }
  if (count >= 0) tls.free(found, __FILE__, __LINE__);
  if (!fits || tls.find(subject, which, place) >= 0) *fault = 1;
  return fits;
}

static int read_subject(void *certificate, cin_subject *subject) {
  void *name = tls.subject(certificate);
  int fault = 0;
  part(name, ORGANIZATION, subject->organization, &fault);
  part(name, UNIT, subject->unit, &fault);
  part(name, NAME, subject->name, &fault);
  return fault ? -1 : 1;
}

int cin_tls_subject(const cin_tls *session, cin_subject *subject) {
  void *certificate = tls.peer(session);
  if (!certificate) return 0;
  int result = read_subject(certificate, subject);
  tls.free_certificate(certificate);
  return result;
}

int cin_tls_judge(cin_tls_context *context, const cin_bytes *chain, unsigned count, cin_subject *subject) {
  tls.clear();
  if (!count || count > 8) return -1;
  void *others = tls.list(), *judge = tls.judge(), *first = NULL;
  int result = others && judge ? 1 : -1;
  for (unsigned i = 0; i < count && result > 0; i++) {
    const unsigned char *bytes = chain[i].bytes;
    void *read = tls.certificate(NULL, &bytes, chain[i].count);
    if (!read) result = -1;
    else if (!first) first = read;
    else if (!tls.push(others, read)) tls.free_certificate(read), result = -1;
  }
  if (result > 0) {
    result = -1;
    if (tls.begin(judge, tls.store(context), first, others) && tls.purpose(judge, "ssl_client")) {
      tls.strength(tls.parameters(judge), tls.level(context));
      if (tls.valid(judge) == 1) result = read_subject(first, subject);
    }
  }
  if (judge) tls.free_judge(judge);
  if (first) tls.free_certificate(first);
  if (others) tls.free_list(others, tls.free_certificate);
  tls.clear();
  return result;
}
