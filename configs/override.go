package configs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Options are the settings of the command line. They are applied over a file before its checks; the zero value changes
// nothing.
type Options struct {
	// Set holds "key.path=value" settings, applied in order. The value is TOML; bare words are text, and bare words with
	// commas are a list where the key is one. "arm.NAME.key=value" sets a key of an arm, "metric.ID.key=value" one of a
	// metric of the experiment's own, and "sweep.AXIS=[...]" an axis, which an empty list removes. A key of an inherited
	// table changes the arms that do not state it themselves. Relative paths are relative to the working directory.
	Set []string

	// Metrics holds "ID=COMMAND" definitions of metrics by programs that work in the current directory, which are computed after
	// those that the experiment names. COMMAND is words between spaces, or a TOML list of texts.
	Metrics []string

	Data    string // dataset.path; empty: as the file says
	Limit   *int   // dataset.limit; nil: as the file says
	Seed    *int64 // the one seed in place of the file's; nil: as the file says
	Workers *int   // workers; nil: as the file says

	// Unset leaves ${NAME} as it is where NAME is not set: for an experiment that is looked at, and neither planned nor run.
	Unset bool
}

// override applies o to the document. The flags come after --set, and win.
func (l *loader) override(d *document, o Options) {
	for _, s := range o.Set {
		l.set(d, s)
	}
	for _, m := range o.Metrics {
		l.define(d, m)
	}
	put := func(flag, path string, v any) { d.top[path] = value{v, origin{flag: flag}} }
	if o.Data != "" {
		put("--data "+o.Data, "dataset.path", o.Data)
	}
	if o.Limit != nil {
		put("--limit "+strconv.Itoa(*o.Limit), "dataset.limit", int64(*o.Limit))
	}
	if o.Seed != nil {
		put("--seed "+strconv.FormatInt(*o.Seed, 10), "seeds", []int64{*o.Seed})
	}
	if o.Workers != nil {
		put("--workers "+strconv.Itoa(*o.Workers), "workers", int64(*o.Workers))
	}
}

// set applies one key.path=value.
func (l *loader) set(d *document, setting string) {
	at := origin{flag: "--set " + setting}
	path, raw, ok := strings.Cut(setting, "=")
	path = strings.TrimSpace(path)
	switch {
	case !utf8.ValidString(setting):
		l.bad(at, "is not UTF-8")
	case !ok:
		l.bad(at, "want key.path=value")
	case strings.HasPrefix(path, "sweep."):
		l.addAxis(d, strings.TrimPrefix(path, "sweep."), parseSet(nil, raw), at)
	case strings.HasPrefix(path, "arm."):
		l.setOne(armScope, "arm", d.arms, "name", strings.TrimPrefix(path, "arm."), raw, at)
	case strings.HasPrefix(path, "metric."):
		l.setOne(metricScope, "metric", d.metrics, "id", strings.TrimPrefix(path, "metric."), raw, at)
	default:
		l.setIn(topScope, d.top, path, raw, at)
	}
}

// define adds ID=COMMAND to the metrics that programs compute, in place of one of that id.
func (l *loader) define(d *document, definition string) {
	at := origin{flag: "--metric " + definition}
	id, raw, ok := strings.Cut(definition, "=")
	command, err := commandOf(raw)
	switch {
	case !utf8.ValidString(definition):
		l.bad(at, "is not UTF-8")
		return
	case !ok || id == "":
		l.bad(at, "want ID=COMMAND, such as 'mine=python3 mine.py'")
		return
	case err != nil:
		l.bad(at, "%v", err)
		return
	}
	own := layer{"id": {id, at}, "command": {command, at}}
	if dir, err := os.Getwd(); err == nil {
		own["dir"] = value{dir, at}
	}
	if i := slices.IndexFunc(d.metrics, func(m layer) bool { return m["id"].v == id }); i >= 0 {
		d.metrics[i], d.metricsAt[i] = own, at
	} else {
		d.metrics, d.metricsAt = append(d.metrics, own), append(d.metricsAt, at)
	}
	named, stated := d.top["metrics"]
	if !stated {
		named = value{v: topScope["metrics"].def}
	}
	if !slices.Contains(listed(named.v), id) {
		d.top["metrics"] = value{append(slices.Clone(listed(named.v)), id), at}
	}
}

// commandOf divides a command line at its spaces; one that begins with a bracket is a TOML list.
func commandOf(raw string) ([]string, error) {
	if v, isTOML := parseTOML(raw); isTOML && strings.HasPrefix(strings.TrimSpace(raw), "[") {
		words, why := topScope["metrics"].convert(v)
		if why != "" {
			return nil, fmt.Errorf("the command %s", why)
		}
		return words.([]string), nil
	}
	if strings.ContainsAny(raw, "\"'\\") {
		return nil, errors.New(`no shell reads the command: write one with quotes as a list, 'mine=["python3", "my metric.py"]'`)
	}
	return strings.Fields(raw), nil
}

// setOne applies NAME.key=value to the table of a list, such as the arms, whose key has that name.
func (l *loader) setOne(s scope, what string, list []layer, key, path, raw string, at origin) {
	name, path, _ := strings.Cut(path, ".")
	for _, in := range list {
		if in[key].v == name {
			l.setIn(s, in, path, raw, at)
			return
		}
	}
	l.bad(at, "there is no %s %q%s", what, name, didYouMean(name, texted(list, key)))
}

// setIn applies key=value to a layer, where the scope has the key.
func (l *loader) setIn(s scope, into layer, path, raw string, at origin) {
	k := s.find(path)
	if k == nil && s.table(path) {
		l.bad(at, "%s is a table: write %s.KEY=VALUE", path, path)
		return
	}
	if k == nil {
		l.bad(at, "unknown key %q%s", path, s.didYouMean(path))
		return
	}
	if l.src.again && isInherited(path) && s["seeds"] != nil {
		l.bad(at, "the arms of a stored run state every key themselves: write --set arm.NAME.%s", strings.TrimSpace(path+"="+raw))
		return
	}
	v, why := k.convert(parseSet(k, raw))
	if why != "" {
		l.bad(at, "%s %s", path, why)
		return
	}
	for p := range into {
		if k.kind == free && clash(p, path) {
			delete(into, p)
		}
	}
	into[path] = value{v, at}
}

// parseSet parses a setting's value for the key k; nil means a sweep axis, which is a list of any type. Shells take quotes
// away, so bare words count as text.
func parseSet(k *key, raw string) any {
	v, isTOML := parseTOML(raw)
	if _, isText := v.(string); k != nil && (k.kind == text || k.kind == duration || k.kind == effort || k.kind == variables) && !isText {
		return raw
	}
	if k != nil && k.kind != texts && k.kind != integers {
		return v
	}
	if _, isList := v.([]any); isList || (isTOML && strings.ContainsAny(raw, `"'{`)) {
		if isList {
			return v
		}
		return []any{v}
	}
	if strings.TrimSpace(raw) == "" {
		return []any{}
	}
	list := []any{}
	for _, part := range strings.Split(raw, ",") {
		one, _ := parseTOML(strings.TrimSpace(part))
		if k != nil && k.kind == texts {
			if _, isText := one.(string); !isText {
				one = strings.TrimSpace(part)
			}
		}
		list = append(list, one)
	}
	return list
}

// parseTOML parses raw as one TOML value; where it is none, it returns raw as text. A map with more than one key means that
// raw held a line break and further keys.
func parseTOML(raw string) (v any, isTOML bool) {
	var m map[string]any
	if _, err := toml.Decode("v = "+raw, &m); err != nil || len(m) != 1 {
		return raw, false
	}
	return m["v"], true
}
