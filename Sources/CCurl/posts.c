#include "ccurl.h"
#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ccurl_posts {
  void *multi;
  char *url, *user_agent, *authorities;
  long timeout;
  size_t limit;
  /// All that are on their way.
  struct post *first;
};

// One request.
struct post {
  struct ccurl_posts *posts;
  struct post *next;
  void *handle, *headers;
  char *body;
  size_t taken;
  ccurl_posted over;
};

// libcurl's message that a request is over: CURLMsg.
struct message {
  int kind;
  void *handle;
  union {
    void *whatever;
    int code;
  } data;
};

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

ccurl_posts *ccurl_posts_open(
    const char *url, const char *user_agent, long timeout_milliseconds, size_t limit,
    const char *authorities) {
  struct ccurl_posts *posts = ccurl_load() ? calloc(1, sizeof *posts) : NULL;
  if (!posts) return NULL;
  posts->multi = curl.multi_init();
  posts->url = copy(url);
  posts->user_agent = copy(user_agent);
  posts->authorities = copy(authorities);
  posts->timeout = timeout_milliseconds;
  posts->limit = limit;
  if (posts->multi && posts->url) return posts;
  ccurl_posts_close(posts);
  return NULL;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  struct post *post = context;
  (void)bytes;
  post->taken += size * count;
  if (post->taken <= post->posts->limit) return size * count;
  post->over.code = -2;
  return 0;
}

static void forget(struct post *post) {
  struct post **place = &post->posts->first;
  while (*place && *place != post) place = &(*place)->next;
  if (*place) *place = post->next;
  if (post->handle) curl.cleanup(post->handle);
  if (post->headers) curl.list_free(post->headers);
  free(post->body);
  free(post);
}

static void prepare(struct post *post, size_t length) {
  struct ccurl_posts *posts = post->posts;
  void *handle = post->handle;
  int is_plain = strncasecmp(posts->url, "http://", 7) == 0;
  curl.setopt(handle, OPT_URL, posts->url);
  curl.setopt(handle, OPT_USERAGENT, posts->user_agent);
  curl.setopt(handle, OPT_TIMEOUT_MS, posts->timeout);
  curl.setopt(handle, OPT_NOSIGNAL, 1L);
  curl.setopt(handle, OPT_FOLLOWLOCATION, 0L);
  curl.setopt(handle, OPT_PROTOCOLS, (long)(is_plain ? PROTOCOL_HTTP : PROTOCOL_HTTPS));
  if (is_plain) curl.setopt(handle, OPT_PROXY, "");
  curl.setopt(handle, OPT_SSLVERSION, (long)TLS_1_2);
  ccurl_trust(handle, posts->authorities);
  curl.setopt(handle, OPT_HTTPHEADER, post->headers);
  curl.setopt(handle, OPT_POSTFIELDSIZE, (long)length);
  curl.setopt(handle, OPT_POSTFIELDS, post->body);
  curl.setopt(handle, OPT_WRITEFUNCTION, take_body);
  curl.setopt(handle, OPT_WRITEDATA, post);
  curl.setopt(handle, OPT_PRIVATE, post);
}

int ccurl_posts_add(
    ccurl_posts *posts, unsigned long long number, const void *json, size_t length,
    const char *const *headers, int count) {
  struct post *post = calloc(1, sizeof *post);
  if (!post) return -1;
  post->posts = posts;
  post->over.number = number;
  post->over.retry_after = -1;
  post->body = malloc(length + 1);
  post->handle = curl.init();
  if (!post->body || !post->handle) {
    forget(post);
    return -1;
  }
  memcpy(post->body, json, length);
  // Without it libcurl would first ask whether it may send what is long.
  post->headers = curl.list_append(NULL, "Expect:");
  for (int i = 0; i < count; i++) {
    void *more = curl.list_append(post->headers, headers[i]);
    // Without memory nothing is sent without its signature.
    if (!more) {
      forget(post);
      return -1;
    }
    post->headers = more;
  }
  prepare(post, length);
  if (curl.multi_add(posts->multi, post->handle)) {
    forget(post);
    return -1;
  }
  post->next = posts->first;
  posts->first = post;
  return 0;
}

static ccurl_posted end(struct message *message) {
  struct post *post = NULL;
  curl.getinfo(message->handle, INFO_PRIVATE, &post);
  int code = message->data.code;
  if (post->over.code == 0) post->over.code = code;
  // An answer that is too long has a status, too.
  if (code == 0 || post->over.code == -2) {
    curl.getinfo(message->handle, INFO_RESPONSE_CODE, &post->over.status);
    post->over.retry_after = ccurl_retry_after(message->handle);
  }
  ccurl_posted over = post->over;
  curl.multi_remove(post->posts->multi, message->handle);
  forget(post);
  return over;
}

int ccurl_posts_run(ccurl_posts *posts, int milliseconds, ccurl_posted *over, int room) {
  int count = 0, running = 0, left = 0;
  curl.multi_perform(posts->multi, &running);
  for (int turn = 0; turn < 2; turn++) {
    struct message *message = NULL;
    while (count < room && (message = curl.multi_read(posts->multi, &left)))
      if (message->kind == MESSAGE_DONE) over[count++] = end(message);
    if (turn || count || milliseconds <= 0) break;
    curl.multi_poll(posts->multi, NULL, 0, milliseconds, NULL);
    curl.multi_perform(posts->multi, &running);
  }
  return count;
}

void ccurl_posts_close(ccurl_posts *posts) {
  while (posts->first) {
    curl.multi_remove(posts->multi, posts->first->handle);
    forget(posts->first);
  }
  if (posts->multi) curl.multi_cleanup(posts->multi);
  free(posts->url);
  free(posts->user_agent);
  free(posts->authorities);
  free(posts);
}
