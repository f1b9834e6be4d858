// The scenarios in the order in which they run. Each measures the server and, where that makes sense, the bare server.
// `row` names the figures in the report.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";
import { accessScenario } from "./access-scenario.mjs";
import { ADMISSION_SCENARIOS } from "./admission-scenarios.mjs";
import { auditScenario } from "./audit-scenario.mjs";
import { commandLineScenario } from "./command-line-scenario.mjs";
import { customScenarios } from "./custom-scenarios.mjs";
import { definitionsScenario } from "./definitions-scenario.mjs";
import { envtestScenario } from "./envtest-scenario.mjs";
import { exportImportScenario } from "./export-import-scenario.mjs";
import { fairnessCost, flood } from "./fairness-scenarios.mjs";
import { fieldsScenario } from "./fields-scenario.mjs";
import { growthScenario } from "./growth-scenario.mjs";
import { historyScenario } from "./history-scenario.mjs";
import { median } from "./in-turns.mjs";
import { managerScenario } from "./manager-scenario.mjs";
import { collection, NAMESPACE, objectName, objectText, PODS_PER_NODE } from "./objects.mjs";
import { peakMebibytes, residentMebibytes } from "./process-figures.mjs";
import { rbacScenario } from "./rbac-scenario.mjs";
import { realDefinitionsScenario } from "./real-definitions-scenario.mjs";
import { releaseScenario } from "./release-scenario.mjs";
import { testServerScenario } from "./test-server-scenario.mjs";
import { tokenScenario } from "./token-scenario.mjs";
import { WATCH_SCENARIOS } from "./watch-scenarios.mjs";

const OBJECTS = 5000;
const SETTLE_MS = 3000;

/**
 * Repeats a read. `concurrency` caps the requested concurrency: a list of 6.5 MB is not read by 32 connections at once.
 */
const reading = (maker, make, { concurrency = Number.POSITIVE_INFINITY, path, accept, protocol }) => ({
  needs: OBJECTS,
  async run(bench) {
    const order = {
      maker,
      make,
      protocol,
      concurrency: Math.min(concurrency, bench.concurrency),
      warmupMs: 2000,
      durationMs: 5000,
    };
    const { body } = await bench.fetch(path, { accept });
    return bench.compared(() => order, { body });
  },
});

const WRITES = 12_000;

/** Writes another object in each request, {@link WRITES} of them in a round. */
const writing = (maker, { status, prepare, make, protocol }) => ({
  needs: OBJECTS,
  async run(bench) {
    const namespace = await bench.namespace();
    const order = (round) => ({
      maker,
      make: make({ namespace, firstIndex: round * WRITES }),
      protocol,
      concurrency: bench.concurrency,
      warmupMs: 2000,
      durationMs: 8000,
      count: WRITES,
    });
    await prepare?.(bench, { namespace });
    const { body } = await bench.fetch(`${collection()}/${objectName(0)}`);
    return bench.compared(order, { body, status });
  },
});

/** Creates new objects of a kind in each round. */
const creating = (plural) => ({
  async run(bench) {
    const namespace = await bench.namespace();
    await bench.everywhere("fill", { namespace, from: 0, to: 1, plural });
    const { body } = await bench.fetch(`${collection(namespace, plural)}/${objectName(0)}`);
    const order = (round) => ({
      maker: "create",
      make: { namespace, firstIndex: 1 + round * WRITES, plural },
      concurrency: bench.concurrency,
      warmupMs: 2000,
      durationMs: 8000,
      count: WRITES,
    });
    return bench.compared(order, { body, status: 201 });
  },
});

/** Number of first requests of a fresh server, whose code is not optimized yet, that are compared with later ones. */
const COLD = 2000;
const coldCreates = {
  fresh: true,
  async run(bench) {
    const namespace = await bench.namespace();
    const creates = (firstIndex, more) =>
      bench.timed({ maker: "create", make: { namespace, firstIndex }, concurrency: bench.concurrency, ...more });
    const ours = await creates(0, { warmupMs: 0, durationMs: 60_000, count: COLD });
    const warm = await creates(COLD, { warmupMs: 5000, durationMs: 5000 });
    const times = ours.cpuMicrosPerOperation / warm.cpuMicrosPerOperation;
    return { ours, notes: [`${times.toFixed(2)} times the processor time of later ones`] };
  },
};

