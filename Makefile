# Commands for users and developers. Each target first installs and builds what it needs.
SHELL := /bin/bash
.DEFAULT_GOAL := build

# make run ARGS="--vocabulary kubernetes": additional flags of the server
ARGS ?=
# make bench SCENARIO=get,create CONCURRENCY=16 STORE=embedded
SCENARIO ?= all
CONCURRENCY ?= 32
STORE ?= etcd
# make fuzz SECONDS=600; SEED=... repeats the input of an earlier run
SECONDS ?= 60
ifndef SEED
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif

.PHONY: run build test test-deploy lint bench fuzz cluster image test-server dist start-profile clean dependencies

run: build ## one process with the API server, all controllers and the embedded store, on https://127.0.0.1:6443
	@node packages/standalone/dist/main.js --bind-address=127.0.0.1 --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth $(ARGS)

build: ## install packages, generate sources and compile, when an input has changed
	@bash scripts/build.sh

test: build ## run all tests; installs etcd and the other tools that they need in .tools
	@node scripts/install-tools.mjs etcd haproxy kubectl chromium python3-kubernetes faketime fish tmux zsh promtool
	@bash scripts/test.sh $(ARGS)

test-deploy: build ## run the tests of packages, containers, systemd and machines; takes minutes, and skips with its reason what the machine does not allow
	@node scripts/install-tools.mjs etcd haproxy prometheus promtool
	@npx jest --selectProjects deploy --runInBand --passWithNoTests $(ARGS)

lint: dependencies ## run the linter, the formatter check and the repository checks; no warnings allowed
	@npm run --silent lint

bench: build ## measure CPU, latency, throughput and memory, alone or next to another server; results in .orch/bench
	@node scripts/install-tools.mjs etcd
	@SCENARIO=$(SCENARIO) CONCURRENCY=$(CONCURRENCY) STORE=$(STORE) npm run --silent bench

fuzz: build ## send hostile input to a server for SECONDS, next to a client that must be served
	@echo "SEED=$(SEED)"
	@FUZZ_SECONDS=$(SECONDS) FUZZ_SEED=$(SEED) npx jest test-e2e/fuzz.test.ts --selectProjects e2e

cluster: build ## run etcd, API servers, controller managers and a load balancer as plain processes; ARGS="--servers 3 --etcd 3 --prometheus"
	@node scripts/install-tools.mjs etcd haproxy $(if $(findstring --prometheus,$(ARGS)),prometheus)
	@node scripts/cluster.mjs $(ARGS)

image: ## build the container image orch:VERSION; ARGS are options of docker build
	@docker build -f deploy/Dockerfile --build-arg BUILD_COMMIT=$$(git rev-parse HEAD) --build-arg VERSION=$$(node -p 'require("./package.json").version') \
	  -t orch:$$(node -p 'require("./package.json").version') $(ARGS) .

test-server: build ## make the npm package of the test server in .orch/test-server
	@node scripts/bundle-test-server.mjs .orch/test-server

dist: build ## make the archive, the Debian package, the npm tarballs and the bill of materials of a release in .orch/dist
	@node scripts/dist/main.mjs $(ARGS)

start-profile: build ## record which code a server runs at its start, for the next releases, in scripts/pack/start-profile.txt
	@node scripts/write-start-profile.mjs

clean: ## remove build results and server data; installed packages and tools stay
	rm -rf .build .orch packages/*/dist packages/*/src/generated packages/*/*.tsbuildinfo

dependencies:
	@bash scripts/install-dependencies.sh
