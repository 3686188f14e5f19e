package values

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// sorter sorts more numbers than memory holds: full buffers go, sorted, to one temporary file, and are merged.
type sorter struct {
	buf  []uint64
	size int
	tmp  *os.File
	runs []run
	end  int64
}

// run is one sorted stretch of the temporary file, as differences.
type run struct {
	off, len int64
}

func newSorter(dir string, size int) (*sorter, error) {
	tmp, err := os.CreateTemp(dir, ".sort-*")
	if err != nil {
		return nil, err
	}
	return &sorter{size: size, tmp: tmp}, nil
}

// close removes the temporary file.
func (s *sorter) close() {
	s.tmp.Close()
	os.Remove(s.tmp.Name())
}

func (s *sorter) add(v uint64) error {
	if len(s.buf) == s.size {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, v)
	return nil
}

// spill writes the buffer as a run.
func (s *sorter) spill() error {
	slices.Sort(s.buf)
	w := bufio.NewWriterSize(s.tmp, 1<<18)
	var b [binary.MaxVarintLen64]byte
	last, length := uint64(0), int64(0)
	for _, v := range s.buf {
		n := binary.PutUvarint(b[:], v-last)
		last = v
		length += int64(n)
		if _, err := w.Write(b[:n]); err != nil {
			return err
		}
	}
	s.runs = append(s.runs, run{s.end, length})
	s.end += length
	s.buf = s.buf[:0]
	return w.Flush()
}

// each passes all numbers in ascending order, equal ones once. The sorter cannot be used afterwards.
func (s *sorter) each(ctx context.Context, f func(v uint64) error) error {
	if len(s.runs) == 0 {
		slices.Sort(s.buf)
		return eachOnce(ctx, func() (uint64, error) {
			if len(s.buf) == 0 {
				return 0, io.EOF
			}
			v := s.buf[0]
			s.buf = s.buf[1:]
			return v, nil
		}, f)
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.buf = nil
	m, err := s.merge()
	if err != nil {
		return err
	}
	return eachOnce(ctx, m.next, f)
}

// eachOnce passes on what next returns, without repeats.
func eachOnce(ctx context.Context, next func() (uint64, error), f func(v uint64) error) error {
	last := uint64(0)
	for i := 0; ; i++ {
		v, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && i&0xffff == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if i > 0 && v == last {
			continue
		}
		last = v
		if err := f(v); err != nil {
			return err
		}
	}
}

// merger is a heap of runs by their next number.
type merger struct{ heads []head }

type head struct {
	v uint64
	r *bufio.Reader
}

func (s *sorter) merge() (*merger, error) {
	m := &merger{}
	for _, r := range s.runs {
		h := head{r: bufio.NewReaderSize(io.NewSectionReader(s.tmp, r.off, r.len), 1<<16)}
		v, err := binary.ReadUvarint(h.r)
		if errors.Is(err, io.EOF) {
			continue
		}
		if err != nil {
			return nil, err
		}
		h.v = v
		m.heads = append(m.heads, h)
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m, nil
}

func (m *merger) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(m.heads) {
			return
		}
		if c+1 < len(m.heads) && m.heads[c+1].v < m.heads[c].v {
			c++
		}
		if m.heads[i].v <= m.heads[c].v {
			return
		}
		m.heads[i], m.heads[c] = m.heads[c], m.heads[i]
		i = c
	}
}

func (m *merger) next() (uint64, error) {
	if len(m.heads) == 0 {
		return 0, io.EOF
	}
	top := &m.heads[0]
	v := top.v
	d, err := binary.ReadUvarint(top.r)
	switch {
	case errors.Is(err, io.EOF):
		m.heads[0] = m.heads[len(m.heads)-1]
		m.heads = m.heads[:len(m.heads)-1]
	case err != nil:
		return 0, err
	default:
		top.v += d
	}
	m.down(0)
	return v, nil
}

// hashSet is a set of hashes by open addressing; 0 marks a free place.
type hashSet struct {
	slots []uint64
	n     int
}

// add reports whether the hash is new.
func (s *hashSet) add(h uint64) bool {
	if h == 0 {
		h = 1
	}
	if s.n*5 >= len(s.slots)*3 {
		s.grow()
	}
	if !s.put(h) {
		return false
	}
	s.n++
	return true
}

func (s *hashSet) put(h uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = h
			return true
		case h:
			return false
		}
	}
}

func (s *hashSet) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, h := range old {
		if h != 0 {
			s.put(h)
		}
	}
}
