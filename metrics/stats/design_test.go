package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The reference values of this file come from SciPy 1.10.1 and statsmodels 0.13.5, by the calls named next to them. The
// tests need neither.

func TestAgainstStatsmodels(t *testing.T) {
	check := func(b, c int, p float64) {
		t.Helper()
		if got := McNemar(b, c).P; !near(got, p, 1e-9) {
			t.Errorf("%d, %d: %v, want %v", b, c, got, p)
		}
	}
	// statsmodels.stats.contingency_tables.mcnemar([[0, b], [c, 0]], exact=True).pvalue
	check(6, 16, 0.052478790283203125)
	check(900, 1000, 0.0231088451089012)
	check(31, 57, 0.007343408723708127)
	check(0, 7, 0.015625)
	// statsmodels.stats.multitest.multipletests(ps, method="holm")[1]
	for i, want := range []float64{0.04, 0.09, 0.09, 0.025, 0.2, 0.0006} {
		if got := Holm([]float64{.01, .04, .03, .005, .2, .0001})[i]; !near(got, want, 1e-12) {
			t.Errorf("holm %d: %v, want %v", i, got, want)
		}
	}
}

func TestSignFlip(t *testing.T) {
	check := func(want, tolerance float64, warnings int, diffs ...float64) {
		t.Helper()
		got := SignFlip(diffs, 1)
		if !near(got.P, want, tolerance) || len(got.Warnings) != warnings {
			t.Errorf("%v: %+v, want %v", diffs, got, want)
		}
		for i := range diffs {
			diffs[i] = -diffs[i]
		}
		if again := SignFlip(diffs, 1); !near(again.P, got.P, 1e-12) {
			t.Errorf("%v: the other direction gives %v and %v", diffs, again.P, got.P)
		}
	}
	// By hand: the signs of 1, 2, 3 give |sum| >= 4 for +++ 6, -++ 4 and their mirrors: 4 of 8.
	check(0.5, 1e-12, 1, -1, 2, 3)
	check(1, 1e-12, 1, 1, -1)
	check(1, 1e-12, 1)
	check(1, 1e-12, 1, 0, 0)
	// scipy.stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
	check(0.140625, 1e-12, 0, 3, -1, 2, 2, -1, 1, 4, 0)
	check(0.158203125, 1e-12, 0, 0.2, -0.4, 0.6, 1, 0.8, -0.2, 0.4, 0.2, -0.6, 1.0)
	check(0.0625, 1e-12, 0, 5, -2, 7, 1, 1, 3, -4, 6, 2, -1, 2, 9)
	// The same, of numbers with no common step up to 1/60: drawn, so within 3 standard errors of 0.0015.
	check(0.046875, 0.0046, 1, .123, -.317, .551, .711, .097, -.204, .413, .389, .05, .66, -.11, .27)
	// Items of one pair of 0/1 scores are McNemar's exact test.
	for _, n := range [][2]int{{6, 16}, {31, 57}, {900, 1000}, {5, 5}, {0, 7}} {
		var d []float64
		for range n[0] {
			d = append(d, -1)
		}
		for range n[1] {
			d = append(d, 1)
		}
		if got, want := SignFlip(d, 1).P, McNemar(n[0], n[1]).P; !near(got, want, 1e-9) {
			t.Errorf("%v: %v, McNemar %v", n, got, want)
		}
	}
}

// TestSignFlipNearsObuchowski: of many clusters, the test nears Obuchowski's (1998) chi-square, which is
// (K-1)/K (sum d)² / sum d² in the notation of Yang, Sun and Hardin (2010), with one degree of freedom.
func TestSignFlipNearsObuchowski(t *testing.T) {
	const clusters = 400
	var d []float64
	sum, squares := 0.0, 0.0
	for i := range clusters {
		x := float64(i%5 - 2)
		if i%10 == 0 {
			x += 2
		}
		d = append(d, x)
		sum, squares = sum+x, squares+x*x
	}
	chi := float64(clusters-1) / clusters * sum * sum / squares
	if got, want := SignFlip(d, 1).P, math.Erfc(math.Sqrt(chi/2)); got > 1.1*want || got < want/1.1 {
		t.Errorf("%v, Obuchowski %v", got, want)
	}
}

