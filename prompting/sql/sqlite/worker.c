// A process that runs statements on SQLite files for its parent, and that the parent can kill.
//
// The program starts itself again with ASSAY_SQL_WORKER set. Then the constructor below takes the process before the Go
// runtime begins, so that a worker needs a few megabytes and starts in two milliseconds. It gives itself limits, and
// answers requests from its standard input on its standard output, one after the other, until the input ends. A request
// names a file and a statement; the file stays open for the next. wire.go has the other side of what is written here:
//
//	request: u32 bytes that follow, u8 op, u8 describing, u16 followed, u32 longest value, u64 heap, u32 path, u32 sql, the path,
//	         the sql, and for INSERT u32 rows, u32 columns and the values
//	answer:  'C' u32 columns, each u32 length and name; then rows, each 'R' and its values; then
//	         'E' u8 outcome, i32 code, i32 extra, u64 nanoseconds, u32 length, message
//	value:   u8 class, as sqlite3_column_type counts them less one; then i64, f64, or u32 length and bytes; class 5 ends a
//	         row for whose text there was no memory
//
// Numbers have the machine's byte order: both ends are one machine. A STOP has no answer: it ends the scan in progress, unless
// its request said that others follow it at once.
// The worker itself writes to no file: databases are opened read-only, and in memory for what makes one.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include "worker.h"

enum { STOP, RUN, READS, NAMES, SCAN, EXEC, INSERT, QUERY, IMAGE, FRESH };
enum { DONE, FAILED, DENIED, WRITES, UNBOUND, NOT_OPENED, STOPPED, CHANGED };

// ---- input and output ----

static char out[1 << 16];
static size_t filled;
static int stopped;  // the parent wants no more rows
static int followed; // what waits to be read is the next request, and no STOP

static void leave(int code) { _exit(code); }

static void write_all(const char *p, size_t n) {
	while (n > 0) {
		ssize_t k = write(1, p, n);
		if (k < 0 && errno == EINTR) continue;
		if (k <= 0) leave(3); // the parent is gone
		p += k;
		n -= k;
	}
}

static void flush(void) {
	write_all(out, filled);
	filled = 0;
}

// put writes bytes. Where that empties the buffer it also looks whether the parent has said STOP.
static void put(const void *p, size_t n) {
	if (filled + n > sizeof out) {
		struct pollfd in = {0, POLLIN, 0};
		flush();
		if (!followed && poll(&in, 1, 0) > 0) stopped = 1;
	}
	if (n > sizeof out) {
		write_all(p, n);
		return;
	}
	memcpy(out + filled, p, n);
	filled += n;
}

static void put_byte(uint8_t v) { put(&v, 1); }
static void put_u32(uint32_t v) { put(&v, 4); }
static void put_u64(uint64_t v) { put(&v, 8); }
static void put_text(const char *s, size_t n) {
	put_u32(n);
	put(s, n);
}

static char in[1 << 16];
static size_t in_at, in_end; // of what was read and is not used yet

// read_all reads n bytes; most requests come with one call.
static int read_all(void *to, size_t n) {
	char *p = to;
	while (n > 0) {
		if (in_at < in_end) {
			size_t k = in_end - in_at < n ? in_end - in_at : n;
			memcpy(p, in + in_at, k);
			in_at += k;
			p += k;
			n -= k;
			continue;
		}
		ssize_t k = n > sizeof in ? read(0, p, n) : read(0, in, sizeof in);
		if (k < 0 && errno == EINTR) continue;
		if (k <= 0) return -1;
		if (n > sizeof in) {
			p += k;
			n -= k;
		} else {
			in_at = 0;
			in_end = k;
		}
	}
	return 0;
}

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

// ---- one request ----

struct request {
	uint8_t op, describing;
	uint16_t followed;
	uint32_t longest;
	uint64_t heap;
	uint32_t path_length, sql_length;
};

static struct request now_at;          // the present request
static const char *path, *sql, *rest;  // its texts, each ended by a zero byte, and what follows them
static uint64_t begun;
static int denied;                     // the first action that the authorizer refused, or 0
static char denied_name[256];

static int changed(void);

static void put_end(uint8_t outcome, int32_t code, int32_t extra, const char *message) {
	if (changed()) outcome = CHANGED;
	put_byte('E');
	put_byte(outcome);
	put(&code, 4);
	put(&extra, 4);
	put_u64(now() - begun);
	put_text(message, strlen(message));
}

