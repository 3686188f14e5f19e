package tree

import "github.com/sqlc-dev/meyer/ast"

// Forms reports which constructs occur anywhere in a text, in any of its statements.
type Forms struct {
	LeftJoin bool
	In       bool // IN and NOT IN
	Alias    bool // of a table or of a result column
}

// FormsOf parses any number of statements of any kind and returns their Forms. It fails where the text does not parse.
func FormsOf(sql string) (f Forms, err error) {
	list, refused := read(sql)
	if refused != nil {
		return f, wrap(sql, refused)
	}
	for _, stmt := range list {
		ast.Walk(stmt, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.JoinOperator:
				f.LeftJoin = f.LeftJoin || n.Type&ast.JoinLeft != 0
			case *ast.InExpr:
				f.In = true
			case *ast.TableRef:
				f.Alias = f.Alias || n.Alias != nil
			case *ast.ResultColumn:
				f.Alias = f.Alias || n.Alias != nil
			}
			return true
		})
	}
	return f, nil
}
