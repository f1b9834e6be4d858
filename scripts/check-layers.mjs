// Checks the imports of every package. A package imports only packages of lower layers, by name, that its package.json
// lists as dependencies. Product code does not import test code. The imports within a package, types included, have no
// cycles. The folders of a package have floors, too: product code imports only folders of lower floors. Run by `npm run
// lint`; prints each violation and exits 1.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Layers from bottom to top. A package imports no package of its own layer or of a higher one. */
const LAYERS = [
  ["access", "testing"],
  ["console"],
  ["platform"],
  ["schema", "store"],
  ["machinery"],
  ["backup", "client", "registry", "apis-model", "auth", "expressions"],
  ["apis-core"],
  ["apis"],
  ["admission", "extensions"],
  ["server-config"],
  ["http-server"],
  ["request"],
  ["audit", "flow-control", "observability", "openapi"],
  ["proxy", "served-resources"],
  ["server-admission"],
  ["apiserver", "controllers"],
  ["apiserver-program"],
  ["standalone", "test-server"],
  ["cli"],
];
/**
 * Folders of each package from bottom to top. Product code of a folder imports no folder of its own floor or of a
 * higher one, so that folders form no cycle. Files beside the folders, such as `index.ts`, stand above all of them.
 * Tests may import every folder.
 */
const FLOORS = {
  access: [],
  admission: [
    ["contract"],
    ["pods", "requests"],
    ["devices", "guards", "plugins", "policies"],
    ["webhooks"],
    ["chain"],
  ],
  apis: [
    [
      "admissionregistration",
      "apiextensions",
      "apiregistration",
      "authentication",
      "authorization",
      "autoscaling",
      "certificates",
      "coordination",
      "internal",
      "storagemigration",
      "resource",
      "discovery",
      "flowcontrol",
      "networking",
      "rbac",
      "scheduling",
    ],
    ["apps", "node", "policy", "storage"],
    ["batch"],
    ["definitions"],
  ],
  "apis-core": [
    ["cluster", "configuration", "volumes"],
    ["containers", "events"],
    ["pods", "services"],
    ["nodes", "quota", "replication"],
  ],
  "apis-model": [["values"], ["model"], ["formats"], ["declared"]],
  apiserver: [
    ["node-authorization", "pipeline", "recording", "version"],
    ["large-objects"],
    ["handlers"],
    ["deprecations", "migration"],
    ["server"],
  ],
  "apiserver-program": [["program"]],
  audit: [["event", "tail"], ["policy", "text"], ["backends", "thread"], ["recording"]],
  backup: [["content"], ["files"], ["targets"], ["schedule"]],
  auth: [
    ["authorization", "certificates"],
    ["identity", "webhook"],
    ["abac", "authentication", "rbac"],
    ["node", "tokens"],
    ["oidc"],
  ],
  cli: [["process"], ["connection", "output", "resources"], ["terminal"], ["session"], ["commands"], ["program"]],
  client: [
    ["connection"],
    ["configuration", "transport"],
    ["upgrades"],
    ["requests"],
    ["discovery", "informers"],
    ["events"],
    ["election"],
  ],
  console: [
    ["values", "vocabulary"],
    ["session"],
    ["requests"],
    ["discovery"],
    ["routes"],
    ["live"],
    ["parts"],
    ["access", "cluster", "edit", "kinds", "object", "search", "table"],
    ["app"],
  ],
  controllers: [["framework"], ["controllers"], ["manager"], ["serving"], ["program"]],
  expressions: [
    ["values"],
    ["syntax"],
    ["cost"],
    ["functions"],
    ["typing"],
    ["evaluation"],
    ["schema"],
    ["devices", "requests", "rules"],
  ],
  extensions: [["services", "structural"], ["aggregation", "definitions", "webhooks"], ["conversion"]],
  "flow-control": [["schemas"], ["queues"], ["levels", "requests"], ["control"]],
  "http-server": [["http"], ["tls"]],
  machinery: [
    ["history", "json", "values"],
    ["flags", "names"],
    ["errors"],
    ["configuration", "objects"],
    ["apply", "selectors"],
    ["requests"],
    ["deletion"],
    ["resources"],
    ["observation", "patch", "status-pages", "table"],
  ],
  observability: [["logging", "tracing"], ["metrics"], ["health"]],
  openapi: [["discovery", "operations"], ["documents"]],
  platform: [
    ["collections", "der", "files", "logging", "network", "time"],
    ["memory", "metrics", "process", "queue", "tls"],
    ["workers"],
  ],
  proxy: [["connect"], ["aggregation"], ["peers"]],
  registry: [
    ["contract"],
    ["objects"],
    ["changes", "conversion"],
    ["snapshots"],
    ["watch"],
    ["cache"],
    ["context"],
    ["read"],
    ["object-history"],
    ["write"],
    ["maintenance"],
  ],
  request: [["routes", "representations"], ["request"], ["answers"]],
  schema: [
    ["json", "values", "vocabulary"],
    ["cbor", "types", "yaml"],
    ["decoding", "descriptor"],
    ["protobuf"],
    ["object-types"],
    ["openapi"],
  ],
  "served-resources": [["serving"], ["own-service", "coordination"]],
  "server-admission": [["dependencies", "webhooks"], ["manifests"]],
  "server-config": [
    ["flags", "option-files"],
    ["settings"],
    ["authentication", "authorization", "egress", "encryption", "external-signer", "tracing"],
  ],
  standalone: [["program"]],
  store: [["contract"], ["etcd", "mvcc"], ["encryption", "journal-format"], ["lmdb-migration", "local"], ["embedded"]],
  "test-server": [
    ["controllers", "process"],
    ["envtest", "manifests", "messages", "requests"],
    ["webhooks"],
    ["options", "state"],
    ["server"],
    ["pool"],
  ],
  testing: [],
};
const TEST_FILE = /\.test\.tsx?$|\/testing\/|^test-e2e\//;
const layerOf = new Map(LAYERS.flatMap((names, layer) => names.map((name) => [name, layer])));
const IMPORT = /(?:from|import|require)\s*\(?\s*"([^"]+)"/g;
/** Loaders that programs and threads import before any other module. */
const LOADERS = new Set(["/bin/packed", "/bin/packed-thread"]);
const FOR_TESTS = "product code imports test helpers";
/** Modules of the published test server, in the projects that tests make. */
const PUBLISHED = /^@orch\/test-server\/(client|jest|vitest)(\/|$)/;
const OWN = /^@orch\/([a-z-]+)(\/.*)?$/;

