#include "cxcb.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

// The few declarations of libxcb's stable binary interface that are used here (xcb/xcb.h, xcb/xcbext.h), so
// that neither its headers nor its library are needed where there is no X server.
typedef struct {
  const char *name;
  int global_id;
} extension_t;

typedef struct {
  size_t count;
  extension_t *ext;
  uint8_t opcode;
  uint8_t isvoid;
} request_t;

typedef struct {
  unsigned sequence;
} cookie_t;

typedef struct {
  uint8_t response_type, pad0;
  uint16_t sequence;
  uint32_t length;
  uint8_t present;
} extension_reply_t;

typedef struct {
  uint8_t response_type, pad0;
  uint16_t sequence;
  uint32_t length, atom;
} atom_reply_t;

typedef struct {
  uint8_t response_type, format;
  uint16_t sequence;
  uint32_t length, type, bytes_after, value_len;
  uint8_t pad0[12];
} property_reply_t;

typedef struct {
  uint8_t response_type, pad0;
  uint16_t sequence;
  uint32_t window, atom;
} property_event_t;

typedef struct {
  uint32_t root;
} screen_t;

typedef struct {
  screen_t *data;
  int rem, index;
} screens_t;

typedef struct {
  uint8_t response_type, pad0;
  uint16_t sequence;
  uint32_t length;
  uint16_t major, minor;
} version_reply_t;

typedef struct {
  uint8_t response_type, pad0;
  uint16_t sequence;
  uint32_t length, count;
  uint8_t pad1[20];
  uint32_t words[];
} ids_reply_t;

enum {
  ANY_TYPE = 0,
  CHECKED = 1,
  EVENT_MASK = 1 << 11,
  PROPERTY_CHANGE = 1 << 22,
  PROPERTY_NOTIFY = 28,
  LOCAL_CLIENT_PID = 2,
  QUERY_VERSION = 0,
  QUERY_CLIENT_IDS = 4,
  // Windows that are looked at. Chosen.
  MOST_WINDOWS = 1024,
};

static struct {
  void *(*connect)(const char *, int *);
  int (*has_error)(void *);
  void (*disconnect)(void *);
  int (*descriptor)(void *);
  const void *(*setup)(void *);
  screens_t (*screens)(const void *);
  cookie_t (*select)(void *, uint32_t, uint32_t, const void *);
  cookie_t (*intern)(void *, uint8_t, uint16_t, const char *);
  atom_reply_t *(*interned)(void *, cookie_t, void *);
  cookie_t (*property)(void *, uint8_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t);
  property_reply_t *(*property_reply)(void *, cookie_t, void *);
  void *(*event)(void *);
  const extension_reply_t *(*extension)(void *, extension_t *);
  unsigned (*send)(void *, int, struct iovec *, const request_t *);
  void *(*reply)(void *, unsigned, void *);
  int (*flush)(void *);
  int loaded;
} xcb;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static extension_t resource = {"X-Resource", 0};

static void load(void) {
  void *library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const struct {
    void **function;
    const char *name;
  } functions[] = {
    {(void **)&xcb.connect, "xcb_connect"},
    {(void **)&xcb.has_error, "xcb_connection_has_error"},
    {(void **)&xcb.disconnect, "xcb_disconnect"},
    {(void **)&xcb.descriptor, "xcb_get_file_descriptor"},
    {(void **)&xcb.setup, "xcb_get_setup"},
    {(void **)&xcb.screens, "xcb_setup_roots_iterator"},
    {(void **)&xcb.select, "xcb_change_window_attributes"},
    {(void **)&xcb.intern, "xcb_intern_atom"},
    {(void **)&xcb.interned, "xcb_intern_atom_reply"},
    {(void **)&xcb.property, "xcb_get_property"},
    {(void **)&xcb.property_reply, "xcb_get_property_reply"},
    {(void **)&xcb.event, "xcb_poll_for_event"},
    {(void **)&xcb.extension, "xcb_get_extension_data"},
    {(void **)&xcb.send, "xcb_send_request"},
    {(void **)&xcb.reply, "xcb_wait_for_reply"},
    {(void **)&xcb.flush, "xcb_flush"},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!(*functions[i].function = dlsym(library, functions[i].name))) return;
  xcb.loaded = 1;
}

struct cxcb_display {
  void *connection;
  uint32_t root, active, clients;
};

static uint32_t atom(void *connection, const char *name) {
  atom_reply_t *reply = xcb.interned(
    connection, xcb.intern(connection, 0, (uint16_t)strlen(name), name), NULL);
  uint32_t atom = reply ? reply->atom : 0;
  free(reply);
  return atom;
}

