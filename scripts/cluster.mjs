// `make cluster`: runs a fleet as plain processes. See USAGE.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeKubeconfig } from "./cluster/kubeconfig.mjs";
import { planFleet } from "./cluster/plan.mjs";
import { supervise, untilReady } from "./cluster/supervise.mjs";
import { takenPorts } from "./cluster/taken-ports.mjs";
import { chosenTopology, MEMBERS_MAX, membersProblem, portPlaces } from "./cluster/topology.mjs";
import { readCommandLine } from "./command-line.mjs";
import { publishClusterInfo } from "./publish-cluster-info.mjs";

const READY_TIMEOUT_MS = 180_000;
const repository = fileURLToPath(new URL("..", import.meta.url));
const USAGE = `Runs the cluster of deploy/topology.json as plain processes until Ctrl-C. All files are written to .orch/cluster.

Usage: make cluster ARGS="[options]"

  --servers N        number of API servers, from 1 to 5 (default 2)
  --etcd N           number of etcd members, from 1 to 5 (default 3); fixed once the folder has their data
  --prometheus       run Prometheus too, with the rules and alerts of deploy/prometheus
  --server-flag FLAG give the API servers a further flag, such as --server-flag=--v=3; may be repeated
  --first-port PORT  give the processes this port and the next ones, instead of those of the topology
  --topology FILE    topology of the cluster (default deploy/topology.json)
  --vocabulary NAME  orch or kubernetes (default orch); it cannot be changed for an existing store
  --directory DIR    folder for all files (default .orch/cluster, or .orch/cluster-kubernetes)
  --help             print this text`;
const VOCABULARIES = ["orch", "kubernetes"];

const { values } = readCommandLine(USAGE, {
  options: {
    topology: { type: "string", default: join(repository, "deploy/topology.json") },
    servers: { type: "string" },
    etcd: { type: "string" },
    prometheus: { type: "boolean", default: false },
    "server-flag": { type: "string", multiple: true, default: [] },
    "first-port": { type: "string" },
    vocabulary: { type: "string", default: "orch" },
    directory: { type: "string" },
  },
  check: ({ values }) =>
    numberProblem("servers", values.servers, MEMBERS_MAX) ??
    numberProblem("etcd", values.etcd, MEMBERS_MAX) ??
    numberProblem("first-port", values["first-port"], 65_535) ??
    (VOCABULARIES.includes(values.vocabulary)
      ? undefined
      : `--vocabulary: "${values.vocabulary}" is not one of ${VOCABULARIES.join(", ")}`),
});
const { vocabulary } = values;
const usualDirectory = join(repository, ".orch", vocabulary === "orch" ? "cluster" : `cluster-${vocabulary}`);
const directory = resolve(values.directory ?? usualDirectory);
const pidFile = join(directory, "pid");
const logs = join(directory, "logs");

refuseASecondFleet();
const topology = readTopology();
mkdirSync(logs, { recursive: true, mode: 0o700 });
const fleet = planFleet(topology, { directory, vocabulary, serverFlags: values["server-flag"] });
const kubeconfig = join(directory, "admin.kubeconfig");
writeKubeconfig(kubeconfig, { server: fleet.url, ...fleet.pairs.admin });

await refuseTakenPorts();
const fleetRuns = supervise(fleet.processes, { logs, report: (line) => console.error(line) });
writeFileSync(pidFile, String(process.pid));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0));

try {
  await Promise.race([untilAllAreReady(), fleetRuns.failed]);
  await publishClusterInfo({ kubeconfig, vocabulary, log: { info: console.error, warn: console.error } });
  console.log(guide());
} catch (error) {
  console.error(`${error.message}\nThe logs are in ${logs}`);
  await stop(1);
}

async function untilAllAreReady() {
  for (const { ready, readyAs = fleet.pairs.admin } of fleet.processes) {
    const tls = { ca: readFileSync(readyAs.ca), ...clientPair(readyAs) };
    await untilReady(ready, { tls, timeoutMs: READY_TIMEOUT_MS });
  }
  fleetRuns.begun();
}

async function stop(code) {
  await fleetRuns.stop();
  rmSync(pidFile, { force: true });
  process.exit(code);
}

function clientPair({ cert, key }) {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

function refuseASecondFleet() {
  let supervisor;
  try {
    supervisor = Number(readFileSync(pidFile, "utf8"));
    process.kill(supervisor, 0);
  } catch {
    return; // no file, or no process with that id
  }
  refuse(`A fleet is running already (process ${supervisor}). Stop it with: kill ${supervisor}`);
}

async function refuseTakenPorts() {
  const placeOf = (port) => portPlaces(topology).find((each) => each.port === port).place;
  const problems = await takenPorts(fleet.processes, { host: "127.0.0.1", placeOf });
  if (problems.length === 0) return;
  refuse(
    `${problems.join("\n")}\nStop that program, or give the fleet other ports: pass --first-port PORT, or copy ` +
      `${relative(process.cwd(), values.topology)}, change the ports that are named in parentheses, and pass --topology FILE`,
  );
}

function readTopology() {
  try {
    const count = (text) => (text === undefined ? undefined : Number(text));
    const chosen = chosenTopology(JSON.parse(readFileSync(values.topology, "utf8")), {
      servers: count(values.servers),
      etcd: count(values.etcd),
      prometheus: values.prometheus,
      firstPort: count(values["first-port"]),
    });
    const problem = membersProblem(chosen, directory);
    if (problem === undefined) return chosen;
    throw new Error(problem);
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(reason) {
  console.error(reason);
  process.exit(1);
}

function numberProblem(option, text, max) {
  if (text === undefined || (/^[1-9]\d*$/.test(text) && Number(text) <= max)) return undefined;
  return `--${option}: "${text}" is not a number from 1 to ${max}`;
}

function guide() {
  const { admin, ca } = fleet.pairs;
  const here = (path) => relative(process.cwd(), path);
  const pids = fleetRuns.pids();
  const rows = fleet.processes.map(
    ({ name, ports }) => `  ${name.padEnd(24)}${String(pids[name]).padEnd(10)}127.0.0.1:${ports.join(", :")}`,
  );
  // The link grants full access. It is printed only to a terminal, never to a pipe or file that may be stored.
  const { server, linkFile } = fleet.explorer;
  const link = process.stdout.isTTY ? readFileSync(linkFile, "utf8").trim() : `the link in ${here(linkFile)}`;
  // The suggested client depends on the vocabulary: kubectl works only with kubernetes.
  const command =
    vocabulary === "kubernetes"
      ? `kubectl --kubeconfig=${here(kubeconfig)} get namespaces`
      : `curl --cacert ${here(ca)} --cert ${here(admin.cert)} --key ${here(admin.key)} ${fleet.url}/readyz?verbose`;
  const { prometheus } = topology;
  const figures =
    prometheus === undefined
      ? ""
      : `\nPrometheus: http://127.0.0.1:${prometheus.port}; alerts: http://127.0.0.1:${prometheus.port}/api/v1/alerts\n`;
  return `
The fleet is ready behind ${fleet.url}; the API servers themselves are ${fleet.apiServers.map((one) => one.url).join(" and ")}.

In a browser on this machine, until ${server} starts again: ${link}
${figures}
In another terminal:
  ${command}

Kill any one process and see the fleet go on; it is started again after a second:
  ${"process".padEnd(24)}${"id".padEnd(10)}listens at
${rows.join("\n")}

Logs: ${here(logs)}    Stop: Ctrl-C`;
}
