package baseline

import "strings"

// readDDL parses CREATE TABLE statements, the notes behind their columns and the example rows after them.
func readDDL(b *base, text string) {
	for {
		at := indexFold(text, "CREATE TABLE")
		if at < 0 {
			return
		}
		text = text[at+len("CREATE TABLE"):]
		end := len(text)
		if next := indexFold(text, "CREATE TABLE"); next >= 0 {
			end = next
		}
		readTable(b, text[:end])
		text = text[end:]
	}
}

func indexFold(s, sub string) int { return strings.Index(upperASCII(s), sub) }

// upperASCII changes the case without changing byte offsets, which strings.ToUpper may change.
func upperASCII(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'a' && c <= 'z' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

// readTable parses the text from one CREATE TABLE to the next.
func readTable(b *base, text string) {
	text = strings.TrimSpace(text)
	if hasPrefixFold(text, "IF NOT EXISTS") {
		text = text[len("IF NOT EXISTS"):]
	}
	name, rest := identAt(strings.TrimSpace(text))
	open := strings.IndexByte(rest, '(')
	if name == "" || open < 0 {
		return
	}
	statement, notes := cutNotes(rest[open:])
	end := closing(statement)
	t := b.addTable(name)
	for _, part := range splitTop(statement[1:end], ',') {
		readDefinition(b, t, strings.TrimSpace(part))
	}
	for column, note := range notes {
		if c := b.columnNamed(t, column); c >= 0 {
			readNote(&b.cols[c], note)
		}
	}
	readRows(b, t, text)
}

// cutNotes removes "-- note" comments and returns them, by the first name of their line.
func cutNotes(s string) (string, map[string]string) {
	if !strings.Contains(s, "--") {
		return s, nil
	}
	notes := map[string]string{}
	var out strings.Builder
	for _, line := range strings.Split(s, "\n") {
		if at := strings.Index(line, "--"); at >= 0 {
			if name, _ := identAt(strings.TrimSpace(line[:at])); name != "" {
				notes[name] = line[at+2:]
			}
			line = line[:at]
		}
		out.WriteString(line + "\n")
	}
	return out.String(), notes
}

// closing returns the index of the parenthesis that closes the one at the start of s, or the end of s.
func closing(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// splitTop splits at sep outside quotes and parentheses.
func splitTop(s string, sep byte) []string {
	var out []string
	depth, from, quote := 0, 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == sep && depth <= 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// identAt parses the identifier at the start of s, quoted or not, and returns it and the rest.
func identAt(s string) (name, rest string) {
	if s == "" {
		return "", ""
	}
	if end := map[byte]byte{'"': '"', '`': '`', '[': ']', '\'': '\''}[s[0]]; end != 0 {
		at := strings.IndexByte(s[1:], end)
		if at < 0 {
			return "", s
		}
		for end == '"' && at+2 < len(s) && s[at+2] == '"' { // a doubled quote inside the name
			next := strings.IndexByte(s[at+3:], end)
			if next < 0 {
				return "", s
			}
			at += 2 + next
		}
		return strings.ReplaceAll(s[1:1+at], `""`, `"`), s[at+2:]
	}
	i := strings.IndexAny(s, " \t\r\n(),;")
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// readDefinition parses one column or table constraint.
func readDefinition(b *base, t int, def string) {
	up := upperASCII(def)
	switch {
	case strings.HasPrefix(up, "CONSTRAINT"):
		_, rest := identAt(strings.TrimSpace(def[len("CONSTRAINT"):]))
		readDefinition(b, t, strings.TrimSpace(rest))
	case strings.HasPrefix(up, "PRIMARY KEY"):
		for _, c := range namesIn(def) {
			if i := b.columnNamed(t, c); i >= 0 {
				b.cols[i].key = true
			}
		}
	case strings.HasPrefix(up, "FOREIGN KEY"):
		readForeignKey(b, t, def)
	case strings.HasPrefix(up, "UNIQUE") || strings.HasPrefix(up, "CHECK") || def == "" || strings.HasPrefix(up, "KEY "):
	default:
		name, rest := identAt(def)
		if name == "" || b.columnNamed(t, name) >= 0 {
			return
		}
		c := b.addColumn(name)
		c.typ, _ = identAt(strings.TrimSpace(rest))
		c.key = strings.Contains(up, "PRIMARY KEY")
		if at := strings.Index(up, "REFERENCES "); at >= 0 {
			c.refs = append(c.refs, target(def[at+len("REFERENCES "):], 0))
		}
	}
}

// readForeignKey parses FOREIGN KEY (a, b) REFERENCES t (c, d).
func readForeignKey(b *base, t int, def string) {
	at := indexFold(def, "REFERENCES")
	if at < 0 {
		return
	}
	for k, c := range namesIn(def[:at]) {
		if i := b.columnNamed(t, c); i >= 0 {
			b.cols[i].refs = append(b.cols[i].refs, target(def[at+len("REFERENCES"):], k))
		}
	}
}

// target returns the k-th column that a REFERENCES clause names, as "table.column"; "table." if it names no columns.
func target(s string, k int) string {
	name, rest := identAt(strings.TrimSpace(s))
	names := namesIn(rest)
	if k < len(names) {
		return name + "." + names[k]
	}
	return name + "."
}

// namesIn returns the names in the first parentheses of s.
func namesIn(s string) []string {
	open := strings.IndexByte(s, '(')
	if open < 0 {
		return nil
	}
	s = s[open:]
	var out []string
	for _, part := range splitTop(strings.TrimSuffix(s[1:max(1, closing(s))], ")"), ',') {
		if n, _ := identAt(strings.TrimSpace(part)); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// readNote parses the example values in a column's note.
func readNote(c *column, note string) {
	_, values, ok := strings.Cut(note, "Example Values:")
	if !ok {
		return
	}
	values, _, _ = strings.Cut(values, " | ")
	for k, v := range strings.Split(values, "`") {
		if k%2 == 1 {
			c.samples = append(c.samples, v)
		}
	}
}

// readRows parses the example rows of a table: a header line and rows, with cells separated by tabs, or by spaces if
// that gives as many names as the header.
func readRows(b *base, t int, text string) {
	open := strings.Index(text, "/*")
	if open < 0 {
		return
	}
	body, _, _ := strings.Cut(text[open:], "*/")
	lines := strings.Split(body, "\n")
	for len(lines) > 0 && !hasPrefixFold(strings.TrimSpace(lines[0]), "SELECT") {
		lines = lines[1:]
	}
	if len(lines) < 3 {
		return
	}
	n := b.tables[t].n
	for _, line := range lines[2:] {
		cells := strings.Split(line, "\t")
		if len(cells) != n {
			cells = strings.Fields(line)
		}
		if len(cells) != n {
			continue
		}
		for k, v := range cells {
			if v = strings.TrimSpace(v); v != "NULL" && v != "" {
				c := &b.cols[b.tables[t].first+k]
				c.samples = append(c.samples, v)
			}
		}
	}
}