func TestClusters(t *testing.T) {
	// 12 differences in clusters of 3, 4, 2 and 3: sums 0, 2, 0, 2.
	cs := []Cluster{{3, 0}, {4, 2}, {2, 0}, {3, 2}, {0, 0}}
	// statsmodels OLS on a constant, cov_type="cluster", use_correction=False, times sqrt(4/3): 0.16355113.
	if se := StandardError(cs); !near(se, 0.16355113, 1e-8) {
		t.Errorf("standard error %v", se)
	}
	in := BootstrapClusters(cs, 0.95, 0, 1)
	// 200,000 resamples by numpy: [0, 0.5714].
	if !near(in.Estimate, 1.0/3, 1e-12) || !near(in.Low, 0, 0.02) || !near(in.High, 0.5714, 0.02) || len(in.Warnings) != 1 {
		t.Errorf("%+v", in)
	}
	if again := BootstrapClusters(cs, 0.95, 0, 1); again.Low != in.Low || again.High != in.High {
		t.Error("the same seed gave another interval")
	}
	if none := BootstrapClusters(nil, 0.95, 0, 1); !math.IsNaN(none.Estimate) || !math.IsNaN(StandardError(cs[:1])) {
		t.Errorf("%+v", none)
	}
	// One item a cluster: the standard error of a mean, sd/sqrt(n) = sqrt(0.3)/sqrt(6) for 1 1 1 0 0 0.
	single := []Cluster{{1, 1}, {1, 1}, {1, 1}, {1, 0}, {1, 0}, {1, 0}}
	if se := StandardError(single); !near(se, math.Sqrt(0.3/6), 1e-12) {
		t.Errorf("standard error of a mean %v", se)
	}
}

func TestNewcombe(t *testing.T) {
	check := func(both, a, b, neither int, low, high float64) {
		t.Helper()
		in := Newcombe(both, a, b, neither, 0.95)
		if !near(in.Low, low, 1e-9) || !near(in.High, high, 1e-9) || in.Low > in.Estimate || in.High < in.Estimate {
			t.Errorf("%d %d %d %d: %+v, want [%v, %v]", both, a, b, neither, in, low, high)
		}
	}
	// By statsmodels' proportion_confint(method="wilson") and the formula of the paper, put together separately.
	check(5, 1, 4, 2, -0.12459285070028098, 0.5442163962859665)
	check(4, 0, 0, 0, -0.4898908364545975, 0.4898908364545975)
	check(36, 12, 2, 0, -0.3404276029749408, -0.05692958400323875)
	check(10, 0, 0, 10, -0.08975665937768057, 0.08975665937768057)
	check(54, 0, 0, 0, -0.06641358809089648, 0.06641358809089648)
	check(53, 1, 0, 0, -0.09771437488781953, 0.049621661889404076)
	if none := Newcombe(0, 0, 0, 0, 0.95); !math.IsNaN(none.Estimate) || none.Low != -1 || none.High != 1 {
		t.Errorf("%+v", none)
	}
}

// TestNewcombeCovers draws 4,000 samples of 20 items with a difference of 0.1 and counts how often the interval has it:
// 95 % within 3 standard errors of 0.35 points, and the interval is known to lean to the safe side.
func TestNewcombeCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	held := 0
	for range 4000 {
		var n [4]int
		for range 20 {
			switch x := r.Float64(); {
			case x < 0.5:
				n[0]++
			case x < 0.6:
				n[1]++
			case x < 0.8:
				n[2]++
			default:
				n[3]++
			}
		}
		if in := Newcombe(n[0], n[1], n[2], n[3], 0.95); in.Low <= 0.1 && 0.1 <= in.High {
			held++
		}
	}
	if share := float64(held) / 4000; share < 0.94 || share > 0.985 {
		t.Errorf("it covers %v", share)
	}
}

