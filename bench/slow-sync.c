/* Loaded into another program (LD_PRELOAD): each fsync and fdatasync takes SYNC_DELAY_MS longer, as on a slower disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void pause_before_sync(void) {
  const char *text = getenv("SYNC_DELAY_MS");
  long ms = text == NULL ? 0 : atol(text);
  struct timespec time = {ms / 1000, (ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

static int slow(const char *name, int fd) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  pause_before_sync();
  return sync(fd);
}

int fsync(int fd) { return slow("fsync", fd); }

int fdatasync(int fd) { return slow("fdatasync", fd); }
