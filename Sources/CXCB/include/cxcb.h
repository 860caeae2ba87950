#ifndef CXCB_H
#define CXCB_H

/// A connection to an X server that follows which windows there are, and which is active.
///
/// Uses libxcb if the machine has it. May block until the server has answered. Not for two threads at once.
typedef struct cxcb_display cxcb_display;

/// Connects to the server that a name such as `:0` stands for. Returns NULL if that is not possible, or the
/// server does not report the processes of its clients (X-Resource 1.2).
cxcb_display *cxcb_open(const char *name);

/// The descriptor that is readable when the server has sent something.
int cxcb_descriptor(const cxcb_display *display);

/// Reads what the server has sent. Returns 1 if windows or the active one have changed, 0 if not, -1 if the
/// connection is broken.
int cxcb_take_events(cxcb_display *display);

/// Finds out which local processes have windows that a window manager manages, as the server knows them from
/// the kernel, and the one of the active window, 0 for none. Returns their number, at most `limit`, -1 if the
/// connection is broken, and -2 if there is no window manager that lists windows.
int cxcb_windows(cxcb_display *display, int *active, int *processes, int limit);

void cxcb_close(cxcb_display *display);

#endif
