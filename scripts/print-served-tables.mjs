// Prints what a running server serves as tables: kinds from discovery, feature gates from /metrics, flags from /flagz.
// See USAGE.
import client from "../packages/client/dist/index.js";
import { isProgram, readCommandLine } from "./command-line.mjs";

const TABLES = ["kinds", "gates", "flags"];
const VOCABULARIES = ["orch", "kubernetes"];

const UNLIMITED = { perSecond: 0, burst: 0 };
const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Opens a client for the server of a client configuration file. */
function clientOf(path, vocabulary) {
  const connection = client.loadConnection({ path, vocabulary });
  return new client.Client({ connection, vocabulary, program: "served-tables", log: SILENT, rateLimit: UNLIMITED });
}

/** Returns a row for each resource and subresource: group, version, resource, kind. */
async function servedResources(server) {
  const { versions } = await server.getJson("/api");
  const { groups } = await server.getJson("/apis");
  const groupVersions = [...versions, ...groups.flatMap((group) => group.versions.map((each) => each.groupVersion))];
  const lists = await Promise.all(
    groupVersions.map((name) => server.getJson(name.includes("/") ? `/apis/${name}` : `/api/${name}`)),
  );
  return lists.flatMap(({ groupVersion, resources }) => {
    const [version, group = ""] = groupVersion.split("/").reverse();
    return resources.map(({ name, kind }) => [group, version, name, kind]);
  });
}

async function kinds(server, byDefault) {
  const rows = await servedResources(server);
  const on = byDefault === undefined ? undefined : new Set((await servedResources(byDefault)).map(String));
  const whether = (row) => (on === undefined ? [] : [on.has(String(row)) ? "yes" : "no"]);
  const header = ["group", "version", "resource", "kind", ...(on === undefined ? [] : ["on by default"])];
  return [header, ...sorted(rows).map((row) => [...row, ...whether(row)])];
}

const GATE = /^(?:orch|kubernetes)_feature_enabled\{name="([^"]*)",stage="([^"]*)"\} ([01])$/gm;

async function gates(server) {
  const rows = [...(await server.getText("/metrics")).matchAll(GATE)].map(([, name, stage, value]) => {
    return [name, stage === "" ? "GA" : stage, value === "1" ? "true" : "false"];
  });
  return [["gate", "stage", "enabled"], ...sorted(rows)];
}

const FLAG = /^([a-z][a-z0-9-]*)=(.*)$/gm;

async function flags(server) {
  const rows = [...(await server.getText("/flagz")).matchAll(FLAG)].map(([, name, value]) => [name, value]);
  return [["flag", "value"], ...sorted(rows)];
}

const sorted = (rows) => rows.sort((one, other) => (one.join("\t") < other.join("\t") ? -1 : 1));

const USAGE = `Prints what a running server serves as a table of columns separated by tabs.

Usage: node scripts/print-served-tables.mjs TABLE --kubeconfig FILE [options]

TABLE: kinds   group, version, resource and kind, from discovery
       gates   name, stage and state of the feature gates, from /metrics
       flags   name and value of the flags, from /flagz, which the releases since 1.32 have

  --kubeconfig FILE          client configuration file of an administrator
  --default-kubeconfig FILE  that of a server without --runtime-config: kinds then says which versions it serves too
  --vocabulary NAME          orch or kubernetes (default orch)
  --help                     print this text`;

if (isProgram(import.meta.url)) {
  const { values, positionals } = readCommandLine(USAGE, {
    allowPositionals: true,
    options: {
      kubeconfig: { type: "string" },
      "default-kubeconfig": { type: "string" },
      vocabulary: { type: "string", default: "orch" },
    },
    check: ({ values, positionals }) => {
      if (positionals.length !== 1 || !TABLES.includes(positionals[0]))
        return `one table is needed: ${TABLES.join(", ")}`;
      if (values.kubeconfig === undefined) return "--kubeconfig is needed";
      return VOCABULARIES.includes(values.vocabulary) ? undefined : `--vocabulary: none of ${VOCABULARIES.join(", ")}`;
    },
  });
  const { kubeconfig, "default-kubeconfig": other, vocabulary } = values;
  const servers = [kubeconfig, other].map((path) => path && clientOf(path, vocabulary));
  try {
    const table = await { kinds, gates, flags }[positionals[0]](...servers);
    console.log(table.map((row) => row.join("\t")).join("\n"));
  } finally {
    for (const server of servers) server?.close();
  }
}