/** Idle time after which a process has released the memory that it can. */
const QUIET_MS = 45_000;

/** Measures the memory of a server that stores the given number of objects, optionally after a list of all of them. */
const memoryOf = (objects, { settleMs, isListed = false }) => ({
  fresh: true,
  async run(bench) {
    const namespace = await bench.namespace();
    const { target, pid } = bench.server;
    await bench.load("fill", { target, namespace, from: 0, to: objects });
    if (isListed) await bench.fetch(collection(namespace));
    await sleep(settleMs);
    const notes = isListed ? [`${peakMebibytes(pid)} MiB at most, behind the writes and a list of everything`] : [];
    return { ours: { mebibytes: residentMebibytes(pid) }, notes };
  },
});

const oneObject = `${collection()}/${objectName(1)}`;
/** Names of both vocabularies, because the other server may use the other one. */
const VOCABULARIES = ["orch", "kubernetes"].map(vocabularyOf);
const TABLE = VOCABULARIES.map(({ groups }) => `application/json;as=Table;v=v1;g=${groups.meta}`).join();
const list = (query) => ({ path: `${collection()}${query}` });
const publishedSchema = { path: "/openapi/v2" };
const listInProtobuf = { ...list(""), accept: VOCABULARIES.map(({ mediaTypes }) => mediaTypes.protobuf).join() };