function breachesOf(importer, { isTest, specifier, dependencies }) {
  const [, imported, inside] = OWN.exec(specifier) ?? [];
  if (imported === undefined) {
    return !isTest && /(^|\/)testing\/|\.test$/.test(specifier) ? [FOR_TESTS] : [];
  }
  const breaches = !isTest && imported === "testing" ? [FOR_TESTS] : [];
  if (inside !== undefined && !LOADERS.has(inside) && !PUBLISHED.test(specifier))
    breaches.push(`reaches past the face of @orch/${imported}`);
  if (!layerOf.has(imported)) return [...breaches, `the package @orch/${imported} does not exist`];
  if (importer === undefined) return breaches; // tests of whole programs may use every package
  if (!dependencies.has(`@orch/${imported}`))
    breaches.push(`@orch/${imported} is not a dependency in packages/${importer}/package.json`);
  if (layerOf.get(imported) >= layerOf.get(importer)) breaches.push(`@orch/${imported} is not below @orch/${importer}`);
  return breaches;
}

const pathsOf = (path) => [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`].filter((each) => known.has(each));

/** Returns import cycles: the files of each, in import order. */
function circles() {
  const found = [];
  const done = new Set();
  const way = [];
  const follow = (file) => {
    if (done.has(file)) return;
    const at = way.indexOf(file);
    if (at >= 0) {
      found.push(way.slice(at));
      return;
    }
    way.push(file);
    for (const next of imported.get(file) ?? []) follow(next);
    way.pop();
    done.add(file);
  };
  for (const file of imported.keys()) follow(file);
  return found;
}

/** Returns the floor of a file; above all floors for a file that is in no folder, undefined for an unlisted folder. */
function floorOf(file) {
  const [, name, folder] = /^packages\/([a-z-]+)\/src\/(?:([^/]+)\/)?/.exec(file);
  if (folder === undefined) return FLOORS[name].length;
  const floor = FLOORS[name].findIndex((folders) => folders.includes(folder));
  return floor < 0 ? undefined : floor;
}

const folderOf = (file) => /^packages\/[a-z-]+\/src\/(?:[^/]+(?=\/))?/.exec(file)[0];

/**
 * Returns the imports of a file that lead to another folder of its own or of a higher floor, and folders without a
 * floor.
 */
function floorBreaches(file) {
  const own = floorOf(file);
  if (own === undefined) return [`${file}: ${folderOf(file)} has no place in FLOORS`];
  return (imported.get(file) ?? [])
    .filter((other) => folderOf(other) !== folderOf(file) && !TEST_FILE.test(other) && floorOf(other) >= own)
    .map((other) => `${file}: imports ${other}: ${folderOf(other)} is not below ${folderOf(file)}`);
}

const dependenciesOf = new Map();
for (const name of layerOf.keys()) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));
  dependenciesOf.set(name, new Set(Object.keys({ ...dependencies, ...devDependencies })));
}

const list = ["ls-files", "--cached", "--others", "--exclude-standard", "packages", "test-e2e"];
const files = execFileSync("git", list, { encoding: "utf8" })
  .split("\n")
  .filter((file) => /^(packages\/[a-z-]+\/src|test-e2e)\/.*\.tsx?$/.test(file));
const known = new Set(files);
/** Imported files of the same package, by file. */
const imported = new Map();
let count = 0;
for (const file of files) {
  const importer = /^packages\/([a-z-]+)\//.exec(file)?.[1];
  if (importer !== undefined && !layerOf.has(importer)) throw new Error(`packages/${importer} has no place in LAYERS`);
  const isTest = TEST_FILE.test(file);
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    continue; // deleted in the working tree
  }
  const own = [];
  for (const [, specifier] of text.matchAll(IMPORT)) {
    if (specifier.startsWith(".")) own.push(...pathsOf(join(dirname(file), specifier)));
    for (const breach of breachesOf(importer, { isTest, specifier, dependencies: dependenciesOf.get(importer) })) {
      count += 1;
      console.error(`${file}: "${specifier}": ${breach}`);
    }
  }
  imported.set(file, own);
}
for (const name of layerOf.keys()) {
  if (!(name in FLOORS)) throw new Error(`${name}: list its folders in FLOORS`);
}
for (const file of imported.keys()) {
  const name = /^packages\/([a-z-]+)\//.exec(file)?.[1];
  if (name === undefined || TEST_FILE.test(file)) continue;
  for (const breach of floorBreaches(file)) {
    count += 1;
    console.error(breach);
  }
}
for (const circle of circles()) {
  count += 1;
  console.error(`a circle of imports: ${[...circle, circle[0]].join(" -> ")}`);
}
if (count > 0) process.exit(1);
console.log(`${files.length} files: layers, floors of folders and import cycles are in order`);
