package shell

import (
	"slices"
	"testing"
)

// A pattern such as GO* lists more than what a toolchain needs.
func TestANameOnAListThatLooksLikeASecretIsHeldBack(t *testing.T) {
	t.Parallel()
	host := []string{"GOPATH=/go", "GOAUTH=netrc", "GOTIFY_PASS=p", "MAVEN_GPG_PASSPHRASE=p", "GOOGLE_OAUTH=o", "NODE_AUTH_TOKEN=t", "npm_config__auth=a",
		"npm_config_otp=1", "XDG_SESSION_COOKIE=c", "http_proxy=http://u:p@proxy:3128", "GOPROXY=https://:p@proxy"}
	host = append([]string{"https_proxy=http://proxy:3128", "no_proxy=a@b", "XAUTHORITY=/x"}, host...)
	env, held := environment(host, &Options{})
	for _, pair := range host[:5] {
		if !slices.Contains(env, pair) {
			t.Errorf("%s is missing", pair)
		}
	}
	want := []string{"GOOGLE_OAUTH", "GOPROXY", "GOTIFY_PASS", "MAVEN_GPG_PASSPHRASE", "NODE_AUTH_TOKEN", "XDG_SESSION_COOKIE", "http_proxy", "npm_config__auth", "npm_config_otp"}
	if !slices.Equal(held, want) {
		t.Errorf("held back: %q, want %q", held, want)
	}
}
