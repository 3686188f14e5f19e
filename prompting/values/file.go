package values

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"

	"assay/configs/input"
	"assay/prompting/sql/schema"
)

// An index file is the magic, the sections, the footer in JSON, the footer's length and CRC-32C in four bytes each, and
// the magic again. All numbers are little-endian. The sections:
//
//	texts     the values one after another
//	starts    where each begins in texts, and where the last ends: 8 bytes each
//	sizes     the number of each value's grams that are filed, one byte each
//	exact     hash of the value's normal form << 32 | its number, 8 bytes each, ascending
//	postings  for each gram in turn the ascending numbers of its values, as differences in base-128
//	grams     for each gram, ascending: its hash (4), the number of its values (4), where they begin in postings (8)
//
// A value's number is its position in reading order: the values of one column are consecutive.
const (
	magic      = "assayvx1"
	footerTail = 8 + len(magic)
	gramEntry  = 16
)

// footer says what is where.
type footer struct {
	Identity identity          `json:"identity"`
	Values   int               `json:"values"`
	Columns  []fileColumn      `json:"columns"`
	Sections map[string][2]int `json:"sections"` // offset and length
	CRC      uint32            `json:"crc"`      // CRC-32C of everything before the footer
}

type fileColumn struct {
	schema.ColumnName
	First int `json:"first"` // number of its first value
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writer writes an index file from front to back.
type writer struct {
	w    *bufio.Writer
	crc  hash.Hash32
	at   int
	foot footer
}

func newWriter(w io.Writer) *writer {
	out := &writer{crc: crc32.New(castagnoli), foot: footer{Sections: map[string][2]int{}}}
	out.w = bufio.NewWriterSize(io.MultiWriter(w, out.crc), 1<<20)
	return out
}

func (w *writer) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	w.at += n
	return n, err
}

// section writes one section by f.
func (w *writer) section(name string, f func() error) error {
	start := w.at
	err := f()
	w.foot.Sections[name] = [2]int{start, w.at - start}
	return err
}

// finish writes the footer. The body must be flushed first, for its checksum.
func (w *writer) finish() error {
	if err := w.w.Flush(); err != nil {
		return err
	}
	w.foot.CRC = w.crc.Sum32()
	b, err := json.Marshal(w.foot)
	if err != nil {
		return err
	}
	n := len(b)
	sum := crc32.Checksum(b, castagnoli)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = binary.LittleEndian.AppendUint32(b, sum)
	if _, err := w.Write(append(b, magic...)); err != nil {
		return err
	}
	return w.w.Flush()
}

// indexFile is an index file in memory, mapped where the system can.
type indexFile struct {
	footer
	path  string
	n     int
	data  []byte
	unmap func() error

	texts, starts, sizes, exact, postings, grams []byte
}

func (f *indexFile) close() error {
	f.texts, f.starts, f.sizes, f.exact, f.postings, f.grams = nil, nil, nil, nil, nil, nil
	if f.unmap == nil {
		return nil
	}
	return f.unmap()
}

// openFile opens and checks the index file at path. The error is os.ErrNotExist where there is none; any other says
// what is damaged.
func openFile(path string, want identity) (*indexFile, error) {
	if err := input.Regular(path); err != nil {
		return nil, input.Cause(err)
	}
	file, err := os.Open(path) // mapped into memory, which needs the file itself
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	foot, body, err := readFooter(file, info.Size())
	if err != nil {
		return nil, err
	}
	if foot.Identity != want {
		return nil, errors.New("it is of another database or made with other options")
	}
	if err := checkBody(file, body, foot.CRC); err != nil {
		return nil, err
	}
	data, unmap, err := mapFile(file, int(info.Size()))
	if err != nil {
		return nil, err
	}
	f := &indexFile{footer: foot, path: path, n: foot.Values, data: data, unmap: unmap}
	if err := f.cut(int(body)); err != nil {
		unmap()
		return nil, err
	}
	return f, nil
}