// put_failure ends an answer with what SQLite says of a connection, or with what the authorizer refused.
static void put_failure(sqlite3 *db) {
	if (denied) {
		put_end(DENIED, denied, 0, denied_name);
		return;
	}
	int code = sqlite3_extended_errcode(db), basic = code & 0xff;
	int number = basic == 14 || basic == 10 ? sqlite3_system_errno(db) : 0; // of SQLITE_CANTOPEN and SQLITE_IOERR only
	put_end(FAILED, code, number, sqlite3_errmsg(db));
}

// authorize permits to select, to read, to call functions and to recurse. Reading a column is a row of the answer to READS.
static int authorize(void *none, int op, const char *a, const char *b, const char *c, const char *d) {
	switch (op) {
	case 20: // SQLITE_READ
		if (now_at.op == READS) {
			put_byte('R');
			put_byte(2);
			put_text(a ? a : "", a ? strlen(a) : 0);
			put_byte(2);
			put_text(b ? b : "", b ? strlen(b) : 0);
		}
		return 0;
	case 21: // SQLITE_SELECT
	case 33: // SQLITE_RECURSIVE
		return 0;
	case 31: // SQLITE_FUNCTION: those that read files or load code are not of every build
		if (!b || (strcmp(b, "load_extension") && strcmp(b, "fts3_tokenizer") && strcmp(b, "readfile") &&
		           strcmp(b, "writefile") && strcmp(b, "edit")))
			return 0;
		a = b;
		break;
	case 19: // SQLITE_PRAGMA: the two that full-text search asks to read its own index, FTS5 and FTS4, and set nothing
		if (a && !b && (!strcmp(a, "data_version") || !strcmp(a, "page_size"))) return 0;
		// the two that list columns and change nothing, where the parent asks itself
		if (now_at.describing && a && (!strcmp(a, "table_xinfo") || !strcmp(a, "index_xinfo"))) return 0;
	}
	if (!denied) {
		denied = op;
		snprintf(denied_name, sizeof denied_name, "%s", a ? a : "");
	}
	return 1;
}

// ---- databases kept open ----

enum { MOST_OPEN = 256 };
static int most_open = MOST_OPEN; // fewer where the process may have few descriptors
struct open_file {
	char *path;
	sqlite3 *db;
	int trusted, alone; // alone: nothing lies beside the file, and nothing can change without the file's own change
	int agreed;         // a reader and a writer keep out of each other's way, by their locks
	uint64_t used;
	int64_t file[7]; // which file it was, and of which time: see look
	int64_t log_size, log_changed[2];
};
static struct open_file files[MOST_OPEN];
static struct open_file *present; // that of the present request, once it is open
static char real[PATH_MAX];       // its path without symbolic links: SQLite looks there for what lies beside
static int count;
static uint64_t uses;

static void close_file(int i) {
	sqlite3_close_v2(files[i].db);
	free(files[i].path);
	files[i] = files[--count];
}

// make_room closes the databases used longest ago until SQLite has half of its heap left.
static void make_room(uint64_t heap) {
	while (count > 0 && (count >= most_open || (uint64_t)sqlite3_memory_used() > heap / 2)) {
		int old = 0;
		for (int i = 1; i < count; i++)
			if (files[i].used < files[old].used) old = i;
		close_file(old);
	}
}

#ifdef __APPLE__
#define WRITTEN st_mtimespec
#define TOUCHED st_ctimespec
#else
#define WRITTEN st_mtim
#define TOUCHED st_ctim
#endif

// beside stats the file whose name is a database's with a suffix; it returns 0 where there is none, or nothing in it.
static int beside(const char *suffix, struct stat *st) {
	char name[8192];
	if ((size_t)snprintf(name, sizeof name, "%s%s", real, suffix) >= sizeof name) return 0;
	return stat(name, st) == 0 && st->st_size > 0;
}

// look says which file a database is, and when it was changed: a file that took another's place may have its size and its
// time. It returns 0 where there is no regular file, with errno set or 0.
static int look(struct open_file *f) {
	struct stat st;
	errno = 0;
	if (stat(path, &st) != 0) return 0;
	errno = 0;
	if (!S_ISREG(st.st_mode)) return 0;
	int64_t file[7] = {st.st_dev, st.st_ino, st.st_size, st.WRITTEN.tv_sec, st.WRITTEN.tv_nsec, st.TOUCHED.tv_sec, st.TOUCHED.tv_nsec};
	memcpy(f->file, file, sizeof file);
	return 1;
}

