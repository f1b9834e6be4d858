// Sends the objects of packages/apis/testdata/release-objects to a running server and prints the rows that it decides
// differently. See USAGE.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import client from "../packages/client/dist/index.js";
import { isProgram, readCommandLine } from "./command-line.mjs";
import { valueAt, withValues } from "./json-pointers.mjs";

const FOLDER = fileURLToPath(new URL("../packages/apis/testdata/release-objects/", import.meta.url));
const PARALLEL = 12;
const UNLIMITED = { perSecond: 0, burst: 0 };
const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Reads the rows of a release. A row holds several values, and each value is one object. */
function rowsOf(release) {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".tsv"));
  return files.flatMap((file) =>
    readFileSync(join(FOLDER, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        if (line === "" || line.startsWith("#") || line.startsWith("object\t")) return [];
        const [object, releases, operation, field, values, expects] = line.split("\t");
        if (expects === undefined) throw new Error(`${file}:${index + 1}: six columns, separated by tabs`);
        if (!releases.split(" ").includes(release)) return [];
        return [{ place: `${file}:${index + 1}`, object, operation, field, values: JSON.parse(values), expects }];
      }),
  );
}

/** Returns the object of a base with one value set, or with several when the row names no field. */
const changed = (base, field, value) => withValues(base, field === "-" ? value : { [field]: value });

/** Returns the decision in the notation of the column `expects`. */
function refusal(error) {
  if (error.name !== "StatusError") throw error;
  if (error.code !== 422) return String(error.code);
  const causes = (error.details?.causes ?? []).map(
    ({ field, reason }) => `${field ?? '""'} ${String(reason).replace("FieldValue", "")}`,
  );
  return [...new Set(causes)].sort().join("; ") || "422";
}

function decisionOn(object, expects) {
  if (!expects.startsWith("{")) return "ok";
  const wanted = Object.keys(JSON.parse(expects));
  return JSON.stringify(Object.fromEntries(wanted.map((pointer) => [pointer, valueAt(object, pointer)])));
}

/** Objects of a namespace of their own. Creations and updates are dry runs; only stored bases of updates are written. */
class Trial {
  constructor(server, bases, namespace) {
    this.server = server;
    this.bases = bases;
    this.namespace = namespace;
    this.stored = new Map();
  }

  resourceOf({ resource, namespaced, object }) {
    const [version, group = ""] = object.apiVersion.split("/").reverse();
    const all = this.server.resource({ group, version, resource, kind: object.kind, namespaced });
    return namespaced ? all.namespace(this.namespace) : all;
  }

  /** Stores the base of updates once. */
  storedOf(name) {
    const known = this.stored.get(name) ?? this.store(this.bases[name]);
    this.stored.set(name, known);
    return known;
  }

  async store(base) {
    const resource = this.resourceOf(base);
    const object = await resource.create(structuredClone(base.object));
    if (base.status === undefined) return object;
    return await resource.updateStatus({ ...object, status: base.status });
  }

  async decide({ object: name, operation, field, expects }, value) {
    try {
      if (operation === "get") return decisionOn(await this.read(field), expects);
      const base = this.bases[name];
      if (base === undefined) throw new Error(`no base ${name}`);
      const resource = this.resourceOf(base);
      if (operation === "create") {
        return decisionOn(await resource.create(changed(base.object, field, value), { dryRun: true }), expects);
      }
      const next = changed(await this.storedOf(name), field, value);
      const write = operation === "status" ? "updateStatus" : "update";
      return decisionOn(await resource[write](next, { dryRun: true }), expects);
    } catch (error) {
      return refusal(error);
    }
  }

  async read(path) {
    const text = await this.server.getText(path);
    return text.startsWith("{") ? JSON.parse(text) : {};
  }

  async clean() {
    for (const name of this.stored.keys()) {
      const base = this.bases[name];
      await this.resourceOf(base).delete(base.object.metadata.name, { gracePeriodSeconds: 0 }).catch(nothing);
    }
  }
}

/** Runs the rows of a release. @returns the number of objects, and the rows that the server decides differently */
async function check(server, release) {
  const bases = JSON.parse(readFileSync(join(FOLDER, "bases.json"), "utf8"));
  const types = client.builtInTypes("kubernetes");
  const name = `release-rules-${process.pid}`;
  await server.resource(types.namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const trial = new Trial(server, bases, name);
  try {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: name } };
    await server
      .resource(types.serviceAccounts)
      .namespace(name)
      .create(account)
      .catch((error) => {
        if (error.code !== 409) throw error;
      });
    const rows = rowsOf(release);
    // Updates follow: a creation of a name that an update has stored would be a conflict.
    const parts = [rows.filter(isOfNew), rows.filter((row) => !isOfNew(row))];
    const results = [await decideAll(trial, parts[0]), await decideAll(trial, parts[1])];
    return {
      objects: results[0].objects + results[1].objects,
      differing: results.flatMap(({ differing }) => differing),
    };
  } finally {
    await trial.clean();
    await server.resource(types.namespaces).delete(name).catch(nothing);
  }
}

const isOfNew = ({ operation }) => operation === "create" || operation === "get";

async function decideAll(trial, rows) {
  const objects = rows.flatMap((row) =>
    (row.values.length === 0 ? [null] : row.values).map((value) => ({ row, value })),
  );
  const differing = [];
  let next = 0;
  const work = async () => {
    while (next < objects.length) {
      const { row, value } = objects[next++];
      const found = await trial.decide(row, value);
      if (found === row.expects) continue;
      differing.push({ ...row, value, found });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return { objects: objects.length, differing };
}

const USAGE = `Compares the decisions of a running server on valid and invalid objects with those of a release of Kubernetes.
Prints each object that the server decides differently, and exits with 1 if there is one. Requests are dry runs in a
namespace of their own, except for the objects that updates need, which are deleted at the end.

Usage: node scripts/check-release-rules.mjs --kubeconfig FILE [options]

  --kubeconfig FILE   client configuration file of an administrator
  --release NAME      release whose rows are sent (default 1.36)
  --help              print this text`;

if (isProgram(import.meta.url)) {
  const { values } = readCommandLine(USAGE, {
    options: { kubeconfig: { type: "string" }, release: { type: "string", default: "1.36" } },
    check: ({ values }) => (values.kubeconfig === undefined ? "--kubeconfig is needed" : undefined),
  });
  const vocabulary = "kubernetes";
  const connection = client.loadConnection({ path: values.kubeconfig, vocabulary });
  const program = { vocabulary, program: "release-rules", log: SILENT, rateLimit: UNLIMITED, onWarning: nothing };
  const server = new client.Client({ connection, ...program });
  try {
    const { objects, differing } = await check(server, values.release);
    for (const { place, object, operation, field, value, expects, found } of differing) {
      console.log(`${place} ${object} ${operation} ${field} ${JSON.stringify(value)?.slice(0, 200)}`);
      console.log(`    expected ${expects}\n    found    ${found}`);
    }
    console.log(`${objects} objects, ${differing.length} differ`);
    if (differing.length > 0 || objects === 0) process.exitCode = 1;
  } finally {
    server.close();
  }
}
