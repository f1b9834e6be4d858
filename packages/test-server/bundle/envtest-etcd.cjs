// The program that orch-envtest/bin/etcd runs: answers health checks on the client URLs, and nothing else.
"use strict";
const { createServer } = require("node:http");

const OPTION = "--listen-client-urls";
const HEALTHY = JSON.stringify({ health: "true", reason: "" });
const VERSION = JSON.stringify({ etcdserver: "3.6.0", etcdcluster: "3.6.0" });
const PARENT_LOOK_MS = 500;
const ANSWERS = { "/health": HEALTHY, "/livez": "ok", "/readyz": "ok", "/version": VERSION };

function clientUrls(words) {
  const at = words.findLastIndex((word) => word === OPTION || word.startsWith(`${OPTION}=`));
  const text = words[at] === OPTION ? words[at + 1] : words[at]?.slice(OPTION.length + 1);
  return (text || "http://localhost:2379").split(",");
}

function fail(text) {
  process.stderr.write(`error: ${text}\n`);
  process.exitCode = 1;
}

function answer({ url }, response) {
  const found = ANSWERS[url.replace(/\?.*$/, "")];
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(found ?? JSON.stringify({ error: "this etcd is a stub of @orch/test-server and stores nothing" }));
}

function listen(text) {
  const { protocol, hostname, port } = URL.canParse(text) ? new URL(text) : {};
  if (protocol !== "http:") return fail(`${OPTION}: ${JSON.stringify(text)} is no http URL`);
  const host = hostname.replace(/^\[|\]$/g, "");
  createServer(answer)
    .on("error", (error) => {
      fail(`${OPTION}: ${text}: ${error.message}`);
      process.exit();
    })
    .listen(Number(port || 80), host);
}

/** A test that is killed cannot stop this program. */
function endWithParent() {
  const { ppid } = process;
  if (ppid === 1 || process.env.ORCH_ENVTEST_ORPHAN === "stays") return;
  setInterval(() => process.ppid !== ppid && process.exit(0), PARENT_LOOK_MS).unref();
}

process.stderr.write("etcd of @orch/test-server: stores nothing, and the kube-apiserver beside it needs no etcd\n");
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(0));
endWithParent();
for (const url of clientUrls(process.argv.slice(2))) listen(url);