// changed reports whether somebody changed the present database while a connection without locks read it: what it read may
// be in part of before, and in part of after.
static int changed(void) {
	struct open_file f;
	return present && !present->agreed && !(look(&f) && !memcmp(f.file, present->file, sizeof f.file));
}

// recent reports whether a database was changed a moment ago, so that somebody may be writing to it, or to it again within
// one tick of the clock that times files.
static int recent(struct open_file *f) { return f->file[5] + 2 > (int64_t)time(0); }

// bare reports whether no file at all has the name of a log or a journal of the database.
static int bare(void) {
	struct stat st;
	char name[PATH_MAX + 16];
	snprintf(name, sizeof name, "%s-wal", real);
	if (stat(name, &st) == 0) return 0;
	snprintf(name, sizeof name, "%s-journal", real);
	return stat(name, &st) != 0;
}

// head reads the first n bytes of the database, or of the file whose name is its with a suffix. It returns how many there
// are, or -1 where the file cannot be opened: SQLite will say why.
static long head(const char *suffix, unsigned char *to, size_t n) {
	char name[PATH_MAX + 16];
	snprintf(name, sizeof name, "%s%s", real, suffix);
	FILE *f = fopen(name, "rb");
	if (!f) return -1;
	n = fread(to, 1, n, f);
	fclose(f);
	return n;
}

static uint32_t word(const unsigned char *p, int big) {
	return big ? (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3] : (uint32_t)p[3] << 24 | p[2] << 16 | p[1] << 8 | p[0];
}

// begins_log reports whether a write-ahead log begins as one does (https://www.sqlite.org/fileformat2.html#walformat). SQLite
// ignores any other file of that name, but only after ten seconds where it may not share an index of it.
static int begins_log(void) {
	unsigned char h[32] = {0};
	long n = head("-wal", h, sizeof h);
	if (n < 0) return 1;
	uint32_t magic = word(h, 1), page = word(h + 8, 1), a = 0, b = 0;
	if (n < (long)sizeof h || (magic & ~1u) != 0x377f0682 || page & (page - 1) || page < 512 || page > 65536) return 0;
	for (int i = 0; i < 24; i += 8) {
		a += word(h + i, magic & 1) + b;
		b += word(h + i + 4, magic & 1) + a;
	}
	return a == word(h + 24, 1) && b == word(h + 28, 1);
}

// begins_journal reports whether a rollback journal begins as one does; SQLite would remove any other file of that name.
static int begins_journal(void) {
	static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	unsigned char h[8];
	long n = head("-journal", h, sizeof h);
	return n < 0 || (n == sizeof h && !memcmp(h, magic, sizeof h));
}

// look_beside says what lies beside a database: a write-ahead log, the index that processes share of it, a journal.
static void look_beside(struct open_file *f, int *log, int *shared, int *journal) {
	struct stat side;
	*log = beside("-wal", &side);
	if (*log) {
		f->log_size = side.st_size;
		f->log_changed[0] = side.WRITTEN.tv_sec;
		f->log_changed[1] = side.WRITTEN.tv_nsec;
		*log = S_ISREG(side.st_mode) && begins_log();
	}
	*shared = *log && beside("-shm", &side);
	*journal = beside("-journal", &side) && S_ISREG(side.st_mode) && begins_journal();
}

// logs reports whether a database is of the kind that is changed by its write-ahead log: bytes 18 and 19 of the file. One
// that is not changes itself after its journal, which is then no concern of those who read it unchanged.
static int logs(void) {
	unsigned char h[20];
	return head("", h, sizeof h) < (long)sizeof h || h[18] != 1 || h[19] != 1;
}

// spell writes the URI of the present database. immutable=1 avoids all locks, and would ignore a log or a journal.
static int spell(char *uri, size_t size, int locks, int shared) {
	static const char hex[] = "0123456789abcdef";
	size_t n = snprintf(uri, size, "file:");
	for (const char *p = real; *p; p++) {
		if (n + 64 > size) return 0;
		if (*p == '?' || *p == '#' || *p == '%') {
			uri[n++] = '%';
			uri[n++] = hex[*p >> 4];
			uri[n++] = hex[*p & 15];
		} else
			uri[n++] = *p;
	}
	snprintf(uri + n, size - n, "?mode=ro%s", !locks ? "&immutable=1" : shared ? "&readonly_shm=1" : "");
	return 1;
}

