// `make bench`: runs the scenarios asked for, prints a table, leaves the figures in .orch/bench.json.
//   SCENARIO     names from scenarios.mjs with commas, or all (but those that fill a large store)
//   CONCURRENCY  connections that ask at once (32)
//   STORE        etcd (default), embedded or memory
//   WORKERS      processes of the server (1); CPU and memory are those of all of them
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { INCUMBENT } from "./incumbent.mjs";
import { tableOf } from "./report.mjs";
import { describeObjects, fillForReading, SCENARIOS } from "./scenarios.mjs";
import { Workbench } from "./workbench.mjs";

const { SCENARIO = "all", CONCURRENCY = "32", STORE = "etcd", WORKERS = "1" } = process.env;
const chosen =
  SCENARIO === "all" ? Object.keys(SCENARIOS).filter((name) => !SCENARIOS[name].onDemand) : SCENARIO.split(",");
const unknown = chosen.filter((name) => SCENARIOS[name] === undefined);
if (unknown.length > 0) {
  console.error(`No scenario ${unknown.join(", ")}. There are: ${Object.keys(SCENARIOS).join(", ")}`);
  process.exit(1);
}

const workbench = new Workbench(STORE, Number(WORKERS));
const load = workbench.startLoad();
let count = 0;
let shared; // the server that scenarios use which do not need a fresh one
let filled = false;
const prepared = new Set(); // of the shared server
let baseline;
let flooding;

/** What a scenario may use. */
function benchOn(server) {
  return {
    server,
    load,
    concurrency: Number(CONCURRENCY),
    fetch: (path, options) => workbench.fetch(server.target, path, options),
    fetchFrom: ({ target }, path, options) => workbench.fetch(target, path, options),
    timed: (order) => load("timed", { target: server.target, serverPid: server.pid, ...order }),
    async bare() {
      baseline ??= await workbench.startBaseline();
      return baseline;
    },
    async timedBare(order, { body, status }) {
      const bare = await this.bare();
      await bare.give({ status, body: body.toString("base64") });
      return load("timed", { target: bare.target, serverPid: bare.pid, ...order });
    },
    /** A namespace that no other scenario uses. */
    async namespace() {
      const metadata = { name: `bench-${count++}` };
      const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata });
      await workbench.fetch(server.target, "/api/v1/namespaces", { method: "POST", body });
      return metadata.name;
    },
    /** What a server is prepared with for several scenarios. */
    async once(what, prepare) {
      if (prepared.has(what)) return;
      prepared.add(what);
      await prepare();
    },
    /** The server as another user reaches it. */
    targetAs: ({ target }, user) => workbench.target(target.port, user),
    startServer: (flags) => workbench.startServer(`server-${count++}`, { flags }),
    /** Two more servers on the store of this one; where a store is one server's alone, another in its place. */
    async others({ store, child }) {
      if (workbench.isShared)
        return [
          await workbench.startServer(`${store}-2`, { store }),
          await workbench.startServer(`${store}-3`, { store }),
        ];
      await workbench.stop(child);
      return [await workbench.startServer(store, { store })];
    },
    serving: workbench.serving,
    sharesStore: workbench.isShared,
    targetOf: (server, subject) => workbench.targetOf(server.target, subject),
    /** In a third process, beside the load. */
    flood(task, order) {
      flooding ??= workbench.startLoad();
      return flooding(task, order);
    },
    async startManager(server) {
      const child = workbench.startManager(server);
      return { pid: child.pid, child };
    },
    stop: ({ child }) => workbench.stop(child),
  };
}

async function serverFor({ fresh, needs }) {
  if (fresh) return workbench.startServer(`server-${count++}`);
  shared ??= await workbench.startServer("server");
  if (needs !== undefined && !filled) {
    await fillForReading(benchOn(shared));
    filled = true;
  }
  return shared;
}

const results = {};
for (const name of chosen) {
  console.error(`running ${name}`);
  const server = await serverFor(SCENARIOS[name]);
  results[name] = { ...(await SCENARIOS[name].run(benchOn(server))), incumbent: INCUMBENT[name] };
  if (server !== shared && server.child.exitCode === null) await workbench.stop(server.child);
}

const machine = `${cpus().length} cores, ${cpus()[0].model.trim()}, Node ${process.versions.node}, store ${STORE}, concurrency ${CONCURRENCY}, workers ${WORKERS}`;
console.log(`${machine}\n${describeObjects()}\n\n${tableOf(results)}`);
const file = fileURLToPath(new URL("../../.orch/bench.json", import.meta.url));
mkdirSync(fileURLToPath(new URL("../../.orch", import.meta.url)), { recursive: true });
writeFileSync(file, JSON.stringify({ machine, results }, null, 2));
process.exit(0);
