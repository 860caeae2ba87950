// The least that a service of GeoClue's interface can do: for each read of the receiver's socket it sends every client
// that has started LocationUpdated, and decides nothing. What it takes is the way that all services share: the receiver's
// socket, the bus, and the client.
//
//   least SOCKET
//
// cc -O2 least.c -lsystemd
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define NAME "org.freedesktop.GeoClue2"
#define MANAGER "/org/freedesktop/GeoClue2/Manager"
#define CLIENTS "/org/freedesktop/GeoClue2/Client"
enum { MOST = 64 };

static struct {
  char *name, *path;
} started[MOST];
static int count, made;

static void must(int result, const char *step) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", step, strerror(-result));
  exit(1);
}

static int get(sd_bus_message *message, void *data, sd_bus_error *error) {
  char path[64];
  snprintf(path, sizeof path, CLIENTS "/%d", ++made);
  return sd_bus_reply_method_return(message, "o", path);
}

static int start(sd_bus_message *message, void *data, sd_bus_error *error) {
  if (count == MOST) return -E2BIG;
  started[count].name = strdup(sd_bus_message_get_sender(message));
  started[count++].path = strdup(sd_bus_message_get_path(message));
  return sd_bus_reply_method_return(message, "");
}

static int changed(sd_bus_message *message, void *data, sd_bus_error *error) {
  const char *name, *before, *after;
  must(sd_bus_message_read(message, "sss", &name, &before, &after), "NameOwnerChanged");
  for (int index = 0; index < count; index++)
    if (!*after && strcmp(started[index].name, name) == 0) started[index--] = started[--count];
  return 0;
}

static int ignore(sd_bus *bus, const char *path, const char *interface, const char *name, sd_bus_message *value,
                  void *data, sd_bus_error *error) {
  return sd_bus_message_skip(value, NULL);
}

static const sd_bus_vtable manager[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_METHOD("GetClient", "", "o", get, SD_BUS_VTABLE_UNPRIVILEGED), SD_BUS_VTABLE_END};
static const sd_bus_vtable client[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Start", "", "", start, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_WRITABLE_PROPERTY("DesktopId", "s", NULL, ignore, 0, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_WRITABLE_PROPERTY("RequestedAccuracyLevel", "u", NULL, ignore, 0, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};

static void tell(sd_bus *bus) {
  static int number;
  for (int index = 0; index < count; index++) {
    sd_bus_message *signal = NULL;
    const char *path = started[index].path;
    char place[128];
    snprintf(place, sizeof place, "%s/Location/%d", path, number);
    must(sd_bus_message_new_signal(bus, &signal, path, NAME ".Client", "LocationUpdated"), "signal");
    must(sd_bus_message_append(signal, "oo", "/", place), "append");
    must(sd_bus_message_set_destination(signal, started[index].name), "destination");
    must(sd_bus_send(bus, signal, NULL), "send");
    sd_bus_message_unref(signal);
  }
  number++;
}

int main(int words, char **word) {
  if (words != 2) return 2;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, word[1], sizeof address.sun_path - 1);
  int receiver = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(receiver, (struct sockaddr *)&address, sizeof address)) return perror("connect"), 1;
  sd_bus *bus = NULL;
  must(sd_bus_open_system(&bus), "bus");
  must(sd_bus_add_object_vtable(bus, NULL, MANAGER, NAME ".Manager", manager, NULL), "manager");
  must(sd_bus_add_fallback_vtable(bus, NULL, CLIENTS, NAME ".Client", client, NULL, NULL), "client");
  must(sd_bus_match_signal(bus, NULL, "org.freedesktop.DBus", NULL, NULL, "NameOwnerChanged", changed, NULL), "match");
  must(sd_bus_request_name(bus, NAME, 0), "name");
  puts("ready");
  fflush(stdout);
  struct pollfd polls[] = {{.fd = receiver, .events = POLLIN}, {.fd = sd_bus_get_fd(bus), .events = POLLIN}};
  for (;;) {
    for (int more = 1; more > 0;) must(more = sd_bus_process(bus, NULL), "process");
    must(sd_bus_flush(bus), "flush");
    if (poll(polls, 2, -1) < 0) continue;
    char bytes[4096];
    if (!(polls[0].revents & (POLLIN | POLLHUP))) continue;
    if (read(receiver, bytes, sizeof bytes) <= 0) return 0;
    tell(bus);
  }
}