// opened returns the connection of the present request, an open one if nothing has changed since. Statements that are not
// the parent's own run on connections with an authorizer, and with limits: no ATTACH whatever the authorizer says, short
// patterns, because the time of LIKE grows with them, and no threads, which would use several cores.
static sqlite3 *opened(int trusted) {
	struct open_file f = {0};
	int log = 0, shared = 0, journal = 0, looked = 0;
	if (!look(&f)) {
		put_end(NOT_OPENED, 14, errno, errno ? "unable to open database file" : "is not a regular file");
		return 0;
	}
	for (int i = 0; i < count; i++) {
		struct open_file *o = &files[i];
		if (o->trusted != trusted || strcmp(o->path, path)) continue;
		if (!o->alone && realpath(path, real)) {
			look_beside(&f, &log, &shared, &journal);
			looked = 1;
		}
		if (!memcmp(o->file, f.file, sizeof f.file) && o->log_size == f.log_size &&
		    !memcmp(o->log_changed, f.log_changed, sizeof f.log_changed)) {
			o->used = ++uses;
			present = o;
			return o->db;
		}
		close_file(i);
		break;
	}
	char uri[3 * 8192];
	if (!realpath(path, real)) {
		put_end(NOT_OPENED, 14, errno, "unable to open database file");
		return 0;
	}
	if (!looked) look_beside(&f, &log, &shared, &journal);
	int logged = logs(), writer = !log && !journal && !logged && recent(&f) && bare();
	f.alone = !log && !journal && !logged && !writer;
	f.agreed = shared || journal || writer;
	make_room(now_at.heap);
	if (!spell(uri, sizeof uri, log || journal || writer, shared)) {
		put_end(NOT_OPENED, 14, ENAMETOOLONG, "unable to open database file");
		return 0;
	}
	// SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
	int rc = sqlite3_open_v2(uri, &f.db, 1 | 0x40 | 0x8000, log && !shared ? "assay-no-shm" : 0);
	if (rc != SQLITE_OK) {
		put_end(NOT_OPENED, rc, f.db ? sqlite3_system_errno(f.db) : ENOMEM, f.db ? sqlite3_errmsg(f.db) : "out of memory");
		sqlite3_close_v2(f.db);
		return 0;
	}
	sqlite3_busy_timeout(f.db, 5000);
	sqlite3_exec(f.db, "PRAGMA query_only=1", 0, 0, 0);
	if (!trusted) {
		sqlite3_limit(f.db, 1, 1000000); // SQLITE_LIMIT_SQL_LENGTH
		sqlite3_limit(f.db, 7, 0);       // SQLITE_LIMIT_ATTACHED
		sqlite3_limit(f.db, 8, 1000);    // SQLITE_LIMIT_LIKE_PATTERN_LENGTH
		sqlite3_limit(f.db, 11, 0);      // SQLITE_LIMIT_WORKER_THREADS
		sqlite3_set_authorizer(f.db, authorize, 0);
	}
	f.trusted = trusted;
	f.path = strdup(path);
	if (!f.path) leave(4);
	f.used = ++uses;
	files[count] = f;
	present = &files[count++];
	return f.db;
}

// ---- rows ----

// put_row writes the present row of a statement. It returns 0 where SQLite had no memory for a text.
static int put_row(sqlite3_stmt *s, int columns) {
	put_byte('R');
	for (int i = 0; i < columns; i++) {
		int class = sqlite3_column_type(s, i);
		const void *p = class == 3 ? sqlite3_column_text(s, i) : class == 4 ? sqlite3_column_blob(s, i) : 0;
		int n = class == 3 || class == 4 ? sqlite3_column_bytes(s, i) : 0;
		put_byte(class == 3 && !p ? 5 : class - 1);
		if (class == 3 && !p) return 0;
		switch (class) {
		case 1: put_u64(sqlite3_column_int64(s, i)); break;
		case 2: {
			double d = sqlite3_column_double(s, i);
			put(&d, 8);
			break;
		}
		case 3:
		case 4: put_text(n ? p : "", n);
		}
	}
	return 1;
}

