package process

import (
	"os"
	"slices"
	"strings"
)

// inherited are the variables of this process that programs get: where things are, and in which language and time zone.
// Nothing that may hold a secret is among them, nor a proxy, whose address may hold a password.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
	"VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYTHONPATH", "PYTHONHOME", "PYENV_ROOT", "PYENV_VERSION",
	"NODE_PATH", "JAVA_HOME", "R_HOME", "R_LIBS", "RUBYLIB", "GEM_PATH", "PERL5LIB", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "HF_HOME", "NLTK_DATA", "CUDA_HOME", "CUDA_VISIBLE_DEVICES",
	"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
}

// usual makes programs answer at once, in UTF-8, and in the same order of sets each time: Python holds back what it writes to
// a pipe, and numbers strings at random.
var usual = []string{"PYTHONUNBUFFERED=1", "PYTHONUTF8=1", "PYTHONHASHSEED=0"}

// Environment returns what a program gets of this process's environment, sorted, and what makes it answer as it should.
func Environment() []string {
	var out []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return append(out, usual...)
}