func TestMcNemarPower(t *testing.T) {
	check := func(n int, lost, won, level, want float64) {
		t.Helper()
		if got := mcNemarPower(n, lost, won, level); !near(got, want, 1e-9) {
			t.Errorf("%d, %v, %v: %v, want %v", n, lost, won, got, want)
		}
	}
	// By enumeration: for each m the k with scipy.stats.binomtest(k, m).pvalue <= level, summed by scipy.stats.binom.pmf.
	check(50, .1, .2, .05, 0.1787257444398198)
	check(100, .05, .2, .05, 0.8367351211564417)
	check(200, .08, .12, .01, 0.07150591357660178)
	check(30, 0, .3, .05, 0.9234052479924488)
	check(5, 0, 1, .05, 0) // 2 · 0.5^5 > 0.05
	check(6, 0, 1, .05, 1)
	check(0, .1, .2, .05, 0)
	check(100, 0, 0, .05, 0)
	if p := mcNemarPower(1000, .1, .1, .05); p > .05 || p < .03 {
		t.Errorf("without a difference %v, want at most the level", p)
	}
}

func TestItemsThatShowADifference(t *testing.T) {
	check := func(psi, diff, level, power, connor float64, items int) {
		t.Helper()
		d := Design{Discordant: psi, Level: level, Power: power}
		if got := d.Connor(diff); got != math.Ceil(connor) {
			t.Errorf("Connor %v, %v: %v, want %v", psi, diff, got, connor)
		}
		if n, exact := d.Items(diff); n != items || !exact {
			t.Errorf("items %v, %v: %d (exact: %v), want %d", psi, diff, n, exact, items)
		}
	}
	// Connor's formula in Python; the items by a scan of scipy's binomials round it for the first n with the power.
	check(.2, .02, .05, .8, 3922.081167967856, 4016)
	check(.2, .05, .05, .8, 625.5473178337215, 658)
	check(.3, .1, .05, .8, 233.09453820467385, 249)
	if n, exact := (Design{.2, .05, .8}).Items(0.0005); exact || n < 6_000_000 {
		t.Errorf("a tiny difference: %d, %v", n, exact)
	}
	// A difference of half of the items takes half of them to be discordant, all in one direction: 6 or more
	// have a chance of 0.7880 of 14 and of
	// 0.8491 of 15 (scipy.stats.binom.sf(5, n, .5)), so that 15 items do.
	if n, _ := (Design{.05, .05, .8}).Items(0.5); n != 15 {
		t.Errorf("half of the items: %d", n)
	}
}

func TestSmallest(t *testing.T) {
	check := func(n int, psi, want float64, ok bool) {
		t.Helper()
		got, found := Design{Discordant: psi, Level: .05, Power: .8}.Smallest(n)
		if !near(got, want, 1e-4) || found != ok {
			t.Errorf("%d, %v: %v, %v, want %v", n, psi, got, found, want)
		}
	}
	// scipy.optimize.brentq over the same power, by scipy's binomials.
	check(1034, .15, 0.034488624932300704, true)
	check(200, .2, 0.0911637421600282, true)
	check(50, .1, 0.15352242757513498, true)
	check(5, .2, 1, false)
	if got := Detectable(0.01, .05, .8); !near(got, 0.028015852, 1e-8) { // (1.959963985 + 0.841621234) / 100
		t.Errorf("detectable %v", got)
	}
}

