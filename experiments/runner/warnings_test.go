package runner_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"assay/configs"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"
)

// TestWarningsOnScoresAreKept: the run lists the warnings on its scores, each with the number of items, whatever the number
// of arms and seeds. How many gold queries return nothing is counted here from the results that the run keeps.
func TestWarningsOnScoresAreKept(t *testing.T) {
	p := makePlan(t, t.TempDir(), "dataset.limit=0", `dataset.filter.db=["city_library"]`, "seeds=[0,1]", `metrics=["ex"]`, "model.provider=openai", "model.name=m")
	m := &counting{inner: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "SELECT 1 WHERE 0", nil }}} // right where the gold returns nothing
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, res)
	rows := map[[2]string]int{}
	for _, x := range r.Results {
		rows[[2]string{x.Item, x.Digest}] = x.Rows
	}
	empty := 0
	for _, q := range r.Questions {
		if n, known := rows[[2]string{q.Item, q.GoldDigest}]; known && n == 0 {
			empty++
		}
	}
	if empty == 0 {
		t.Fatal("no gold query of these returns nothing: the test shows nothing")
	}
	items := "items"
	if empty == 1 {
		items = "item"
	}
	want := fmt.Sprintf("ex: %d %s: the gold query returns no rows", empty, items)
	if !slices.Contains(r.Manifest.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Manifest.Warnings, want)
	}
}

// TestOneClientForOneAddress: an address spelled in two ways is one author and one client, which asks once.
func TestOneClientForOneAddress(t *testing.T) {
	p := makePlan(t, t.TempDir(), "dataset.limit=2", "model.provider=openai", "model.name=m", "model.base_url=http://127.0.0.1:1/v1")
	for i := range p.Cells {
		if i%2 == 1 {
			p.Cells[i].Arm.Model.BaseURL = "http://127.0.0.1:1/v1/"
		}
	}
	m := newCounting(nil)
	opened := 0
	o := runner.Options{Store: store.Open(t.TempDir()), Model: m.open}
	open := o.Model
	o.Model = func(ctx context.Context, c configs.Model, l configs.Limits) (llm.Model, error) {
		opened++
		return open(ctx, c, l)
	}
	if _, err := runner.Run(context.Background(), p, o); err != nil || opened != 1 {
		t.Errorf("%d clients, %v", opened, err)
	}
}
