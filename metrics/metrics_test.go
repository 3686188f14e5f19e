package metrics

import "testing"

func TestIncorrect(t *testing.T) {
	want := map[Status]bool{Wrong: true, NoSQL: true, SQLError: true, SQLTimeout: true, Rejected: true}
	for _, s := range Statuses {
		if s.Incorrect() != want[s] {
			t.Errorf("%s: %v", s, s.Incorrect())
		}
	}
}
