package cost

import (
	"fmt"

	"assay/configs"
	"assay/experiments/record"
)

// PricesOf returns the prices that a run's experiment names, or where their file cannot be read the shipped ones with a
// warning: what is said of a run must not fail because a price list has moved since.
func PricesOf(r *record.Run) (p Prices, warning, err error) {
	if p, warning = LoadPrices(r.Resolved.Budget.Prices); warning != nil {
		p, err = LoadPrices("")
	}
	return p, warning, err
}

// PriceItems sets the dollars of every item of a run whose file states none: the sum over its calls, each at the price of the
// model that its stage asks. Where the price of one is unknown, that of the item is.
func PriceItems(r *record.Run) error {
	prices, _, err := PricesOf(r)
	if err != nil {
		return err
	}
	arms, items := map[string]configs.Arm{}, map[string]*record.Item{}
	for _, c := range r.Resolved.Cells() {
		arms[cellKey(c.Arm.Name, c.Values())] = c.Arm
	}
	for i := range r.Items {
		it := &r.Items[i]
		if _, known := arms[cellKey(it.Arm, it.Point)]; known && !it.USD.OK {
			it.USD.OK = true
			items[itemKey(it.Item, it.Arm, it.Point, it.Seed)] = it
		}
	}
	if len(items) == 0 {
		return nil
	}
	found, series := map[*record.Item]int{}, Series{Prices: prices}
	err = r.EachCall(func(c record.Call) {
		if it := items[itemKey(c.Item, c.Arm, c.Point, c.Seed)]; it != nil {
			found[it]++
			it.USD = it.USD.Plus(series.Of(ModelOf(arms[cellKey(c.Arm, c.Point)], c.Stage), c))
		}
	})
	for _, it := range items {
		if n := found[it]; err != nil || n != it.Calls.N && it.Calls.OK || n == 0 && !it.Calls.OK { // a run in memory may lack its calls
			it.USD = record.Value{}
		}
	}
	return err
}

func cellKey(arm string, point []string) string { return fmt.Sprintf("%q %q", arm, point) }

func itemKey(item, arm string, point []string, seed int64) string {
	return fmt.Sprintf("%q %d %s", item, seed, cellKey(arm, point))
}