// run compiles the statement, and steps it unless the request asks for the names of its columns or what it reads.
static void run(sqlite3 *db) {
	sqlite3_stmt *s = 0;
	int untrusted = now_at.op == RUN || now_at.op == READS || now_at.op == NAMES, rc = SQLITE_DONE;
	if (now_at.op == READS) {
		put_byte('C');
		put_u32(2);
		put_text("table", 5);
		put_text("column", 6);
	}
	if (untrusted) sqlite3_limit(db, 0, now_at.longest); // SQLITE_LIMIT_LENGTH
	if (sqlite3_prepare_v2(db, sql, now_at.sql_length + 1, &s, 0) != SQLITE_OK) {
		put_failure(db);
		return;
	}
	if (!s) {
		put_end(FAILED, 1, 0, "no statement");
		return;
	}
	if (untrusted && !sqlite3_stmt_readonly(s))
		put_end(WRITES, 0, 0, "");
	else if (sqlite3_bind_parameter_count(s))
		put_end(UNBOUND, 0, sqlite3_bind_parameter_count(s), "");
	else if (now_at.op == READS)
		put_end(DONE, 0, 0, "");
	else {
		int columns = sqlite3_column_count(s);
		put_byte('C');
		put_u32(columns);
		for (int i = 0; i < columns; i++) {
			const char *name = sqlite3_column_name(s, i);
			put_text(name ? name : "", name ? strlen(name) : 0);
		}
		while (now_at.op != NAMES && !stopped && (rc = sqlite3_step(s)) == SQLITE_ROW)
			if (!put_row(s, columns)) {
				rc = SQLITE_NOMEM;
				break;
			}
		if (rc == SQLITE_DONE)
			put_end(DONE, 0, 0, "");
		else if (stopped)
			put_end(STOPPED, 0, 0, "");
		else if (rc == SQLITE_NOMEM)
			put_end(FAILED, SQLITE_NOMEM, 0, "out of memory");
		else {
			sqlite3_reset(s);
			put_failure(db);
		}
	}
	sqlite3_finalize(s);
}

// ---- a database in memory ----

static sqlite3 *made;

// insert binds each row of the request and executes the statement. A row that SQLite refuses for its content is left out:
// SQLITE_CONSTRAINT, SQLITE_MISMATCH. describing leaves it out whatever the reason.
static void insert(void) {
	sqlite3_stmt *s = 0;
	uint32_t rows, columns;
	memcpy(&rows, rest, 4);
	memcpy(&columns, rest + 4, 4);
	const char *p = rest + 8;
	if (sqlite3_prepare_v2(made, sql, now_at.sql_length + 1, &s, 0) != SQLITE_OK) {
		if (now_at.describing)
			put_end(DONE, 0, 0, "");
		else
			put_failure(made);
		return;
	}
	for (uint32_t r = 0; r < rows; r++) {
		for (uint32_t c = 1; c <= columns; c++) {
			uint8_t class = *p++;
			uint32_t n = 0;
			int64_t i;
			double d;
			switch (class) {
			case 0: memcpy(&i, p, 8); p += 8; sqlite3_bind_int64(s, c, i); break;
			case 1: memcpy(&d, p, 8); p += 8; sqlite3_bind_double(s, c, d); break;
			case 2: memcpy(&n, p, 4); p += 4; sqlite3_bind_text(s, c, p, n, SQLITE_TRANSIENT); break;
			case 3: memcpy(&n, p, 4); p += 4; sqlite3_bind_blob(s, c, p, n, SQLITE_TRANSIENT); break;
			default: sqlite3_bind_null(s, c);
			}
			p += n;
		}
		sqlite3_step(s);
		int rc = sqlite3_reset(s), basic = rc & 0xff;
		if (rc != SQLITE_OK && basic != 19 && basic != 20 && !now_at.describing) {
			put_failure(made);
			sqlite3_finalize(s);
			return;
		}
	}
	sqlite3_finalize(s);
	put_end(DONE, 0, 0, "");
}

static void make(void) {
	if (now_at.op == FRESH) {
		sqlite3_close_v2(made);
		made = 0;
		if (sqlite3_open_v2(":memory:", &made, 2 | 4 | 0x8000, 0) != SQLITE_OK) { // READWRITE | CREATE | NOMUTEX
			put_end(NOT_OPENED, SQLITE_NOMEM, 0, "out of memory");
			return;
		}
		sqlite3_limit(made, 7, 0); // SQLITE_LIMIT_ATTACHED: what is made reaches no file
		put_end(DONE, 0, 0, "");
	} else if (now_at.op == INSERT)
		insert();
	else if (now_at.op == QUERY)
		run(made);
	else if (now_at.op == EXEC) {
		if (sqlite3_exec(made, sql, 0, 0, 0) != SQLITE_OK)
			put_failure(made);
		else
			put_end(DONE, 0, 0, "");
	} else { // IMAGE: one row with one blob
		int64_t n = 0;
		unsigned char *image = sqlite3_serialize(made, "main", &n, 0);
		if (!image) {
			put_end(FAILED, SQLITE_NOMEM, 0, "out of memory");
			return;
		}
		put_byte('C');
		put_u32(1);
		put_text("image", 5);
		put_byte('R');
		put_byte(3);
		put_text((char *)image, n);
		sqlite3_free(image);
		put_end(DONE, 0, 0, "");
	}
}

