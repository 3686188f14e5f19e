package schema

import (
	"testing"
)

func TestNew(t *testing.T) {
	d := New("shop", []Table{{Name: "order", Columns: []Column{{Name: "id", Type: "INT"}, {Name: "ship date"}}, PrimaryKey: []string{"id"}}},
		[]ForeignKey{{"order", "id", "line items", "key"}})
	want := "CREATE TABLE \"order\" (\n  id INT,\n  \"ship date\",\n  PRIMARY KEY (id),\n  FOREIGN KEY (id) REFERENCES \"line items\" (key)\n)"
	if d.Tables[0].DDL != want || d.Tables[0].Rows != -1 {
		t.Errorf("got %+v", d.Tables[0])
	}
	if d.Table("nothing") != nil || d.Tables[0].Column("ID") == nil {
		t.Error("lookup")
	}
}

func TestColumnName(t *testing.T) {
	id := ColumnName{"Pet", "ID"}
	if got := id.Folded(); got != (ColumnName{"pet", "id"}) {
		t.Errorf("folded: %v", got)
	}
	dotted := func(want string, c ColumnName) {
		t.Helper()
		if got := c.Dotted(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	dotted("Pet.ID", id)
	dotted("ID", ColumnName{Column: "ID"})
	mayBe := func(want bool, d ColumnName) {
		t.Helper()
		if id.MayBe(d) != want || d.MayBe(id) != want {
			t.Errorf("%v and %v: want %v", id, d, want)
		}
	}
	mayBe(true, ColumnName{"pet", "Id"})
	mayBe(true, ColumnName{Column: "id"})
	mayBe(false, ColumnName{"owner", "id"})
	mayBe(false, ColumnName{"pet", "name"})
}
