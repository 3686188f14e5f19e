package decompose

import (
	"strings"

	"assay/experiments/decompose/english"
	"assay/prompting/sql/tree"
)

// joined words what a join says of a table: nothing where the other table is only read from.
func (t *teller) joined(e *entity, l link) []mod {
	to, noun := l.to, l.to.one()
	back := e
	if l.one {
		if thing := t.thing(e, l.own.Name); thing != "" && !e.isKey(l.own.Name) {
			noun = thing
		}
	} else if next := t.bridge(to, e); next != nil {
		back, to, noun = to, next, next.one()
	} else if other := t.connects(to, e); other != "" && !to.shown {
		noun = other
	}
	inner := t.mods(to, back)
	if to == l.to && l.one && t.isA(e, l.own, to) {
		return inner // what is said of the person is said of the gymnast
	}
	if len(inner) == 0 && anyShown(to, back) && !l.loose && (l.one || !t.plays(to, e)) {
		return nil
	}
	m := mod{have: english.A(noun) + after(relative(inner, false))}
	switch {
	case to != l.to || l.one:
	case t.isA(to, l.far, e):
		m.verb, m.verbs = m.have, english.Plural(noun)+after(relative(inner, true))
	case t.plays(to, e):
		m.verb = "the " + role(columnWords(to.table, l.far.Name)) + " of " + m.have
	case t.special(to, l.far, e) != "":
		m.verb = "the " + t.special(to, l.far, e) + " of " + m.have
	}
	if l.loose {
		m.have = t.equal(e, l) + m.have
	}
	if l.one && len(inner) == 1 && inner[0].whose != "" && len(to.links) == 1 {
		m.whose = noun + "'s " + inner[0].whose
	}
	return []mod{m}
}

// isA reports whether the rows of a table are rows of another: gymnasts are people, and documents with expenses, whose key
// is the document's, are documents.
func (t *teller) isA(e *entity, own *tree.Expr, of *entity) bool {
	if t.target(e, own.Name) != of.table || t.roles(e, of) > 1 {
		return false
	}
	if of.one() == "person" {
		return english.Personal(e.one())
	}
	alike := english.Head(e.one()) == english.Head(of.one())
	if english.Personal(e.one()) && english.Personal(of.one()) && (alike || !strings.Contains(e.one(), " ")) &&
		strings.EqualFold(own.Name, t.referred(e, own.Name)) && len(e.table.PrimaryKey) == 0 {
		return true // a professor has the number of the employee who it is
	}
	return e.isDeclared(own.Name) && alike
}

// equal words what connects two tables by no key: that a column of both has one value.
func (t *teller) equal(e *entity, l link) string {
	own, far := t.column(e, l.own), t.column(l.to, l.far)
	if own == far {
		return "the same " + own + " as "
	}
	return english.A(own) + " that is the " + far + " of "
}

// bridge returns the table behind one that only connects two, or nil.
func (t *teller) bridge(e, from *entity) *entity {
	if len(e.conds) > 0 || e.shown || len(e.links) != 2 {
		return nil
	}
	for _, l := range e.links {
		if l.to != nil && l.to != from && l.one && t.leads(e, from, l.to) {
			return l.to
		}
	}
	return nil
}

// special returns what a key to another table calls its rows, if that says more than what they are: "host city" of cities.
func (t *teller) special(e *entity, own *tree.Expr, of *entity) string {
	as := role(columnWords(e.table, t.refs[own].Column))
	before, ok := strings.CutSuffix(as, " "+of.one())
	if !ok || t.target(e, own.Name) != of.table || strings.Contains(before, " ") { // "lost in battle" is no kind of battle
		return ""
	}
	return as
}

// inRole names a row of a joined table; where another table refers to it by two keys, after the one that joins it.
func (t *teller) inRole(e *entity) string {
	for _, l := range e.links {
		if t.plays(l.to, e) && !l.one {
			if thing := t.thing(l.to, t.refs[l.far].Column); thing != "" {
				return thing
			}
		}
	}
	return e.one()
}

// connects returns what the rows of a table connect with those of another, if the table is called after the two or after
// what one does to the other: "pet" for has_pet, which is of students and pets.
func (t *teller) connects(e, with *entity) string {
	if len(e.conds) > 0 || len(e.links) > 1 || t.plays(e, with) {
		return ""
	}
	other, names := "", with.one()
	for _, k := range t.db.ForeignKeys {
		if !strings.EqualFold(k.Table, e.table.Name) || strings.EqualFold(k.RefTable, with.table.Name) {
			continue
		}
		thing := t.thing(e, k.Column)
		if other != "" && thing != other {
			return ""
		}
		other = thing
		if to := t.db.Table(k.RefTable); to != nil {
			names += " " + rowWords(to)
		}
	}
	if !calledAfter(e.table.Name, names, other) {
		return ""
	}
	return other
}

// calledAfter reports whether a table has no word of its own but those of others and of what connects them: that of the
// one which it leads to, or a verb.
func calledAfter(table, names, other string) bool {
	known, leads := map[string]bool{}, false
	for _, w := range strings.Fields(names) {
		known[english.Singular(w)] = true
	}
	other = strings.TrimSuffix(other, " member")
	last := english.Singular(other[strings.LastIndexByte(other, ' ')+1:])
	for _, w := range strings.Fields(english.Words(table)) {
		one := english.Singular(w)
		leads = leads || verbs[w] || one == last
		if !verbs[w] && !english.Preposition(w) && !known[one] {
			return false
		}
	}
	return leads && other != ""
}

// through words the rows of a table that refer to another as what that one has: the table behind, where this only
// connects the two.
func (t *teller) through(e, with *entity) (noun string, mods []mod) {
	var others []link
	for _, l := range e.links {
		if l.to != with {
			others = append(others, l)
		}
	}
	switch {
	case len(e.conds) > 0:
	case len(others) == 1 && others[0].one && t.leads(e, with, others[0].to):
		return others[0].to.one(), t.mods(others[0].to, e)
	case len(others) == 0:
		if other := t.connects(e, with); other != "" {
			return other, nil
		}
	}
	return e.one(), t.mods(e, with)
}

// leads reports whether a table only connects two, which it is called after and which no key connects: of patients that have
// a stay and undergo something during one, the stay that a patient has is not clear.
func (t *teller) leads(e, from, to *entity) bool {
	if t.roles(from, to) > 0 || t.roles(to, from) > 0 || t.plays(e, from) {
		return false
	}
	return from.table != to.table && calledAfter(e.table.Name, from.one()+" "+to.one(), to.one())
}

// anyShown reports whether a column of a table, or of one behind it, is selected.
func anyShown(e, from *entity) bool {
	for _, r := range reach(e, from, func(link) bool { return true }) {
		if r.shown {
			return true
		}
	}
	return false
}
