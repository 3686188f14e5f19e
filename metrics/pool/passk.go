package pool

// passAtK returns the chance that k candidates, drawn without replacement from n of which c are correct, include a
// correct one: 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374, section 2.1), as a product. It panics unless
// 0 <= c <= n and 1 <= k <= n.
func passAtK(n, c, k int) float64 {
	mustBe(0 <= c && c <= n && 1 <= k && k <= n, "pass@k of n=%d, c=%d, k=%d", n, c, k)
	return 1 - drawn(n, n-c, k)
}

// passHatK returns the chance that all k candidates drawn in this way are correct: C(c, k)/C(n, k), known as pass^k. It
// panics as passAtK does.
func passHatK(n, c, k int) float64 {
	mustBe(0 <= c && c <= n && 1 <= k && k <= n, "pass^k of n=%d, c=%d, k=%d", n, c, k)
	return drawn(n, c, k)
}

// drawn returns C(m, k)/C(n, k), the chance that k drawn of n are all among m. Each factor is at most 1, so nothing
// overflows. Of the two equal products it computes the one with fewer factors.
func drawn(n, m, k int) float64 {
	if k > m {
		return 0
	}
	p := 1.0
	if k <= n-m {
		for i := range k {
			p *= float64(m-i) / float64(n-i)
		}
		return p
	}
	for i := range n - m {
		p *= float64(n-k-i) / float64(n-i)
	}
	return p
}