func TestVariance(t *testing.T) {
	check := func(got, want float64, what string) {
		t.Helper()
		if !near(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	// statsmodels anova_lm(ols("y ~ C(i)*C(s)")): mean squares 0.708333, 0.041667, 0.208333 and 0.208333, so that the item
	// is (0.708333 - 0.208333)/6, item x seed 0, and the seed (0.041667 - 0.208333)/8, below 0.
	c := Variance([][][]float64{
		{{1, 1}, {1, 0}, {1, 1}}, {{0, 0}, {0, 1}, {0, 0}}, {{1, 0}, {1, 1}, {0, 1}}, {{0, 0}, {0, 0}, {1, 0}}})
	check(c.Mean, 11.0/24, "mean")
	check(c.Item, 1.0/12, "item")
	check(c.Seed, 0, "seed")
	check(c.ItemSeed, 0, "item x seed")
	check(c.Sampling, 5.0/24, "sampling")
	if len(c.Warnings) != 2 || c.Items != 4 || c.Seeds != 3 || c.Samples != 2 {
		t.Errorf("%+v", c)
	}
	// anova_lm(ols("y ~ C(i) + C(s)")): mean squares 0.245667, 0.206, and the residual 0.022667.
	column := func(rows ...[]float64) (out [][][]float64) {
		for _, r := range rows {
			var item [][]float64
			for _, x := range r {
				item = append(item, []float64{x})
			}
			out = append(out, item)
		}
		return out
	}
	c = Variance(column([]float64{1, .5, .9}, []float64{.2, .1, .4}, []float64{.7, .3, .8}, []float64{.6, .2, .9}, []float64{0, .1, .2}))
	check(c.ItemSeed, 0.022666666666666665, "residual")
	check(c.Seed, 0.036666666666666695, "seed")
	check(c.Item, 0.0743333333333333, "item")
	check(c.Sampling, math.NaN(), "sampling")
	item, seed, both, sampling := c.Spread(100, 4, 1)
	check(item, math.Sqrt(0.0743333333333333/100), "spread of items")
	check(seed, math.Sqrt(0.036666666666666695/4), "spread of seeds")
	check(both, math.Sqrt(0.022666666666666665/400), "spread of item x seed")
	check(sampling, 0, "spread of sampling")
	// One seed, by hand: cells 1, 0.5, 0 give a between mean square of 2·0.25 = 0.5, within (0 + 0.5 + 0)/3 = 1/6.
	c = Variance([][][]float64{{{1, 1}}, {{1, 0}}, {{0, 0}}})
	check(c.Sampling, 1.0/6, "one seed: sampling")
	check(c.Item, (0.5-1.0/6)/2, "one seed: item")
	check(c.Seed, math.NaN(), "one seed: seed")
	c = Variance(column([]float64{1}, []float64{0}))
	check(c.Item, 0.5, "one sample: item")
	if c = Variance(nil); !math.IsNaN(c.Mean) || len(c.Warnings) != 1 {
		t.Errorf("%+v", c)
	}
}

// TestVarianceFindsWhatWasPutIn draws normal scores with known components.
func TestVarianceFindsWhatWasPutIn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const items, seeds, samples = 400, 60, 4
	seed := make([]float64, seeds)
	for j := range seed {
		seed[j] = r.NormFloat64() * 0.3
	}
	scores := make([][][]float64, items)
	for i := range scores {
		item := r.NormFloat64() * 0.5
		scores[i] = make([][]float64, seeds)
		for j := range scores[i] {
			both := r.NormFloat64() * 0.2
			for range samples {
				scores[i][j] = append(scores[i][j], item+seed[j]+both+r.NormFloat64()*0.4)
			}
		}
	}
	c := Variance(scores)
	if !near(c.Item, 0.25, 0.05) || !near(c.Seed, 0.09, 0.04) || !near(c.ItemSeed, 0.04, 0.003) || !near(c.Sampling, 0.16, 0.003) || c.Warnings != nil {
		t.Errorf("%+v", c)
	}
}

func BenchmarkSignFlipSeeds(b *testing.B) { // 1534 items of 5 seeds
	d := make([]float64, 1534)
	for i := range d {
		d[i] = float64(i%11-5) / 5
	}
	for b.Loop() {
		SignFlip(d, 1)
	}
}

func BenchmarkSmallest(b *testing.B) {
	for b.Loop() {
		Design{Discordant: .2, Level: .05, Power: .8}.Smallest(1534)
	}
}
