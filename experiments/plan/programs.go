package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"assay/configs"
	"assay/configs/cache"
	"assay/experiments/catalog"
	"assay/experiments/judge"
	"assay/experiments/record"
	"assay/metrics"
)

// ProgramArms lists the arms with a command.
func (p *Plan) ProgramArms() (out []configs.Arm) {
	for _, a := range p.Experiment.Arms {
		if a.Row.Program {
			out = append(out, a)
		}
	}
	return out
}

// judges lists the metrics that are programs.
func (p *Plan) judges() (out []*judge.Metric) {
	for _, m := range p.Metrics {
		if own, is := m.(*judge.Metric); is {
			out = append(out, own)
		}
	}
	return out
}

// metrics constructs the experiment's metrics. What their programs said before is in the folder of caches.
func (p *Plan) metrics(ctx context.Context, o Options) (all []metrics.Metric, err error) {
	folder := o.Cache
	if folder == "" && len(p.Experiment.OwnMetrics) > 0 {
		if folder, err = cache.Dir(); err != nil {
			return nil, err
		}
	}
	all, err = catalog.Metrics(ctx, p.Experiment, judge.Options{Box: p.Box, Results: p.Results, Folder: filepath.Join(folder, "scores"),
		Workers: p.Workers(), Allowed: o.AllowCommands})
	if err != nil {
		return all, fmt.Errorf("plan: experiment %q: %w", p.Experiment.Name, err)
	}
	return all, nil
}

// copyMetrics copies the files of metrics that are programs. No arm has a name with a dot.
func (p *Plan) copyMetrics() {
	for _, m := range p.judges() {
		for name, text := range m.Sources() {
			p.Copies[path.Join(record.ProgramsDir, "metric."+m.ID(), name)] = text
		}
	}
}

// LogTo passes on what programs write to standard error. open is called with the name of an arm, or "metric." and the id of a
// metric, once its program writes something.
func (p *Plan) LogTo(open func(name string) (io.Writer, error)) {
	p.Programs.LogTo(p.ProgramArms(), open)
	for _, m := range p.judges() {
		m.LogTo(func() (io.Writer, error) { return open("metric." + m.ID()) })
	}
}

// Refusal returns the error about the first arm or metric whose program may not be started; nil where there is none.
func (p *Plan) Refusal() error {
	for _, m := range p.judges() {
		if err := m.Refusal(); err != nil {
			return fmt.Errorf("plan: %w", err)
		}
	}
	for _, a := range p.ProgramArms() {
		if err := p.Programs.Refusal(a); err != nil {
			return fmt.Errorf("plan: arm %q: %w", a.Name, err)
		}
	}
	return nil
}

// programs identifies the programs of the arms, and copies what they are made of. A program that may not be started says no
// version.
func (p *Plan) programs(ctx context.Context) (out []record.Program, err error) {
	left := configs.MostSources
	for _, a := range p.ProgramArms() {
		one := record.Program{Arm: a.Name}
		files, err := a.Files(left)
		if err != nil {
			return nil, fmt.Errorf("plan: arm %q: %w", a.Name, err)
		}
		for _, f := range files {
			left -= len(f.Text)
			sum := sha256.Sum256(f.Text)
			one.Files = append(one.Files, record.SourceFile{Name: f.Name, Digest: "sha256:" + hex.EncodeToString(sum[:])})
			p.Copies[path.Join(record.ProgramsDir, a.Name, f.Name)] = f.Text
		}
		if p.Programs.Refusal(a) == nil {
			if one.Version, err = p.Programs.Version(ctx, a); err != nil {
				return nil, fmt.Errorf("plan: arm %q: %w", a.Name, err)
			}
		}
		out = append(out, one)
	}
	return out, nil
}
