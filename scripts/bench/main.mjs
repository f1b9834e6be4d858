// `make bench`: runs the selected scenarios, prints a table, and writes the figures and a chart to .orch/bench.
//   SCENARIO     comma-separated names from scenarios.mjs, or all (except those that fill a large store)
//   CONCURRENCY  number of concurrent connections (32)
//   STORE        etcd (default), embedded or memory
//   WORKERS      number of processes of a server (1)
//   ENVTEST_ASSETS  folder with a kube-apiserver and an etcd to compare with, for the scenario envtest-start
//   AGAINST      another server to measure in the same run; see other-server.mjs
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { NAMESPACE } from "./objects.mjs";
import { otherServer } from "./other-server.mjs";
import { pictureOf } from "./picture.mjs";
import { tableOf } from "./report.mjs";
import { eachInTurns, ROUNDS } from "./rounds.mjs";
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

const other = otherServer(process.env);
const workbench = new Workbench(STORE, { workers: WORKERS });
const load = workbench.startLoad();
let count = 0;
let shared; // shared by scenarios that need no fresh server
let filled = false;
const prepared = new Set(); // preparations done on the shared server
let baseline;
let flooding;

/** Returns the target of a load. @param protocol protocol of the order; absent: HTTP/1.1 */
const onServer = ({ target, pid }, { protocol }) => ({ target: { ...target, protocol }, serverPid: pid });

/** Returns the interface that scenarios use. */
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
      const target = order.protocol === "h2" ? bare.http2Target : bare.target;
      return load("timed", { ...order, ...onServer({ ...bare, target }, order) });
    },
    /**
     * Runs the same load on the server, on the other server if there is one, and on the bare server.
     * @param orderOf returns the order of a round
     * @param answer response of the bare server
     */
    async compared(orderOf, answer) {
      const figures = await eachInTurns({ server, other }, (each, round) => {
        const order = orderOf(round);
        return load("timed", { ...order, ...onServer(each, order) });
      });
      return { ...figures, bare: await this.timedBare(orderOf(0), answer), answerBytes: answer.body.length };
    },
    /** Runs a task on both servers, one after the other. */
    async everywhere(task, order) {
      for (const each of [server, other]) if (each !== undefined) await load(task, { target: each.target, ...order });
    },
    /** Maximum number of rounds of a compared load. */
    roundsMax: ROUNDS,
    inTurns: (run) => eachInTurns({ server, other }, run),
    /** Creates a namespace for one scenario, on both servers. */
    async namespace() {
      const metadata = { name: `${NAMESPACE}-${count++}` };
      await this.makeNamespace(metadata.name);
      return metadata.name;
    },
    async makeNamespace(name) {
      const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      for (const each of [server, other]) {
        if (each === undefined) continue;
        const made = await workbench.fetch(each.target, "/api/v1/namespaces", { method: "POST", body });
        if (made.status !== 201)
          throw new Error(`a namespace answered ${made.status}: ${made.body.toString("utf8", 0, 300)}`);
      }
    },
    /** Runs a preparation that several scenarios share, once per server. */
    async once(what, prepare) {
      if (prepared.has(what)) return;
      prepared.add(what);
      await prepare();
    },
    /** Returns the target of the server for another user. */
    targetAs: ({ target }, user) => workbench.target(target.port, user),
    startServer: (flags) => workbench.startServer(`server-${count++}`, { flags }),
    /** Starts two more servers on the same store. A store that only one server can use gets a new server instead. */
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
    /** Runs a load in a third process, in parallel with the main load. */
    flood(task, order) {
      flooding ??= workbench.startLoad();
      return flooding(task, order);
    },
    async startManager(server) {
      const child = workbench.startManager(server);
      return { pid: child.pid, child };
    },
    stop: ({ child }) => workbench.stop(child),
    async stopWithStore({ child, store }) {
      await workbench.stop(child);
      await workbench.stopStore(store);
    },
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
  results[name] = await SCENARIOS[name].run(benchOn(server));
  if (server !== shared && server.child.exitCode === null) await workbench.stop(server.child);
}

const machine = `${cpus().length} cores, ${cpus()[0].model.trim()}, Node ${process.versions.node}, store ${STORE}, concurrency ${CONCURRENCY}, workers ${WORKERS}`;
const against = other === undefined ? "" : `\nBeside it, in turns: ${other.name}`;
console.log(`${machine}\n${describeObjects()}${against}\n\n${tableOf(results)}`);
const folder = fileURLToPath(new URL("../../.orch/bench/", import.meta.url));
writeFileSync(`${folder}results.json`, JSON.stringify({ machine, other: other?.name, results }, null, 2));
writeFileSync(`${folder}results.svg`, pictureOf(results, { title: machine, other: other?.name }));
process.exit(0);
