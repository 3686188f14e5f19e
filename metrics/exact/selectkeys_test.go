package exact

import (
	"slices"
	"testing"

	"assay/prompting/sql/schema"
)

func TestSelectKeys(t *testing.T) {
	schema := &schema.Database{
		Tables: singers.Tables,
		ForeignKeys: []schema.ForeignKey{
			{Table: "concert", Column: "Singer_ID", RefTable: "singer", RefColumn: "Singer_ID"},
		},
	}
	m := New(Options{})
	check := func(a, b string, same bool) {
		t.Helper()
		ka, errA := m.SelectKeys(a, schema)
		kb, errB := m.SelectKeys(b, schema)
		if errA != nil || errB != nil || slices.Equal(ka, kb) != same {
			t.Errorf("%q %v, %q %v: want same %t (%v, %v)", ka, a, kb, b, same, errA, errB)
		}
	}
	check("SELECT Name FROM singer", "SELECT DISTINCT T1.name FROM singer AS T1", true)
	check("SELECT name FROM singer", "SELECT name FROM concert", false)
	check("SELECT name, age FROM singer", "SELECT age, name FROM singer", false) // a list: the caller may sort
	check("SELECT max(age) FROM singer", "SELECT age FROM singer", true)
	check("SELECT max(age), min(age) FROM singer", "SELECT age, age FROM singer", true)
	check("SELECT (max(age)) FROM singer", "SELECT (min(age)) FROM singer", false)
	check("SELECT (max(age) - min(age)) FROM singer", "SELECT (max(age) - max(age)) FROM singer", false)
	check("SELECT age - singer_id FROM singer", "SELECT age + singer_id FROM singer", false)
	check("SELECT * FROM singer", "SELECT count(*) FROM concert", true)
	check("SELECT concert.singer_id FROM concert JOIN singer", "SELECT singer.singer_id FROM concert JOIN singer", true)
	check("SELECT singer_id FROM concert", "SELECT singer_id FROM singer", true) // the key of the group, either way
	check("SELECT name FROM singer UNION SELECT name FROM concert", "SELECT name FROM singer", true)
	if _, err := m.SelectKeys("SELECT upper(name) FROM singer", schema); err == nil {
		t.Error("a function is in the grammar")
	}
}
