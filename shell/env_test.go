package shell

import (
	"slices"
	"testing"
)

// A pattern such as GO* lists more than what a toolchain needs.
func TestANameOnAListThatLooksLikeASecretIsHeldBack(t *testing.T) {
	t.Parallel()
	host := []string{"GOPATH=/go", "GOAUTH=netrc", "GOTIFY_PASS=p", "MAVEN_GPG_PASSPHRASE=p", "GOOGLE_OAUTH=o", "NODE_AUTH_TOKEN=t", "npm_config__auth=a"}
	env, held := environment(host, &Options{})
	for _, pair := range host[:2] {
		if !slices.Contains(env, pair) {
			t.Errorf("%s is missing", pair)
		}
	}
	want := []string{"GOOGLE_OAUTH", "GOTIFY_PASS", "MAVEN_GPG_PASSPHRASE", "NODE_AUTH_TOKEN", "npm_config__auth"}
	if !slices.Equal(held, want) {
		t.Errorf("held back: %q, want %q", held, want)
	}
}