// ---- the process ----

static void serve(void) {
	char *body = 0;
	uint32_t room = 0, n;
	while (read_all(&n, 4) == 0) {
		if (n > room) {
			free(body);
			if (!(body = malloc(room = n))) leave(4);
		}
		if (n < sizeof now_at || read_all(body, n) != 0) break;
		memcpy(&now_at, body, sizeof now_at);
		if (now_at.op == STOP) continue; // of a scan that had ended by itself
		path = body + sizeof now_at;
		sql = path + now_at.path_length + 1;
		rest = sql + now_at.sql_length + 1;
		stopped = denied = 0;
		present = 0;
		followed = now_at.followed;
		begun = now();
		make_room(now_at.heap);
		sqlite3_hard_heap_limit64(now_at.heap);
		if (now_at.op >= EXEC)
			make();
		else {
			sqlite3 *db = opened(now_at.op == SCAN);
			if (db) run(db);
		}
		flush();
		if (room > (1 << 20)) {
			free(body);
			body = 0;
			room = 0;
		}
	}
}

// confine gives the process its limits: of address space as a backstop behind SQLite's own limit on its heap, of the size
// of a temporary file, and of what the kernel writes after a crash. It ends with its parent, and keeps no descriptor but
// its two pipes and the null device.
static void confine(void) {
	struct rlimit r = {0, 0};
	setrlimit(RLIMIT_CORE, &r);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGINT, SIG_IGN); // the terminal's: the parent decides
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	r.rlim_cur = r.rlim_max = (rlim_t)1 << 30;
	setrlimit(RLIMIT_FSIZE, &r);
	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
		if (r.rlim_cur < 2 * MOST_OPEN) most_open = r.rlim_cur < 16 ? 1 : (int)r.rlim_cur / 2;
	}
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	close_range(3, ~0u, 0);
	long pages = 0;
	char *v = getenv("ASSAY_SQL_SPACE_MB");
	FILE *f = fopen("/proc/self/statm", "r");
	if (f) {
		if (fscanf(f, "%ld", &pages) != 1) pages = 0;
		fclose(f);
	}
	if (pages && v) {
		r.rlim_cur = r.rlim_max = (rlim_t)pages * sysconf(_SC_PAGESIZE) + ((rlim_t)atol(v) << 20);
		setrlimit(RLIMIT_AS, &r);
	}
#else
	for (int fd = 3; fd < 1024; fd++) close(fd);
#endif
}

// needs are the limits below which the Go runtime cannot start, or dies in the middle of a run with a page of its own
// words. Reports take 1.5 GB of addresses, of which they use little.
static const struct {
	int limit;
	rlim_t least, unit;
	const char *name, *shell;
} needs[] = {
	{RLIMIT_AS, (rlim_t)2 << 30, 1024, "address space", "-v"},
	{RLIMIT_DATA, (rlim_t)512 << 20, 1024, "memory", "-d"},
	{RLIMIT_NOFILE, 16, 1, "open files", "-n"},
};

// assay_built_with reports whether SQLite was compiled with an option.
int assay_built_with(const char *option) { return sqlite3_compileoption_used(option); }

__attribute__((constructor)) static void start(void) {
	struct rlimit r;
	if (getenv("ASSAY_SQL_WORKER")) {
		confine();
		sqlite3_config(1); // SQLITE_CONFIG_SINGLETHREAD
		sqlite3_initialize();
		assay_no_shm();
		serve();
		leave(0);
	}
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (getrlimit(needs[i].limit, &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < needs[i].least) {
			fprintf(stderr, "assay: the limit on %s (ulimit %s %llu) is too small: at least %llu is needed\n", needs[i].name,
			        needs[i].shell, (unsigned long long)(r.rlim_cur / needs[i].unit), (unsigned long long)(needs[i].least / needs[i].unit));
			leave(1);
		}
}