export const SCENARIOS = {
  get: reading("getEach", { objects: 1000 }, { path: oneObject }),
  "get-rv0": reading("getEach", { objects: 1000, query: "?resourceVersion=0" }, { path: oneObject }),
  "get-http2": reading("getEach", { objects: 1000 }, { path: oneObject, protocol: "h2" }),
  create: writing("create", { status: 201, make: (of) => of }),
  "create-http2": writing("create", { status: 201, make: (of) => of, protocol: "h2" }),
  "create-cold": coldCreates,
  "create-deployment": creating("deployments"),
  "create-pod": creating("pods"),
  "list-node-pods": {
    fresh: true,
    onDemand: true,
    async run(bench) {
      const namespace = await bench.namespace();
      await bench.everywhere("fill", { namespace, from: 0, to: 50_000, plural: "pods" });
      const make = { nodes: Math.floor(50_000 / PODS_PER_NODE) };
      const order = { maker: "nodePods", make, concurrency: 8, warmupMs: 2000, durationMs: 5000 };
      const { body } = await bench.fetch("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-7");
      return bench.compared(() => order, { body });
    },
  },
  update: writing("update", { status: 200, make: () => ({ objects: 1000 }) }),
  "merge-patch": writing("mergePatch", { status: 200, make: () => ({ objects: 1000 }) }),
  apply: writing("apply", { status: 200, make: () => ({ objects: 1000 }) }),
  delete: writing("remove", {
    status: 200,
    make: (of) => of,
    prepare: (bench, { namespace }) => bench.everywhere("fill", { namespace, from: 0, to: bench.roundsMax * WRITES }),
  }),
  "update-history": historyScenario,
  "list-5000": reading("fixed", list(""), { ...list(""), concurrency: 2 }),
  "list-5000-rv0": reading("fixed", list("?resourceVersion=0"), { ...list("?resourceVersion=0"), concurrency: 2 }),
  "list-5000-protobuf": reading("fixed", listInProtobuf, { ...listInProtobuf, concurrency: 2 }),
  "list-table": {
    async run(bench) {
      const namespace = await bench.namespace();
      await bench.everywhere("fill", { namespace, from: 0, to: OBJECTS, plural: "pods" });
      const list = { path: collection(namespace, "pods"), accept: TABLE };
      return reading("fixed", list, { ...list, concurrency: 2 }).run(bench);
    },
  },
  "list-fields": fieldsScenario,
  "list-limit-500": reading("fixed", list("?limit=500"), { ...list("?limit=500"), concurrency: 8 }),
  "list-label-1%": reading("fixed", list("?labelSelector=shard%3Dshard-7"), {
    ...list("?labelSelector=shard%3Dshard-7"),
    concurrency: 8,
  }),
  "openapi-v2": { ...reading("fixed", publishedSchema, { ...publishedSchema, concurrency: 2 }), needs: undefined },
  ...WATCH_SCENARIOS,
  ...customScenarios({ needs: OBJECTS }),
  ...ADMISSION_SCENARIOS,
  "pod-writes-by-release": releaseScenario({
    pods: ["create", "replace", "patch", "replaceStatus", "patchStatus"],
  }),
  "writes-by-release": releaseScenario({
    deployments: ["create", "replace", "replaceStatus"],
    jobs: ["create", "replace", "replaceStatus"],
    services: ["create", "replace"],
    nodes: ["patchStatus", "replaceStatus"],
  }),
  "audit-metadata": auditScenario({ level: "Metadata" }),
  access: accessScenario,
  "authentication-tokens": tokenScenario,
  "rbac-allowed": rbacScenario({ allowed: true }),
  "rbac-denied": rbacScenario({ allowed: false }),
  fairness: fairnessCost,
  "flood-gets": flood({ connections: 200, path: `${collection()}/${objectName(2)}` }),
  "flood-lists": flood({ connections: 200, path: collection() }),
  "definitions-2000": definitionsScenario(2000),
  "definitions-300-large": realDefinitionsScenario(300),
  "manager-20000-pods": managerScenario,
  "watches-idle-10000": {
    fresh: true,
    async run(bench) {
      const namespace = await bench.namespace();
      const order = { namespace, watches: 10_000, streams: 100, settleMs: SETTLE_MS };
      return {
        ours: await bench.load("idleWatches", { target: bench.server.target, serverPid: bench.server.pid, ...order }),
      };
    },
  },
  "memory-10000-objects": memoryOf(10_000, { settleMs: SETTLE_MS }),
  "memory-50000-objects": { ...memoryOf(50_000, { settleMs: QUIET_MS, isListed: true }), onDemand: true },
  "memory-200000-requests": growthScenario(200_000, { settleMs: QUIET_MS }),
  "idle-memory": {
    fresh: true,
    async run(bench) {
      await sleep(SETTLE_MS);
      return { ours: { mebibytes: residentMebibytes(bench.server.pid) } };
    },
  },
  "start-to-ready": {
    async run(bench) {
      const times = [];
      for (let count = 0; count < 5; count += 1) {
        const server = await bench.startServer();
        times.push(server.readyMs);
        await bench.stop(server);
      }
      return { ours: { milliseconds: median(times) } };
    },
  },
  "test-server": testServerScenario,
  "envtest-start": envtestScenario,
  "command-line": commandLineScenario,
  "export-import": exportImportScenario(20_000, 200),
  "start-in-process": {
    async run() {
      const script = fileURLToPath(new URL("in-process-start.mjs", import.meta.url));
      const runs = Array.from({ length: 5 }, () =>
        JSON.parse(execFileSync(process.execPath, [script], { encoding: "utf8" })),
      );
      return {
        ours: {
          milliseconds: median(runs.map((run) => run.firstMs)),
          secondMilliseconds: median(runs.map((run) => run.secondMs)),
        },
      };
    },
  },
};

/** Creates the objects that lists and reads use: once, before the first scenario that needs them. */
export async function fillForReading(bench) {
  await bench.makeNamespace(NAMESPACE);
  await bench.everywhere("fill", { namespace: NAMESPACE, from: 0, to: OBJECTS });
}

/** Describes the objects for the report. */
export const describeObjects = () => `${OBJECTS} ConfigMaps sent as ${objectText(objectName(0)).length} bytes of JSON`;
