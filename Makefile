# Every task of the project. Each target may be run by itself; each set-up step does nothing when it is
# already done. `make` alone lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# What `make relay` listens on and where it keeps its data.
PORT ?= 3001
DATA ?= ./.data/relay
# What the page of `make page` listens on, and the relays that it may talk to: the first is for new invites.
PAGE_PORT ?= 3002
RELAYS ?= http://127.0.0.1:$(PORT)
# What `make sim`, `make soak` and `make fuzz` do, and for how long. A seed repeats a run.
SEEDS ?= 1000
SEED ?=
MINUTES ?= 10
TARGET ?= engine

# In the order in which they fail fastest. A new layer is a target `test-NAME` below and its name here.
LAYERS := text fmt biome clippy rust sim build types readme wasm relay npm page deny

BIOME := npm/node_modules/.bin/biome
TSC := npm/node_modules/.bin/tsc
WASM := --target wasm32-unknown-unknown

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | \
	  while IFS=$$'\t' read -r name text; do printf '  make %-16s %s\n' "$$name" "$$text"; done

# --- set-up

.PHONY: setup setup-tests
setup: ## install what building and running need
	@scripts/setup-rust
	@scripts/setup-npm

setup-tests: setup ## install what only the tests need: wasm test runner, Chromium, GNOME Keyring, cargo-deny
	@scripts/setup-wasm-tests
	@scripts/setup-browser
	@scripts/setup-keychain
	@scripts/setup-deny

.PHONY: setup-fuzz
setup-fuzz: ## install what only fuzzing needs: nightly Rust, cargo-fuzz
	@scripts/setup-fuzz

# --- build and run

.PHONY: build build-wasm build-worker build-npm build-page
build: build-wasm build-worker build-npm ## build the npm package and the relay

build-wasm: setup ## build the wasm of the npm package
	@cargo xtask wasm

build-worker: setup ## build the relay's Worker
	@cargo xtask worker

build-npm: build-wasm ## compile the TypeScript of the npm package
	@scripts/build-npm

build-page: build-npm ## build the page for RELAYS: a static folder, www/dist
	@RELAYS='$(RELAYS)' scripts/build-page

.PHONY: demo
demo: build ## two agents pair and talk over a local relay
	@scripts/node npm/scripts/demo.mjs

.PHONY: relay
relay: build-worker ## run the relay here (PORT=3001 DATA=./.data/relay); stop it with Ctrl-C
	@PORT='$(PORT)' DATA='$(DATA)' exec scripts/node npm/scripts/relay.mjs

.PHONY: page
page: build-page ## serve the page here (PAGE_PORT=3002 RELAYS=…), beside `make relay`; stop it with Ctrl-C
	@PORT='$(PAGE_PORT)' exec scripts/node www/scripts/serve.mjs www/dist

.PHONY: package
package: build ## build npm/agentpair-VERSION.tgz, to be installed by npm
	@cp LICENSE npm/LICENSE
	@cd npm && npm pack --loglevel=error

.PHONY: bench
bench: build ## measure; nothing is asserted
	@cargo bench --package agentpair-protocol
	@scripts/node npm/bench/main.mjs
	@scripts/node npm/bench/start.mjs
	@scripts/node --disable-warning=ExperimentalWarning www/bench/start.mjs

.PHONY: mcp-conformance
mcp-conformance: build ## the public MCP suite against ours; what does not apply is in npm/conformance/
	@scripts/node npm/conformance/run.mjs

# --- checks

.PHONY: test
test: setup-tests ## every check and every test, as CI runs them
	@MAKE='$(MAKE)' scripts/timed $(addprefix test-,$(LAYERS))

.PHONY: test-text test-fmt test-biome test-clippy test-types test-deny
test-text: ## no machine path and no registry host in any file
	@scripts/check-text

test-fmt: ## Rust is formatted
	@cargo fmt --all --check

test-biome: ## JavaScript and TypeScript are formatted and linted
	@$(BIOME) check --error-on-warnings .

test-clippy: ## Rust is without warnings, natively and for wasm
	@cargo clippy --workspace --all-targets -- -D warnings
	@cargo clippy --package agentpair-wasm --package agentpair-relay $(WASM) --all-targets -- -D warnings

test-types: ## TypeScript's types hold, in the tests and scripts too (needs `make build`)
	@$(TSC) --project npm/tsconfig.json --noEmit
	@$(TSC) --project npm/tsconfig.test.json
	@$(TSC) --project www/tsconfig.json
	@$(TSC) --project www/tsconfig.test.json

test-deny: ## the dependencies' licences, sources and bans
	@PATH="$$PWD/.tools/bin:$$PATH" cargo-deny -L error check bans licenses sources

# --- by hand: what takes longer than anybody waits for each time

.PHONY: sim soak ten-thousand relay-conformance-full fuzz mutation-check
sim: ## simulate SEEDS=1000 worlds; SEED=n tells the story of one, shrunk if it fails
	@cargo run --quiet --package agentpair-simulation -- $(if $(SEED),--seed $(SEED),--seeds $(SEEDS))

soak: build ## hosts talk and agree for MINUTES=10 while they and the relay are killed; SEED repeats a run
	@MINUTES='$(MINUTES)' SEED='$(SEED)' scripts/node npm/scripts/soak.mjs

ten-thousand: build ## 10,000 messages through two crashes of the relay; takes minutes
	@AGENTPAIR_MESSAGES=10000 scripts/node --disable-warning=ExperimentalWarning --test --test-reporter=spec \
	  npm/test/ten-thousand.test.ts

relay-conformance-full: build ## the relay's slow probes: five minutes, 10 MiB, the default bounds
	@scripts/node --disable-warning=ExperimentalWarning --test --test-reporter=spec --test-concurrency=1 \
	  npm/test/relay/conformance.test.mjs npm/test/relay/conformance.slow.mjs

fuzz: setup-fuzz ## fuzz one TARGET=engine for MINUTES=10: see fuzz/README.md
	@scripts/fuzz '$(TARGET)' '$(MINUTES)'

mutation-check: setup ## take each central rule out of the code: its test has to notice
	@scripts/mutation-check

# --- the layers of tests

.PHONY: test-rust test-sim test-build test-wasm test-relay test-npm test-page test-readme
test-rust: ## Rust tests, natively
	@cargo test --workspace --exclude agentpair-wasm --exclude xtask
	@cargo test --package xtask --profile tool

test-sim: ## 1,000 simulated worlds
	@cargo run --quiet --package agentpair-simulation -- --seeds 1000

test-build: build ## what the layers after it test is up to date

test-wasm: ## the bindings, in Node and in headless Chromium
	@scripts/test-wasm

test-relay: ## the relay on local workerd (needs `make build`)
	@scripts/node-test npm/test/relay worker-relay/test

test-npm: ## the npm package (needs `make build`)
	@scripts/node-test npm/test '!npm/test/relay'

test-page: ## the page, in Chromium (needs `make build`)
	@scripts/node-test www/test

test-readme: ## the commands of the README
	@scripts/check-readme

# --- care

.PHONY: fmt lint clean
fmt: ## format everything
	@cargo fmt --all
	@$(BIOME) check --write .

lint: test-fmt test-biome test-clippy test-types ## all that reads code without running it

clean: ## remove what was built; the installed tools and packages stay
	@rm -rf target fuzz/target npm/dist www/dist npm/LICENSE npm/*.tgz worker-relay/build
