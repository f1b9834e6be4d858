# Everything a person types. Each target installs and builds what it needs first.
SHELL := /bin/bash
.DEFAULT_GOAL := build

# make run ARGS="--vocabulary kubernetes": more flags for the server
ARGS ?=
# make bench SCENARIO=get,create CONCURRENCY=16 STORE=embedded
SCENARIO ?= all
CONCURRENCY ?= 32
STORE ?= etcd
# make fuzz SECONDS=600; SEED=... sends what a former run has sent
SECONDS ?= 60
ifndef SEED
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif

.PHONY: run build test lint bench fuzz cluster clean dependencies

run: build ## one process with the server and all duties, on the embedded store, on https://127.0.0.1:6443
	@node packages/standalone/dist/main.js --bind-address=127.0.0.1 --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth $(ARGS)

build: ## install, generate and compile what has changed
	@bash scripts/build.sh

test: build ## every test; installs etcd and the other tools it needs under .tools
	@node scripts/install-tools.mjs etcd haproxy kubectl chromium python3-kubernetes faketime
	@bash scripts/test.sh $(ARGS)

lint: dependencies ## linter and formatter, no warnings allowed
	@npm run --silent lint

bench: build ## CPU, latency, throughput and memory, alone or beside another server; figures and a picture in .orch/bench
	@node scripts/install-tools.mjs etcd
	@SCENARIO=$(SCENARIO) CONCURRENCY=$(CONCURRENCY) STORE=$(STORE) npm run --silent bench

fuzz: build ## hostile bytes against a server for SECONDS, beside a client that must be served
	@echo "SEED=$(SEED)"
	@FUZZ_SECONDS=$(SECONDS) FUZZ_SEED=$(SEED) npx jest test-e2e/fuzz.test.ts --selectProjects e2e

cluster: build ## three etcd members, two API servers and a load balancer, as plain processes
	@node scripts/install-tools.mjs etcd haproxy
	@node scripts/cluster.mjs $(ARGS)

clean: ## remove what was built and what the server wrote; installed packages and tools stay
	rm -rf .build .orch packages/*/dist packages/*/src/generated packages/*/*.tsbuildinfo

dependencies:
	@bash scripts/install-dependencies.sh
