// A file system of SQLite that writes nothing beside a database with a write-ahead log.
//
// SQLite shares an index of the log between processes in a file of memory, NAME-shm, and makes that file even to read. A
// connection that may neither make nor change it is told so by SQLITE_READONLY_CANTINIT and then builds the index in its
// own memory. Every other call goes to the system's own file system. A log whose NAME-shm exists may have a live writer,
// with whom a reader must agree by its locks: such a database is opened with readonly_shm=1 instead.
#include "worker.h"

static sqlite3_vfs *system_vfs, own_vfs;
static sqlite3_io_methods own_methods;

static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **at) {
	*at = 0;
	return SQLITE_READONLY_CANTINIT;
}
static int shm_lock(sqlite3_file *f, int offset, int n, int flags) { return SQLITE_OK; }
static void shm_barrier(sqlite3_file *f) {}
static int shm_unmap(sqlite3_file *f, int remove) { return SQLITE_OK; }

static int open_file(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
	int rc = system_vfs->open(system_vfs, name, f, flags, out);
	if (rc == SQLITE_OK && f->methods && (flags & SQLITE_OPEN_MAIN_DB)) {
		own_methods = *f->methods;
		own_methods.shm_map = shm_map;
		own_methods.shm_lock = shm_lock;
		own_methods.shm_barrier = shm_barrier;
		own_methods.shm_unmap = shm_unmap;
		f->methods = &own_methods;
	}
	return rc;
}

// keep removes nothing. SQLite removes the log of a database without content, also where it may only read; its temporary
// files have lost their names before it uses them.
static int keep(sqlite3_vfs *v, const char *name, int sync) { return SQLITE_OK; }

void assay_no_shm(void) {
	system_vfs = sqlite3_vfs_find(0);
	if (!system_vfs) return;
	system_vfs->remove = keep;
	own_vfs = *system_vfs;
	own_vfs.next = 0;
	own_vfs.name = "assay-no-shm";
	own_vfs.open = open_file;
	sqlite3_vfs_register(&own_vfs, 0);
}