// readFooter reads the footer and says where it begins.
func readFooter(r io.ReaderAt, size int64) (foot footer, body int64, err error) {
	if size < int64(footerTail+len(magic)) {
		return foot, 0, errors.New("it is too short")
	}
	tail := make([]byte, footerTail)
	if _, err := r.ReadAt(tail, size-int64(footerTail)); err != nil {
		return foot, 0, err
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	if body = size - int64(footerTail) - n; string(tail[8:]) != magic || body < int64(len(magic)) {
		return foot, 0, errors.New("it has no footer")
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, body); err != nil {
		return foot, 0, err
	}
	if crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(tail[4:]) {
		return foot, 0, errors.New("its footer does not match its checksum")
	}
	return foot, body, json.Unmarshal(b, &foot)
}

func checkBody(r io.ReaderAt, size int64, want uint32) error {
	h := crc32.New(castagnoli)
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, io.NewSectionReader(r, 0, size), make([]byte, 1<<18)); err != nil {
		return err
	}
	if h.Sum32() != want {
		return errors.New("its content does not match its checksum")
	}
	return nil
}

// cut finds the sections in the file and checks that their sizes fit together, so that a lookup by number can not
// leave them. Offsets within texts and postings are checked when used.
func (f *indexFile) cut(body int) error {
	for name, s := range map[string]*[]byte{"texts": &f.texts, "starts": &f.starts, "sizes": &f.sizes, "exact": &f.exact,
		"postings": &f.postings, "grams": &f.grams} {
		at := f.Sections[name]
		if at[0] < 0 || at[1] < 0 || at[0] > body || at[1] > body-at[0] {
			return fmt.Errorf("section %s lies outside", name)
		}
		*s = f.data[at[0] : at[0]+at[1]]
	}
	if f.n < 0 || len(f.sizes) != f.n || len(f.starts) != 8*(f.n+1) || len(f.exact)%8 != 0 || len(f.grams)%gramEntry != 0 {
		return errors.New("its sections do not fit together")
	}
	last := 0
	for _, c := range f.Columns {
		if c.First < last || c.First > f.n {
			return errors.New("its columns are out of order")
		}
		last = c.First
	}
	if len(f.Columns) == 0 && f.n > 0 || f.n > 0 && f.Columns[0].First != 0 {
		return errors.New("it has values of no column")
	}
	return nil
}

// end returns one past the number of a column's last value.
func (f *indexFile) end(column int) int {
	if column+1 < len(f.Columns) {
		return f.Columns[column+1].First
	}
	return f.n
}

// text returns a value, in the file's memory: copy it to keep it. It is empty where the file is wrong about it.
func (f *indexFile) text(id uint32) []byte {
	if int64(id) >= int64(f.n) {
		return nil
	}
	from := binary.LittleEndian.Uint64(f.starts[8*int(id):])
	to := binary.LittleEndian.Uint64(f.starts[8*int(id)+8:])
	if from > to || to > uint64(len(f.texts)) {
		return nil
	}
	return f.texts[from:to]
}

// column returns the number of the column that has a value.
func (f *indexFile) column(id uint32) int {
	lo, hi := 0, len(f.Columns)-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; f.Columns[mid].First <= int(id) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// list is the list of a gram's values.
type list struct {
	count int
	bytes []byte // from its first number on; count gives the end
}

// find looks a gram up.
func (f *indexFile) find(gram uint32) list {
	lo, hi := 0, len(f.grams)/gramEntry
	for lo < hi {
		if mid := (lo + hi) / 2; binary.LittleEndian.Uint32(f.grams[gramEntry*mid:]) < gram {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(f.grams)/gramEntry || binary.LittleEndian.Uint32(f.grams[gramEntry*lo:]) != gram {
		return list{}
	}
	e := f.grams[gramEntry*lo:]
	at := binary.LittleEndian.Uint64(e[8:])
	if at > uint64(len(f.postings)) {
		return list{}
	}
	return list{int(binary.LittleEndian.Uint32(e[4:])), f.postings[at:]}
}

// filed passes the numbers filed under the hash of a normal form to g until g returns false.
func (f *indexFile) filed(key uint32, g func(id uint32) bool) {
	lo, hi := 0, len(f.exact)/8
	for lo < hi {
		if mid := (lo + hi) / 2; binary.LittleEndian.Uint64(f.exact[8*mid:])>>32 < uint64(key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(f.exact)/8; lo++ {
		v := binary.LittleEndian.Uint64(f.exact[8*lo:])
		if v>>32 != uint64(key) || !g(uint32(v)) {
			return
		}
	}
}
