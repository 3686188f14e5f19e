package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
	"unsafe"

	"assay/prompting/sql/engine"
)

// operation is what a request asks for: see worker.c.
type operation uint8

const (
	opStop   operation = iota // end the scan in progress; the only request that may be sent before an answer has ended
	opRun                     // run an untrusted statement
	opReads                   // compile one, and list the columns that it reads
	opNames                   // compile one, and name the columns of its result
	opScan                    // run one of the program's own
	opExec                    // run statements on the database in memory
	opInsert                  // insert rows there
	opQuery                   // query it
	opImage                   // its bytes
	opFresh                   // begin with an empty one
)

// outcome says how an answer ended.
type outcome uint8

const (
	done outcome = iota
	failed
	denied
	writes
	unbound
	notOpened
	stopped
	changed // somebody changed the database while it was read
)

// job is a request without its limit on memory.
type job struct {
	op      operation
	flag    bool // opRun: the statement is the program's own, about tables and indexes; opInsert: leave out any row that fails
	longest int  // bytes of the longest value of an untrusted statement
	path    string
	sql     string
	rows    [][]engine.Value // of opInsert
	columns int
	more    bool // other requests follow at once
}

// request appends the bytes of a request to b.
func (j job) request(b []byte, heap int64) []byte {
	e := binary.NativeEndian
	at := len(b)
	b = append(b, 0, 0, 0, 0, byte(j.op), 0, 0, 0)
	if j.flag {
		b[at+5] = 1
	}
	if j.more {
		e.PutUint16(b[at+6:], 1)
	}
	b = e.AppendUint32(b, uint32(j.longest))
	b = e.AppendUint64(b, uint64(heap))
	b = e.AppendUint32(b, uint32(len(j.path)))
	b = e.AppendUint32(b, uint32(len(j.sql)))
	b = append(append(b, j.path...), 0)
	b = append(append(b, j.sql...), 0)
	if j.op == opInsert {
		b = e.AppendUint32(b, uint32(len(j.rows)))
		b = e.AppendUint32(b, uint32(j.columns))
		for _, row := range j.rows {
			for _, v := range row {
				b = appendValue(b, v)
			}
		}
	}
	e.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

func appendValue(b []byte, v engine.Value) []byte {
	switch v.Kind() {
	case engine.Int:
		return binary.NativeEndian.AppendUint64(append(b, 0), uint64(v.Int64()))
	case engine.Real:
		return binary.NativeEndian.AppendUint64(append(b, 1), math.Float64bits(v.Float64()))
	case engine.Text:
		return append(binary.NativeEndian.AppendUint32(append(b, 2), uint32(len(v.Bytes()))), v.Bytes()...)
	case engine.Blob:
		return append(binary.NativeEndian.AppendUint32(append(b, 3), uint32(len(v.Bytes()))), v.Bytes()...)
	}
	return append(b, 4)
}

// wire decodes answers. It never trusts a length further than what has arrived.
type wire struct {
	from   func([]byte) (int, error)
	buf    []byte
	at     int    // what was decoded of buf
	texts  []byte // room for the bytes of texts, so that a short text needs no memory of its own
	block  []engine.Value
	ended  bool
	ending ending
	width  int // columns of the answer
	rows   int
}

// ending is the last part of an answer.
type ending struct {
	outcome     outcome
	code, extra int32
	took        time.Duration
	message     string
}

// errBroken says that what arrived is no answer.
var errBroken = errors.New("sqlite: the answer of a process cannot be read")

// begin forgets the last answer, and what arrived after it.
func (r *wire) begin() {
	r.following()
	r.buf, r.at = r.buf[:0], 0
}

// following forgets the last answer; the next one may have arrived in part.
func (r *wire) following() {
	*r = wire{from: r.from, buf: r.buf, at: r.at, texts: r.texts}
	if cap(r.buf) == 0 {
		r.buf = make([]byte, 0, 32<<10)
	}
}

// need makes n bytes available in buf, which n must not exceed.
func (r *wire) need(n int) error {
	for len(r.buf)-r.at < n {
		if r.at == len(r.buf) || cap(r.buf)-r.at < n || len(r.buf) == cap(r.buf) {
			r.buf = append(r.buf[:0], r.buf[r.at:]...)
			r.at = 0
		}
		k, err := r.from(r.buf[len(r.buf):cap(r.buf)])
		if err != nil {
			return err
		}
		r.buf = r.buf[:len(r.buf)+k]
	}
	return nil
}

func (r *wire) byte() (byte, error) {
	if err := r.need(1); err != nil {
		return 0, err
	}
	r.at++
	return r.buf[r.at-1], nil
}

func (r *wire) u32() (uint32, error) {
	if err := r.need(4); err != nil {
		return 0, err
	}
	r.at += 4
	return binary.NativeEndian.Uint32(r.buf[r.at-4:]), nil
}

func (r *wire) u64() (uint64, error) {
	if err := r.need(8); err != nil {
		return 0, err
	}
	r.at += 8
	return binary.NativeEndian.Uint64(r.buf[r.at-8:]), nil
}

// Bounds on what one text may take of memory at once, and on the columns of an answer (SQLite's own limit is 2,000).
const (
	shortText   = 1 << 10
	roomOfTexts = 16 << 10
	mostColumns = 1 << 12
	mostNames   = 4 << 20 // bytes of the names of all columns: a star repeats what a schema says
)

// text reads a length and that many bytes. The memory of a long one grows with what arrives.
func (r *wire) text() (string, error) {
	n, err := r.u32()
	if err != nil || n == 0 {
		return "", err
	}
	if n <= shortText {
		if err := r.need(int(n)); err != nil {
			return "", err
		}
		s := r.keep(r.buf[r.at : r.at+int(n)])
		r.at += int(n)
		return s, nil
	}
	b := make([]byte, 0, min(int(n), 1<<20))
	for len(b) < int(n) {
		if err := r.need(1); err != nil {
			return "", err
		}
		k := min(len(r.buf)-r.at, int(n)-len(b))
		b = append(b, r.buf[r.at:r.at+k]...)
		r.at += k
	}
	return string(b), nil
}

// keep returns the bytes as a string that shares memory with the texts beside it. No byte of texts changes once it is in a
// string.
func (r *wire) keep(b []byte) string {
	if cap(r.texts)-len(r.texts) < len(b) {
		r.texts = make([]byte, 0, max(len(b), min(roomOfTexts, 64+2*cap(r.texts)+8*len(b))))
	}
	from := len(r.texts)
	r.texts = append(r.texts, b...)
	return unsafe.String(&r.texts[from], len(b))
}

// columns returns the names of the columns; an answer that ended without any has none.
func (r *wire) columns() ([]string, error) {
	tag, err := r.byte()
	if err != nil {
		return nil, err
	}
	if tag == 'E' {
		return nil, r.end()
	}
	n, err := r.u32()
	if err != nil || tag != 'C' || n > mostColumns {
		return nil, errors.Join(err, errBroken)
	}
	names, bytes := make([]string, n), 0
	for i := range names {
		if names[i], err = r.text(); err != nil {
			return nil, err
		}
		if bytes += len(names[i]); bytes > mostNames {
			return nil, &engine.Error{Kind: engine.Timeout, Limit: engine.ByteCap, Err: fmt.Errorf("more than %d bytes of column names", mostNames)}
		}
	}
	r.width = int(n)
	return names, nil
}

// next returns the next row, or io.EOF after the last, however the answer ended.
func (r *wire) next() ([]engine.Value, error) {
	if r.ended {
		return nil, io.EOF
	}
	tag, err := r.byte()
	switch {
	case err != nil:
		return nil, err
	case tag == 'E':
		if err := r.end(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	case tag != 'R':
		return nil, errBroken
	}
	row := r.row()
	for i := range row {
		if row[i], err = r.value(); err == errNoText {
			return r.next() // which is the end
		} else if err != nil {
			return nil, err
		}
	}
	r.rows++
	return row, nil
}

// row returns room for a row. It comes from blocks, so that a small row needs no memory of its own: one row at first,
// because most results have a single row.
func (r *wire) row() []engine.Value {
	if len(r.block) < r.width {
		rows := max(1, min(64, mostColumns/max(1, r.width)))
		if r.rows == 0 {
			rows = 1
		}
		r.block = make([]engine.Value, r.width*rows)
	}
	row := r.block[:r.width:r.width]
	r.block = r.block[r.width:]
	return row
}

// errNoText says that SQLite had no memory for a text.
var errNoText = errors.New("no memory for a text")

func (r *wire) value() (engine.Value, error) {
	class, err := r.byte()
	if err != nil {
		return engine.Value{}, err
	}
	switch class {
	case 0:
		n, err := r.u64()
		return engine.OfInt(int64(n)), err
	case 1:
		n, err := r.u64()
		return engine.OfReal(math.Float64frombits(n)), err
	case 2:
		s, err := r.text()
		return engine.OfText(s), err
	case 3:
		s, err := r.text()
		return engine.OfBlob([]byte(s)), err
	case 4:
		return engine.Value{}, nil
	case 5:
		return engine.Value{}, errNoText
	}
	return engine.Value{}, errBroken
}

// end reads the last part of an answer.
func (r *wire) end() error {
	how, err := r.byte()
	if err != nil {
		return err
	}
	code, err := r.u32()
	if err != nil {
		return err
	}
	extra, err := r.u32()
	if err != nil {
		return err
	}
	took, err := r.u64()
	if err != nil {
		return err
	}
	message, err := r.text()
	if err != nil {
		return err
	}
	r.ended = true
	r.ending = ending{outcome(how), int32(code), int32(extra), time.Duration(took), message}
	return nil
}
