// The scenarios in the order in which they run: each is what to measure on the server and, where that makes sense, the same on the
// bare server. `row` names the figures in the report.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";
import { ADMISSION_SCENARIOS } from "./admission-scenarios.mjs";
import { auditScenario } from "./audit-scenario.mjs";
import { customScenarios } from "./custom-scenarios.mjs";
import { definitionsScenario } from "./definitions-scenario.mjs";
import { fairnessCost, flood } from "./fairness-scenarios.mjs";
import { median } from "./in-turns.mjs";
import { managerScenario } from "./manager-scenario.mjs";
import { collection, NAMESPACE, objectName, objectText, PODS_PER_NODE } from "./objects.mjs";
import { residentMebibytes } from "./process-figures.mjs";
import { rbacScenario } from "./rbac-scenario.mjs";
import { tokenScenario } from "./token-scenario.mjs";

const OBJECTS = 5000;
const SETTLE_MS = 3000;

/** A request again and again. `concurrency` caps the asked one: a list of 6.5 MB is not read 32 at a time. */
const reading = (maker, make, { concurrency = Number.POSITIVE_INFINITY, path, accept }) => ({
  needs: OBJECTS,
  async run(bench) {
    const order = {
      maker,
      make,
      concurrency: Math.min(concurrency, bench.concurrency),
      warmupMs: 2000,
      durationMs: 5000,
    };
    const { body } = await bench.fetch(path, { accept });
    return { ours: await bench.timed(order), bare: await bench.timedBare(order, { body }), answerBytes: body.length };
  },
});

/** Each request another object, `count` of them. */
const writing = (maker, { status, prepare, make }) => ({
  needs: OBJECTS,
  async run(bench) {
    const count = 12_000;
    const order = (of) => ({
      maker,
      make: of,
      concurrency: bench.concurrency,
      warmupMs: 2000,
      durationMs: 8000,
      count,
    });
    const namespace = await bench.namespace();
    await prepare?.(bench, { namespace, count });
    const ours = await bench.timed(order(make({ namespace, firstIndex: 0 })));
    const { body } = await bench.fetch(`${collection()}/${objectName(0)}`);
    const bare = await bench.timedBare(order(make({ namespace, firstIndex: 0 })), { body, status });
    return { ours, bare, answerBytes: body.length };
  },
});

const oneObject = `${collection()}/${objectName(1)}`;
const TABLE = `application/json;as=Table;v=v1;g=${vocabularyOf("orch").groups.meta},application/json`;
const list = (query) => ({ path: `${collection()}${query}` });
const publishedSchema = { path: "/openapi/v2" };
const listInProtobuf = { ...list(""), accept: vocabularyOf("orch").mediaTypes.protobuf };

