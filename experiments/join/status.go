package join

import (
	"assay/experiments/record"
	"assay/metrics"
)

// restated returns how an answer of r ended under the joined run's headline metric, of which its row has the value v. It is
// the answer's own status where r has that headline too.
func restated(out, r *record.Run) func(s metrics.Status, values []record.Value) metrics.Status {
	if ids := out.Manifest.MetricIDs(); len(ids) == 0 || ids[0] == r.Manifest.MetricIDs()[0] {
		return func(s metrics.Status, _ []record.Value) metrics.Status { return s }
	}
	return func(s metrics.Status, values []record.Value) metrics.Status {
		switch v := values[0]; {
		case v.OK && v.V >= 1:
			return metrics.Correct
		case v.OK && (s == metrics.Correct || !s.Scored()):
			return metrics.Wrong
		case !v.OK && s.Scored(): // what another metric could judge and this one could not
			return metrics.GoldError
		}
		return s
	}
}
