package shell

import (
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// inherited are the names of the host's environment that commands get, as
// path.Match patterns. A host holds its models' keys there, so what is not
// listed stays out.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP", "XDG_*",
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
	"GO*", "CARGO_*", "RUSTUP_*", "NODE_*", "NVM_*", "npm_config_*", "PNPM_HOME", "PYTHON*", "PYENV_*", "VIRTUAL_ENV", "CONDA_*",
	"JAVA_*", "MAVEN_*", "GRADLE_*", "DOTNET_*", "ANDROID_*", "CC", "CXX", "*FLAGS", "PKG_CONFIG_PATH", "DISPLAY", "XAUTHORITY",
}

// inheritedWindows are matched in upper case.
var inheritedWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
	"PROGRAMFILES*", "COMMONPROGRAMFILES*", "HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "PSMODULEPATH",
}

// secret are the parts of a name that keep it out, whatever list it is on:
// npm's _auth is a password as well, and GO* lets more in than Go's own names.
// GOAUTH is one of those: it says where credentials are, and holds none.
var secret = []string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "_AUTH", "_OAUTH", "_OTP", "COOKIE"}

// loginInURL is a URL that holds a name and a password, as a proxy's may.
var loginInURL = regexp.MustCompile(`://[^/@\s:]*:[^/@\s]+@`)

// settings tell programs that nobody is there to answer, and no terminal to
// paint. CI is not among them: it changes what test runners do.
var settings = []string{
	"NO_COLOR=1", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GH_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "SSH_ASKPASS_REQUIRE=never",
	"DEBIAN_FRONTEND=noninteractive", "PYTHONUNBUFFERED=1", "npm_config_yes=true",
}

// environment is what every command gets, and the names that were held back.
func environment(host []string, o *Options) (env, held []string) {
	e := environ{}
	for _, pair := range host {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			continue // Windows keeps its current directories so
		}
		if o.InheritAll || inherits(name) && !loginInURL.MatchString(value) {
			e.set(pair)
		} else {
			held = append(held, name)
		}
	}
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && !e.utf8() {
		e.set("LANG=C.UTF-8")
	}
	for _, pair := range settings {
		e.set(pair)
	}
	for _, pair := range o.Env {
		if !strings.Contains(pair, "=") {
			i := slices.IndexFunc(host, func(h string) bool { return strings.HasPrefix(h, pair+"=") })
			if i < 0 {
				continue
			}
			held = slices.DeleteFunc(held, func(h string) bool { return h == pair })
			pair = host[i]
		}
		e.set(pair)
	}
	slices.Sort(held)
	return e, held
}

// commandEnv adds what is one command's own.
func commandEnv(env []string, dir, job string) []string {
	e := environ(slices.Clone(env))
	e.set("PWD=" + dir)
	e.set(marker(job))
	return e
}

// marker is what every process of a job has in its environment, and no other.
func marker(job string) string { return "ARC_JOB=" + job }

func inherits(name string) bool {
	upper := strings.ToUpper(name)
	listed := matches(inherited, name)
	if runtime.GOOS == "windows" {
		listed = matches(inherited, upper) || matches(inheritedWindows, upper)
	}
	return listed && !slices.ContainsFunc(secret, func(s string) bool { return strings.Contains(upper, s) })
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// environ is an environment in which each name stands once.
type environ []string

func (e *environ) set(pair string) {
	name, _, _ := strings.Cut(pair, "=")
	same := func(p string) bool {
		other, _, _ := strings.Cut(p, "=")
		return other == name || runtime.GOOS == "windows" && strings.EqualFold(other, name)
	}
	if i := slices.IndexFunc(*e, same); i >= 0 {
		(*e)[i] = pair
		return
	}
	*e = append(*e, pair)
}

// utf8 reports whether the locale's characters are UTF-8. The first of the three
// that is set decides.
func (e environ) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		for _, pair := range e {
			n, value, _ := strings.Cut(pair, "=")
			if n == name && value != "" {
				value = strings.ToLower(value)
				return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
			}
		}
	}
	return false
}