export const SCENARIOS = {
  get: reading("getEach", { objects: 1000 }, { path: oneObject }),
  "get-rv0": reading("getEach", { objects: 1000, query: "?resourceVersion=0" }, { path: oneObject }),
  create: writing("create", { status: 201, make: (of) => of }),
  "create-deployment": {
    async run(bench) {
      const make = { namespace: await bench.namespace(), firstIndex: 0, plural: "deployments" };
      const order = { maker: "create", make, concurrency: bench.concurrency, warmupMs: 2000, durationMs: 8000 };
      const ours = await bench.timed({ ...order, count: 12_000 });
      const { body } = await bench.fetch(`${collection(make.namespace, make.plural)}/${objectName(0)}`);
      const bare = await bench.timedBare({ ...order, count: 12_000 }, { body, status: 201 });
      return { ours, bare, answerBytes: body.length };
    },
  },
  "list-node-pods": {
    fresh: true,
    onDemand: true,
    async run(bench) {
      const namespace = await bench.namespace();
      await bench.load("fill", { target: bench.server.target, namespace, from: 0, to: 50_000, plural: "pods" });
      const make = { nodes: Math.floor(50_000 / PODS_PER_NODE) };
      const order = { maker: "nodePods", make, concurrency: 8, warmupMs: 2000, durationMs: 5000 };
      const { body } = await bench.fetch("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-7");
      const ours = await bench.timed(order);
      return { ours, bare: await bench.timedBare(order, { body }), answerBytes: body.length };
    },
  },
  update: writing("update", { status: 200, make: () => ({ objects: 1000 }) }),
  "merge-patch": writing("mergePatch", { status: 200, make: () => ({ objects: 1000 }) }),
  apply: writing("apply", { status: 200, make: () => ({ objects: 1000 }) }),
  delete: writing("remove", {
    status: 200,
    make: (of) => of,
    prepare: (bench, { namespace, count }) =>
      bench.load("fill", { target: bench.server.target, namespace, from: 0, to: count }),
  }),
  "list-5000": reading("fixed", list(""), { ...list(""), concurrency: 2 }),
  "list-5000-rv0": reading("fixed", list("?resourceVersion=0"), { ...list("?resourceVersion=0"), concurrency: 2 }),
  "list-5000-protobuf": reading("fixed", listInProtobuf, { ...listInProtobuf, concurrency: 2 }),
  "list-table": {
    async run(bench) {
      const namespace = await bench.namespace();
      await bench.load("fill", { target: bench.server.target, namespace, from: 0, to: OBJECTS, plural: "pods" });
      const list = { path: collection(namespace, "pods"), accept: TABLE };
      return reading("fixed", list, { ...list, concurrency: 2 }).run(bench);
    },
  },
  "list-limit-500": reading("fixed", list("?limit=500"), { ...list("?limit=500"), concurrency: 8 }),
  "list-label-1%": reading("fixed", list("?labelSelector=shard%3Dshard-7"), {
    ...list("?labelSelector=shard%3Dshard-7"),
    concurrency: 8,
  }),
  "openapi-v2": { ...reading("fixed", publishedSchema, { ...publishedSchema, concurrency: 2 }), needs: undefined },
  "watch-fan-out": {
    async run(bench) {
      const namespace = await bench.namespace();
      const order = { namespace, watchers: 100, writes: 500, rounds: 6, warmupRounds: 2, firstIndex: 0 };
      const ours = await bench.load("fanOut", { target: bench.server.target, serverPid: bench.server.pid, ...order });
      const { body } = await bench.fetch(`${collection(namespace)}/${objectName(0)}`);
      const bare = await bench.bare();
      const event = Buffer.from(`{"type":"ADDED","object":${body.toString().trim()}}\n`);
      await bare.give({ status: 201, body: body.toString("base64"), event: event.toString("base64") });
      return {
        ours,
        bare: await bench.load("fanOut", { target: bare.target, serverPid: bare.pid, ...order }),
        answerBytes: event.length,
      };
    },
  },
  ...customScenarios({ needs: OBJECTS }),
  ...ADMISSION_SCENARIOS,
  "audit-metadata": auditScenario({ level: "Metadata" }),
  "authentication-tokens": tokenScenario,
  "rbac-allowed": rbacScenario({ allowed: true }),
  "rbac-denied": rbacScenario({ allowed: false }),
  fairness: fairnessCost,
  "flood-gets": flood({ connections: 200, path: `${collection()}/${objectName(2)}` }),
  "flood-lists": flood({ connections: 200, path: collection() }),
  "definitions-2000": definitionsScenario(2000),
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
  "memory-10000-objects": {
    fresh: true,
    async run(bench) {
      const namespace = await bench.namespace();
      await bench.load("fill", { target: bench.server.target, namespace, from: 0, to: 10_000 });
      await sleep(SETTLE_MS);
      return { ours: { mebibytes: residentMebibytes(bench.server.pid) } };
    },
  },
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

/** Objects that lists and reads find: made once, before the first scenario that needs them. */
export async function fillForReading(bench) {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await bench.fetch("/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
  await bench.load("fill", { target: bench.server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
}

/** What the objects look like, for the report. */
export const describeObjects = () => `${OBJECTS} ConfigMaps sent as ${objectText(objectName(0)).length} bytes of JSON`;