/// Sends a request of X-Resource, and waits for its reply; NULL if there is none.
static void *ask(void *connection, uint8_t opcode, const void *body, size_t length) {
  // The library puts what comes before into two vectors of its own.
  struct iovec parts[5];
  uint32_t header = 0;
  memset(parts, 0, sizeof parts);
  parts[2].iov_base = &header;
  parts[2].iov_len = sizeof header;
  parts[3].iov_base = (void *)body;
  parts[3].iov_len = length;
  request_t request = {2, &resource, opcode, 0};
  return xcb.reply(connection, xcb.send(connection, CHECKED, parts + 2, &request), NULL);
}

static int knows_processes(void *connection) {
  const extension_reply_t *extension = xcb.extension(connection, &resource);
  if (!extension || !extension->present) return 0;
  const uint8_t wanted[4] = {1, 2, 0, 0};
  version_reply_t *version = ask(connection, QUERY_VERSION, wanted, sizeof wanted);
  int does = version && (version->major > 1 || (version->major == 1 && version->minor >= 2));
  free(version);
  return does;
}

cxcb_display *cxcb_open(const char *name) {
  pthread_once(&once, load);
  if (!xcb.loaded) return NULL;
  void *connection = xcb.connect(name, NULL);
  cxcb_display *display = NULL;
  if (xcb.has_error(connection) || !knows_processes(connection)) goto fail;
  screens_t screens = xcb.screens(xcb.setup(connection));
  if (!screens.data || !(display = calloc(1, sizeof *display))) goto fail;
  display->connection = connection;
  display->root = screens.data->root;
  display->active = atom(connection, "_NET_ACTIVE_WINDOW");
  display->clients = atom(connection, "_NET_CLIENT_LIST");
  const uint32_t mask = PROPERTY_CHANGE;
  xcb.select(connection, display->root, EVENT_MASK, &mask);
  xcb.flush(connection);
  if (xcb.has_error(connection)) goto fail;
  return display;

fail:
  free(display);
  xcb.disconnect(connection);
  return NULL;
}

int cxcb_descriptor(const cxcb_display *display) { return xcb.descriptor(display->connection); }

int cxcb_take_events(cxcb_display *display) {
  int changed = 0;
  void *event;
  while ((event = xcb.event(display->connection))) {
    const property_event_t *property = event;
    if ((property->response_type & 0x7f) == PROPERTY_NOTIFY && property->window == display->root &&
        (property->atom == display->active || property->atom == display->clients))
      changed = 1;
    free(event);
  }
  return xcb.has_error(display->connection) ? -1 : changed;
}

/// Reads windows from a property of the root window. Returns their number, or -1 if it is not there.
static int read_windows(cxcb_display *display, uint32_t property, uint32_t *windows, int limit) {
  property_reply_t *reply = xcb.property_reply(
    display->connection,
    xcb.property(
      display->connection, 0, display->root, property, ANY_TYPE, 0, (uint32_t)limit),
    NULL);
  int count = -1;
  if (reply && reply->type && reply->format == 32 && reply->value_len <= (uint32_t)limit) {
    count = (int)reply->value_len;
    memcpy(windows, reply + 1, (size_t)count * sizeof *windows);
  }
  free(reply);
  return count;
}

/// The local process that a window belongs to, as the server knows it; 0 if it knows none.
static int process(cxcb_display *display, uint32_t window) {
  const uint32_t body[3] = {1, window, LOCAL_CLIENT_PID};
  ids_reply_t *reply = ask(display->connection, QUERY_CLIENT_IDS, body, sizeof body);
  // One entry: the client, the kind, the number of bytes that follow, and the process.
  int process = reply && reply->count == 1 && reply->length >= 4 && reply->words[1] == LOCAL_CLIENT_PID
      && reply->words[2] == sizeof(uint32_t)
    ? (int)reply->words[3] : 0;
  free(reply);
  return process;
}

int cxcb_windows(cxcb_display *display, int *active, int *processes, int limit) {
  uint32_t windows[MOST_WINDOWS], front = 0;
  int count = read_windows(display, display->clients, windows, MOST_WINDOWS);
  *active = 0;
  if (xcb.has_error(display->connection)) return -1;
  if (count < 0) return -2;
  if (read_windows(display, display->active, &front, 1) != 1) front = 0;
  int found = 0;
  for (int i = 0; i < count && found < limit; i++) {
    int owner = process(display, windows[i]);
    if (owner <= 0) continue;
    processes[found++] = owner;
    // The number of a window that is gone still stands for its process.
    if (windows[i] == front) *active = owner;
  }
  return xcb.has_error(display->connection) ? -1 : found;
}

void cxcb_close(cxcb_display *display) {
  xcb.disconnect(display->connection);
  free(display);
}
