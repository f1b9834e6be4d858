// Runs the command `orch` once and keeps the code that V8 has compiled for it beside the bundle that it ran from. From the
// bundle `orch`, the command lists Pods of a small server in this process: what it compiles for that, most commands
// share. From the bundle `server`, it starts a server.
// Usage: node --hash-seed=1 scripts/pack/keep-command-code.cjs FOLDER BUNDLE, the folder of the package of the command and
// the name of the bundle. With a fixed seed, two runs keep equal code.
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { createServer } = require("node:https");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { setFlagsFromString } = require("node:v8");

const folder = resolve(process.argv[2]);
const bundle = process.argv[3];
const file = join(folder, `dist/bundle/${bundle}-${process.version}-${process.arch}.bin`);
const home = mkdtempSync(join(tmpdir(), "orch-code-"));
rmSync(file, { force: true });

const DISCOVERY = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: [
    {
      metadata: { name: "" },
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "pods",
              responseKind: { group: "", version: "v1", kind: "Pod" },
              scope: "Namespaced",
              singularResource: "pod",
              shortNames: ["po"],
              verbs: ["get", "list"],
            },
          ],
        },
      ],
    },
  ],
};
const TABLE = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: { resourceVersion: "1" },
  columnDefinitions: [
    { name: "Name", type: "string", format: "name", description: "", priority: 0 },
    { name: "Age", type: "string", format: "", description: "", priority: 0 },
  ],
  rows: [{ cells: ["web", "1m"], object: { kind: "PartialObjectMetadata", metadata: { name: "web" } } }],
};

const LOOK_MS = 20;

async function runServer() {
  const { freePort } = await import("../free-port.mjs");
  const port = await freePort();
  const words = ["up", "--memory", "--no-write-context", `--data-dir=${home}`, `--port=${port}`];
  process.argv.splice(2, process.argv.length, ...words);
  // The log of the server does not belong to that of the build.
  process.stderr.write = () => true;
  keepAtExit(require(join(folder, "bin/load-bundle.js"))());
  setInterval(() => isReady() && process.exit(0), LOOK_MS);
}

/** Reports whether the record of the server has the addresses that a ready server writes. */
function isReady() {
  try {
    return JSON.parse(readFileSync(join(home, "up.json"), "utf8")).ready !== undefined;
  } catch {
    return false;
  }
}

function listPods() {
  const { makeCertificate } = require(join(folder, "../platform"));
  const pair = makeCertificate({
    subject: { commonName: "127.0.0.1" },
    usage: { kind: "server", names: ["127.0.0.1"] },
    nowMs: Date.now(),
  });
  const server = createServer({ key: pair.key, cert: pair.certificate }, answer);
  server.listen(0, "127.0.0.1", () => {
    // The process ends when the command has ended.
    server.unref();
    const configuration = join(home, "config");
    writeFileSync(configuration, configurationText(server.address().port, pair));
    process.argv.splice(2, process.argv.length, "get", "pods", `--kubeconfig=${configuration}`, `--cache-dir=${home}`);
    keepAtExit(require(join(folder, "bin/load-bundle.js"))());
  });
}

function answer({ url }, response) {
  const isDiscovery = /^\/apis?(\?|$)/.test(url);
  const form = isDiscovery ? "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" : "as=Table;v=v1;g=meta.k8s.io";
  response.setHeader("content-type", `application/json;${form}`);
  response.end(JSON.stringify(isDiscovery ? DISCOVERY : TABLE));
}

function keepAtExit(script) {
  process.on("exit", (code) => {
    rmSync(home, { recursive: true, force: true });
    if (code !== 0) return;
    // V8 rejects cached code when its flags differ. Restores the flags of a starting process, which a server changes.
    for (const flag of ["--hash-seed=0", "--allocation-site-pretenuring"]) setFlagsFromString(flag);
    writeFileSync(file, script.createCachedData());
  });
}

const inBase64 = (text) => Buffer.from(text).toString("base64");

/** @returns a configuration as tools write it, whose only certificate is that of the server and of the user */
function configurationText(port, { certificate, key }) {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${inBase64(certificate)}
    server: https://127.0.0.1:${port}
  name: here
contexts:
- context:
    cluster: here
    namespace: default
    user: me
  name: here
current-context: here
kind: Config
preferences: {}
users:
- name: me
  user:
    client-certificate-data: ${inBase64(certificate)}
    client-key-data: ${inBase64(key)}
`;
}

if (bundle === "server") runServer();
else listPods();
