package public

import "testing"

func TestIs(t *testing.T) {
	check := func(want bool, dataset string, databases ...string) {
		t.Helper()
		if got := Is(dataset, databases); got != want {
			t.Errorf("Is(%q, %v) = %v", dataset, databases, got)
		}
	}
	check(true, "spider/dev", "concert_singer", "wta_1")
	check(true, "spider/dev")
	check(false, "spider/dev", "concert_singer", "shop")
	check(true, "spider/dk", "new_pets_1", "singer")
	check(false, "spider/syn", "new_pets_1")
	check(true, "bird/mini_dev", "financial")
	check(false, "bird/dev", "concert_singer")
	check(true, "spider/train", "academic") // nothing is published of it
}
