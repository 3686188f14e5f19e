// What the worker and its file system share of SQLite's interface (https://www.sqlite.org/c3ref/intro.html). The driver's
// package compiles SQLite; its functions are weak here, because cgo links this package once by itself.
#ifndef ASSAY_WORKER_H
#define ASSAY_WORKER_H

#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct sqlite3_io_methods sqlite3_io_methods;

#define SQLITE_OK 0
#define SQLITE_NOMEM 7
#define SQLITE_READONLY_CANTINIT (8 | (5 << 8))
#define SQLITE_ROW 100
#define SQLITE_DONE 101
#define SQLITE_OPEN_MAIN_DB 0x100
#define SQLITE_TRANSIENT ((void (*)(void *))-1)

struct sqlite3_file {
	const sqlite3_io_methods *methods;
};

struct sqlite3_io_methods {
	int version;
	int (*basic[12])(void); // from xClose to xDeviceCharacteristics
	int (*shm_map)(sqlite3_file *, int, int, int, void volatile **);
	int (*shm_lock)(sqlite3_file *, int, int, int);
	void (*shm_barrier)(sqlite3_file *);
	int (*shm_unmap)(sqlite3_file *, int);
	int (*mapped[2])(void);
};

struct sqlite3_vfs {
	int version, file_size, max_path;
	sqlite3_vfs *next;
	const char *name;
	void *data;
	int (*open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
	int (*remove)(sqlite3_vfs *, const char *, int); // xDelete
	int (*rest[14])(void);                           // from xAccess to xNextSystemCall
};

#define WEAK __attribute__((weak)) extern
WEAK int sqlite3_config(int, ...);
WEAK int sqlite3_initialize(void);
WEAK sqlite3_vfs *sqlite3_vfs_find(const char *);
WEAK int sqlite3_vfs_register(sqlite3_vfs *, int);
WEAK int64_t sqlite3_hard_heap_limit64(int64_t);
WEAK int64_t sqlite3_memory_used(void);
WEAK int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
WEAK int sqlite3_close_v2(sqlite3 *);
WEAK int sqlite3_busy_timeout(sqlite3 *, int);
WEAK int sqlite3_exec(sqlite3 *, const char *, void *, void *, char **);
WEAK int sqlite3_limit(sqlite3 *, int, int);
WEAK int sqlite3_set_authorizer(sqlite3 *, int (*)(void *, int, const char *, const char *, const char *, const char *), void *);
WEAK int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
WEAK int sqlite3_step(sqlite3_stmt *);
WEAK int sqlite3_reset(sqlite3_stmt *);
WEAK int sqlite3_finalize(sqlite3_stmt *);
WEAK int sqlite3_stmt_readonly(sqlite3_stmt *);
WEAK int sqlite3_bind_parameter_count(sqlite3_stmt *);
WEAK int sqlite3_bind_null(sqlite3_stmt *, int);
WEAK int sqlite3_bind_int64(sqlite3_stmt *, int, int64_t);
WEAK int sqlite3_bind_double(sqlite3_stmt *, int, double);
WEAK int sqlite3_bind_text(sqlite3_stmt *, int, const char *, int, void (*)(void *));
WEAK int sqlite3_bind_blob(sqlite3_stmt *, int, const void *, int, void (*)(void *));
WEAK int sqlite3_column_count(sqlite3_stmt *);
WEAK const char *sqlite3_column_name(sqlite3_stmt *, int);
WEAK int sqlite3_column_type(sqlite3_stmt *, int);
WEAK int64_t sqlite3_column_int64(sqlite3_stmt *, int);
WEAK double sqlite3_column_double(sqlite3_stmt *, int);
WEAK const void *sqlite3_column_text(sqlite3_stmt *, int);
WEAK const void *sqlite3_column_blob(sqlite3_stmt *, int);
WEAK int sqlite3_column_bytes(sqlite3_stmt *, int);
WEAK const char *sqlite3_errmsg(sqlite3 *);
WEAK int sqlite3_extended_errcode(sqlite3 *);
WEAK int sqlite3_system_errno(sqlite3 *);
WEAK unsigned char *sqlite3_serialize(sqlite3 *, const char *, int64_t *, unsigned int);
WEAK void sqlite3_free(void *);
WEAK int sqlite3_compileoption_used(const char *);

// assay_no_shm makes the system's file system remove no file, and registers a file system named "assay-no-shm" that reads a write-ahead log without making the file of shared
// memory that SQLite keeps beside it: see shm.c.
void assay_no_shm(void);

int assay_built_with(const char *option);

#endif
