package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Design is a planned paired comparison: the share of items that will be discordant (right under one system only), and
// how the difference will be tested.
type Design struct {
	Discordant float64 // share of the items that only one system has right, within (0, 1]
	Level      float64 // of the two-sided test, such as 0.05
	Power      float64 // wanted chance of a significant result, such as 0.8
}

// check panics if a field is outside its documented range.
func (d Design) check() {
	mustBe(0 < d.Discordant && d.Discordant <= 1, "discordant share %v", d.Discordant)
	mustBe(0 < d.Level && d.Level < 1, "level %v", d.Level)
	mustBe(0 < d.Power && d.Power < 1, "power %v", d.Power)
}

// mcNemarPower returns the chance that McNemar's exact test of n items is significant at the level, if the share lost
// of all items is right only under the first system and the share won only under the second. The number of discordant
// items is binomial in n, and that of items won is binomial in them. Both are summed over, so that the result is exact
// except for tails below 1e-18. It panics unless lost and won are shares with a sum in [0, 1], n >= 0 and 0 < level <
// 1.
func mcNemarPower(n int, lost, won, level float64) float64 {
	mustBe(n >= 0 && lost >= 0 && won >= 0 && lost+won <= 1+1e-12, "%d items, shares %v and %v", n, lost, won)
	mustBe(0 < level && level < 1, "level %v", level)
	psi := min(1, lost+won)
	if n == 0 || psi == 0 {
		return 0
	}
	mean, sd := float64(n)*psi, math.Sqrt(float64(n)*psi*(1-psi))
	from, to := max(0, int(mean-9*sd)-1), min(n, int(mean+9*sd)+1)
	discordant := distuv.Binomial{N: float64(n), P: psi}
	power, critical := 0.0, criticalCount(from, level)
	for m := from; m <= to; m++ {
		for critical < m && 2*half(m).CDF(float64(critical+1)) <= level {
			critical++
		}
		if critical < 0 {
			continue
		}
		x := distuv.Binomial{N: float64(m), P: won / psi}
		tails := x.CDF(float64(critical)) + x.Survival(float64(m-critical-1))
		share := 1.0 // the case of chance 0, for whose logarithm distuv gives NaN
		if psi < 1 {
			share = discordant.Prob(float64(m))
		}
		power += share * tails
	}
	return min(1, power)
}

func half(m int) distuv.Binomial { return distuv.Binomial{N: float64(m), P: 0.5} }

// criticalCount returns the largest k for which k or fewer successes in m fair trials are significant at the two-sided
// level, -1 if there is none.
func criticalCount(m int, level float64) int {
	z := distuv.UnitNormal.Quantile(1 - level/2)
	k := min(m, max(-1, int(float64(m)/2-z*math.Sqrt(float64(m))/2)+2))
	for k >= 0 && 2*half(m).CDF(float64(k)) > level {
		k--
	}
	return k
}

// shares divides the discordant items so that the difference is diff. If the difference exceeds the discordant share,
// all discordant items are on one side, and there are as many more as needed.
func (d Design) shares(diff float64) (lost, won float64) {
	psi := max(d.Discordant, diff)
	return max(0, (psi-diff)/2), min(1, (psi+diff)/2)
}

// PowerAt returns mcNemarPower at a difference of shares.
func (d Design) PowerAt(n int, diff float64) float64 {
	d.check()
	lost, won := d.shares(math.Abs(diff))
	return mcNemarPower(n, lost, won, d.Level)
}

// Connor returns the number of items that shows a difference of shares, by the normal approximation to McNemar's test
// without continuity correction (Connor 1987, Biometrics 43, 207-211):
//
//	n = (z(1-level/2) sqrt(psi) + z(power) sqrt(psi - diff²))² / diff²
//
// where psi is the discordant share. It panics unless 0 < |diff| <= 1.
func (d Design) Connor(diff float64) float64 {
	d.check()
	diff = math.Abs(diff)
	mustBe(0 < diff && diff <= 1, "difference %v", diff)
	psi := max(d.Discordant, diff)
	z := distuv.UnitNormal.Quantile(1-d.Level/2)*math.Sqrt(psi) + distuv.UnitNormal.Quantile(d.Power)*math.Sqrt(max(0, psi-diff*diff))
	return math.Ceil(z * z / (diff * diff))
}

// exactItems is the largest number of items for which Items computes exactly; more would take too long.
const exactItems = 200_000

// Items returns the number of items with which McNemar's exact test shows a difference of shares: the fewest found by
// bisection at which mcNemarPower reaches the wanted power. Power grows with n except for steps of the exact test, so a
// few items fewer may reach it too. Beyond 200,000 items it returns Connor's number, and exact is false. It panics
// unless 0 < |diff| <= 1.
func (d Design) Items(diff float64) (n int, exact bool) {
	high := d.Connor(diff)
	if high > exactItems {
		return int(min(high, 1e15)), false
	}
	low, up := 0, int(high)
	for d.PowerAt(up, diff) < d.Power {
		low, up = up, up+up/4+8
	}
	for up-low > 1 {
		if mid := (low + up) / 2; d.PowerAt(mid, diff) >= d.Power {
			up = mid
		} else {
			low = mid
		}
	}
	return up, true
}

// Smallest returns the smallest difference of shares that n items show with the wanted power, to four decimals. ok is
// false if they show none, however large.
func (d Design) Smallest(n int) (diff float64, ok bool) {
	d.check()
	if d.PowerAt(n, 1) < d.Power {
		return 1, false
	}
	low, high := 0.0, 1.0
	for high-low > 5e-5 {
		if mid := (low + high) / 2; d.PowerAt(n, mid) >= d.Power {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}

// Detectable returns the difference that an estimate with the given standard error shows with the wanted power at the
// two-sided level, by the normal approximation: (z(1-level/2) + z(power)) se (Bloom 1995, Evaluation Review 19). It
// panics unless level and power are within (0, 1).
func Detectable(se, level, power float64) float64 {
	mustBe(0 < level && level < 1 && 0 < power && power < 1, "level %v, power %v", level, power)
	return se * (distuv.UnitNormal.Quantile(1-level/2) + distuv.UnitNormal.Quantile(power))
}
