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
