// Thousands of custom resource definitions: the cost to a server whose custom objects are not requested, and the
// latency of discovery.
import { setTimeout as sleep } from "node:timers/promises";
import { Connection, Request } from "./connection.mjs";
import { DEFINITIONS, definitionOf } from "./objects.mjs";
import { residentMebibytes } from "./process-figures.mjs";

const groupOf = (index) => `g${index % GROUPS}.many.example`;
const GROUPS = 200;
const LARGE_EVERY = 100;
const LARGE_BYTES = 20_000;
const SETTLE_MS = 5000;
const NEW_ONES = 10;
const PATHS = ["/apis", `/apis/${groupOf(1)}`, `/apis/${groupOf(1)}/v1`, "/openapi/v3"];

export const definitionsScenario = (count) => ({
  fresh: true,
  async run(bench) {
    const { server } = bench;
    await sleep(SETTLE_MS);
    const emptyMebibytes = residentMebibytes(server.pid);
    const pause = bench.load("longestWait", { target: server.target, durationMs: 30_000 });
    await installAll(bench, count);
    await served(bench, server, count);
    await sleep(SETTLE_MS);
    const mebibytes = residentMebibytes(server.pid);
    const { longestMs } = await pause;
    const others = await bench.others(server);
    const readyMs = Math.max(...others.map((each) => each.readyMs));
    const replicas = bench.sharesStore ? [server, ...others] : others;
    const asked = {};
    const connection = await Connection.open(replicas[0].target);
    for (const path of PATHS) await timesOf(connection, path); // warm-up
    const waiting = bench.load("longestWait", { target: replicas[0].target, durationMs: 5_000 });
    let newMs = 0;
    for (let made = 0; made < NEW_ONES; made += 1) {
      newMs = Math.max(newMs, await newOne(bench, replicas, count + made));
      for (const path of PATHS) {
        asked[path] ??= { first: [], again: [] };
        const { first, again } = await timesOf(connection, path);
        asked[path].first.push(first);
        asked[path].again.push(again);
      }
    }
    connection.close();
    const { longestMs: longestThenMs } = await waiting;
    for (const each of others) await bench.stop(each);
    return {
      ours: { mebibytes, milliseconds: readyMs },
      notes: [
        `${(((mebibytes - emptyMebibytes) * 1024) / count).toFixed(1)} KiB a definition`,
        `longest wait while they came ${longestMs.toFixed(1)} ms, while new ones came ${longestThenMs.toFixed(1)} ms`,
        `a new one served everywhere within ${newMs.toFixed(0)} ms`,
        ...PATHS.map((path) => {
          const { first, again } = asked[path];
          return `${path} ${median(first).toFixed(1)} ms after a change, ${median(again).toFixed(1)} ms again`;
        }),
      ],
    };
  },
});

async function installAll(bench, count) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      await bench.fetch(DEFINITIONS, { method: "POST", body: JSON.stringify(definition(index)) });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function served(bench, server, count) {
  for (;;) {
    const { body } = await bench.fetchFrom(server, "/apis");
    const groups = JSON.parse(body).groups.filter(({ name }) => name.endsWith(groupOf(0).slice(2)));
    if (groups.length >= Math.min(count, GROUPS)) return;
    await sleep(200);
  }
}

/** Returns the time from the response to the creation of a definition until every replica serves it. */
async function newOne(bench, replicas, index) {
  const made = definition(index);
  await bench.fetchFrom(replicas[0], DEFINITIONS, { method: "POST", body: JSON.stringify(made) });
  const startedAt = performance.now();
  const path = `/apis/${made.spec.group}/v1/${made.spec.names.plural}`;
  for (const replica of replicas) while ((await bench.fetchFrom(replica, path)).status !== 200);
  return performance.now() - startedAt;
}

async function timesOf(connection, path) {
  const timed = async () => {
    const startedAt = performance.now();
    await connection.send(new Request("GET", path));
    return performance.now() - startedAt;
  };
  return { first: await timed(), again: await timed() };
}

function definition(index) {
  const name = `kind${index}s`;
  const isLarge = index % LARGE_EVERY === 1;
  const versions = Array.from({ length: isLarge ? 5 : 1 }, (_, at) => ({
    name: `v${at + 1}`,
    served: true,
    storage: at === 0,
    schema: { openAPIV3Schema: schema(isLarge ? LARGE_BYTES : 1500) },
    subresources: { status: {} },
  }));
  return definitionOf({ group: groupOf(index), plural: name, kind: `Kind${index}` }, versions);
}

function schema(bytes) {
  const properties = {};
  const made = () => JSON.stringify(properties).length;
  for (let at = 0; at === 0 || made() < bytes; at += 1) {
    properties[`part${at}`] = {
      type: "object",
      description: "What one part of such an object says of itself, and what it is for.",
      properties: {
        name: { type: "string", maxLength: 63, pattern: "^[a-z0-9-]+$" },
        count: { type: "integer", minimum: 0, default: at },
        labels: { type: "object", additionalProperties: { type: "string" } },
      },
    };
  }
  return { type: "object", properties: { spec: { type: "object", properties }, status: { type: "object" } } };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
