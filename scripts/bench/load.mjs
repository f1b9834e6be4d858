// The load process: receives tasks from the main process, puts load on a server and returns the figures.
import { connect as connectHttp2 } from "node:http2";
import { Connection, openAll, Request, tlsOptions } from "./connection.mjs";
import { collection, objectName, objectText, textOf } from "./objects.mjs";
import { cpuMeter, residentMebibytes } from "./process-figures.mjs";
import { keepObjects, releaseMaker } from "./release-requests.mjs";

const NEWLINE = 10;

const TASKS = { fill, keep, post, timed, paced, flood, fanOut, idleWatches, longestWait, send, untilShown };

process.on("message", async ({ task, ...order }) => {
  try {
    process.send({ result: await TASKS[task](order) });
  } catch (error) {
    process.send({ error: error.stack });
  }
});

/** @param wanted expected status; absent: any success */
async function expectSuccess(connection, request, onPayload, wanted) {
  let last;
  const keep = (payload) => {
    last = payload;
  };
  const status = await connection.send(request, onPayload ?? keep);
  if (wanted === undefined ? status >= 200 && status <= 299 : status === wanted) return;
  throw new Error(`${request.method} ${request.path} answered ${status}: ${last?.toString("latin1", 0, 1000)}`);
}

/** Creates the objects `from` to `to` of a namespace. */
async function fill({ target, namespace, from, to, plural = "configmaps" }) {
  const connections = await openAll(target, 32);
  let next = from;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < to) {
        const index = next++;
        const body = textOf(plural, objectName(index), { namespace, index });
        await expectSuccess(connection, new Request("POST", collection(namespace, plural), body));
      }
    }),
  );
  for (const connection of connections) connection.close();
}

/** Creates the objects that later replacements start from. */
async function keep({ target, ...order }) {
  const connection = await Connection.open(target);
  await keepObjects(connection, order);
  connection.close();
}

/** Creates objects with arbitrary names. Each request consists of a path and an object. */
function post({ target, requests }) {
  return send({ target, requests: requests.map((request) => ({ method: "POST", ...request })) });
}

/** Sends requests that consist of a method, a path, an object and its media type. */
async function send({ target, requests }) {
  const connections = await openAll(target, 16);
  const all = requests.values();
  await Promise.all(
    connections.map(async (connection) => {
      for (const { method, path, body, type } of all)
        await expectSuccess(connection, new Request(method, path, JSON.stringify(body), type && { type }));
    }),
  );
  for (const connection of connections) connection.close();
}

/** Builders of the requests of a timed run, called with the number of the request. */
const MAKERS = {
  release: releaseMaker,
  fixed: ({ path, accept }) => {
    const request = new Request("GET", path, undefined, { accept });
    return () => request;
  },
  /** Sends the same path with successive tokens. */
  withTokens: ({ path, tokens }) => {
    const all = tokens.map((token) => new Request("GET", path, undefined, { token }));
    return (count) => all[count % all.length];
  },
  getEach: ({ objects, query = "", plural, token }) => {
    const path = (index) => `${collection(undefined, plural)}/${objectName(index)}${query}`;
    const all = Array.from({ length: objects }, (_, index) => new Request("GET", path(index), undefined, { token }));
    return (count) => all[(count * 7919) % all.length]; // the factor is prime, so successive requests do not read neighbouring objects
  },
  create:
    ({ namespace, firstIndex, plural = "configmaps" }) =>
    (count) => {
      const name = objectName(firstIndex + count);
      const body = textOf(plural, name, { namespace, index: count });
      return new Request("POST", collection(namespace, plural), body);
    },
  /** Lists the pods of successive nodes. */
  nodePods:
    ({ nodes }) =>
    (count) =>
      new Request("GET", `/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-${(count * 7919) % nodes}`),
  update:
    ({ objects }) =>
    (count) => {
      const index = count % objects;
      const body = objectText(objectName(index), { index, revision: process.hrtime.bigint() });
      return new Request("PUT", `${collection()}/${objectName(index)}`, body);
    },
  mergePatch:
    ({ objects, plural }) =>
    (count) => {
      const body = JSON.stringify({ data: { revision: `${process.hrtime.bigint()}` } });
      const path = `${collection(undefined, plural)}/${objectName(count % objects)}`;
      return new Request("PATCH", path, body, { type: "application/merge-patch+json" });
    },
  /** Sends the whole object, like a client that applies manifests. */
  apply:
    ({ objects, plural = "configmaps" }) =>
    (count) => {
      const index = count % objects;
      const body = textOf(plural, objectName(index), { index, revision: `${process.hrtime.bigint()}` });
      const path = `${collection(undefined, plural)}/${objectName(index)}?fieldManager=bench&force=true`;
      return new Request("PATCH", path, body, { type: "application/apply-patch+yaml" });
    },
  remove:
    ({ namespace, firstIndex }) =>
    (count) =>
      new Request("DELETE", `${collection(namespace)}/${objectName(firstIndex + count)}`),
};

/** Keeps the process busy with polling instead of sleeping, until it is told to stop. */
function stayAwake() {
  let ended = false;
  const turn = () => {
    if (!ended) setImmediate(turn);
  };
  turn();
  return () => {
    ended = true;
  };
}

/**
 * Sends requests as fast as `concurrency` connections get answers, first unmeasured for `warmupMs`, then measured for
 * `durationMs` or until `count` are done.
 */
async function timed({
  target,
  serverPid,
  maker,
  make,
  concurrency,
  warmupMs,
  durationMs,
  count = Number.POSITIVE_INFINITY,
  status,
  awake = false,
}) {
  const next = MAKERS[maker](make);
  const connections = await openAll(target, concurrency);
  const sleepAgain = awake ? stayAwake() : undefined;
  let sent = 0;
  const run = async (untilMs, limit, record) => {
    await Promise.all(
      connections.map(async (connection) => {
        while (performance.now() < untilMs && sent < limit) {
          const request = next(sent++);
          const startedAt = performance.now();
          await expectSuccess(connection, request, undefined, status);
          record?.(performance.now() - startedAt);
        }
      }),
    );
  };
  await run(performance.now() + warmupMs, count * 0.2);
  const latencies = [];
  const cpu = cpuMeter(serverPid);
  const startedAt = performance.now();
  await run(startedAt + durationMs, count, (latencyMs) => latencies.push(latencyMs));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMicros = cpu();
  sleepAgain?.();
  for (const connection of connections) connection.close();
  return { ...figures(latencies, seconds), sent, cpuMicrosPerOperation: perOperation(cpuMicros, latencies.length) };
}

const perOperation = (cpuMicros, operations) => (cpuMicros === undefined ? undefined : cpuMicros / operations);

function figures(latencies, seconds) {
  latencies.sort((a, b) => a - b);
  const at = (part) => latencies[Math.min(latencies.length - 1, Math.floor(part * latencies.length))];
  return { operations: latencies.length, perSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Sends requests at intervals on each connection; rejected ones are counted separately. */
async function paced({ target, path, everyMs, connections, durationMs, afterMs = 0 }) {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const open = await openAll(target, connections);
  const request = new Request("GET", path);
  const latencies = [];
  let refused = 0;
  const startedAt = performance.now();
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < startedAt + durationMs) {
        const sentAt = performance.now();
        const status = await connection.send(request);
        if (status === 200) latencies.push(performance.now() - sentAt);
        else refused += 1;
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    }),
  );
  for (const connection of open) connection.close();
  return { ...figures(latencies, (performance.now() - startedAt) / 1000), refused };
}

/** Sends requests on every connection as fast as they are answered, whatever the status. */
async function flood({ target, path, connections, durationMs }) {
  const open = await openAll(target, connections);
  const request = new Request("GET", path);
  const answers = {};
  const endAt = performance.now() + durationMs;
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < endAt) {
        const status = await connection.send(request);
        answers[status] = (answers[status] ?? 0) + 1;
      }
    }),
  );
  for (const connection of open) connection.close();
  return answers;
}

/** Returns the resource version of a list, which the bare server does not provide. */
async function presentVersion(connection, path) {
  const parts = [];
  await expectSuccess(connection, new Request("GET", `${path}?limit=1`), (payload) => parts.push(Buffer.from(payload)));
  const text = Buffer.concat(parts).toString();
  return text === "" ? "0" : (JSON.parse(text).metadata?.resourceVersion ?? "0");
}

/** Lets `watchers` clients watch one namespace while `writes` objects are written into it, `rounds` times. */
async function fanOut({
  target,
  serverPid,
  namespace,
  watchers,
  writes,
  rounds,
  warmupRounds,
  firstIndex,
  plural = "configmaps",
}) {
  const sentAt = [];
  const latencies = [];
  let events = 0;
  let wake = () => {};
  const connections = await openAll(target, watchers);
  const writersOpen = await openAll(target, 8);
  // The watches start after the existing objects of the namespace, from earlier rounds or the server itself.
  const resourceVersion = await presentVersion(writersOpen[0], collection(namespace, plural));
  const watched = `${collection(namespace, plural)}?watch=1&resourceVersion=${resourceVersion}`;
  for (const connection of connections) {
    let seen = 0;
    const count = (bytes) => {
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
        latencies.push(performance.now() - sentAt[seen++]);
        events += 1;
      }
      if (events === sentAt.length * watchers) wake();
    };
    connection.send(new Request("GET", watched), count).catch(() => {});
  }
  await new Promise((resolve) => setTimeout(resolve, 1000)); // waits until every watch is open

  const round = async () => {
    const goal = sentAt.length + writes;
    await Promise.all(
      writersOpen.map(async (connection) => {
        while (sentAt.length < goal) {
          const name = objectName(firstIndex + sentAt.length);
          sentAt.push(performance.now());
          const body = textOf(plural, name, { namespace });
          await expectSuccess(connection, new Request("POST", collection(namespace, plural), body));
        }
      }),
    );
    if (events < goal * watchers) await new Promise((resolve) => (wake = resolve));
  };
  for (let count = 0; count < warmupRounds; count += 1) await round();
  latencies.length = 0;
  const eventsBefore = events;
  const cpu = cpuMeter(serverPid);
  const startedAt = performance.now();
  for (let count = 0; count < rounds; count += 1) await round();
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMicros = cpu();
  for (const connection of [...connections, ...writersOpen]) connection.close();
  return { ...figures(latencies, seconds), cpuMicrosPerOperation: perOperation(cpuMicros, events - eventsBefore) };
}

/** Marks pods as not ready one after the other and measures the time until an endpoint slice shows it. */
async function untilShown({ target, slices, pods }) {
  const [watching, writing] = await openAll(target, 2);
  const waiting = new Map();
  let rest = "";
  const take = (bytes) => {
    const lines = (rest + bytes.toString("utf8")).split("\n");
    rest = lines.pop();
    for (const line of lines.filter((each) => each !== "")) {
      const { metadata, endpoints } = JSON.parse(line).object;
      for (const { conditions, targetRef } of endpoints ?? []) {
        const key = `${metadata.namespace}/${targetRef?.name}`;
        if (conditions.ready === false) waiting.get(key)?.();
      }
    }
  };
  watching.send(new Request("GET", `${slices}?watch=1`), take).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 2000)); // waits until the existing objects have been received
  const latencies = [];
  const began = performance.now();
  for (const { namespace, name } of pods) {
    const status = { conditions: [{ type: "Ready", status: "False" }] };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    const request = new Request("PATCH", path, JSON.stringify({ status }), { type: "application/merge-patch+json" });
    const shown = new Promise((resolve) => waiting.set(`${namespace}/${name}`, resolve));
    const startedAt = performance.now();
    await expectSuccess(writing, request);
    await shown;
    latencies.push(performance.now() - startedAt);
    waiting.delete(`${namespace}/${name}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const connection of [watching, writing]) connection.close();
  return figures(latencies, (performance.now() - began) / 1000);
}

/**
 * Sends a trivial request every few milliseconds for `durationMs`. The longest latency shows how long the server was
 * blocked.
 */
async function longestWait({ target, durationMs }) {
  const connection = await Connection.open(target);
  const request = new Request("GET", "/version");
  const latencies = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const startedAt = performance.now();
    await expectSuccess(connection, request);
    latencies.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  connection.close();
  latencies.sort((a, b) => a - b);
  return { longestMs: latencies.at(-1), p99Ms: latencies[Math.floor(latencies.length * 0.99)] };
}

/** Opens `watches` watches over HTTP/2, `streams` on each connection, and leaves them idle. */
async function idleWatches({ target, serverPid, namespace, watches, streams, settleMs }) {
  const settled = () => new Promise((resolve) => setTimeout(resolve, settleMs));
  const before = residentMebibytes(serverPid);
  const sessions = [];
  for (let open = 0; open < watches; open += streams) {
    const { host, port, ...options } = tlsOptions(target);
    const session = connectHttp2(`https://${host}:${port}`, options);
    sessions.push(session);
    const answers = Array.from({ length: Math.min(streams, watches - open) }, async () => {
      const stream = session.request({ ":path": `${collection(namespace)}?watch=1` });
      const status = await new Promise((resolve, reject) => {
        stream.once("response", (headers) => resolve(headers[":status"]));
        stream.once("error", reject);
      });
      if (status !== 200) throw new Error(`a watch answered ${status}`);
      stream.resume();
    });
    await Promise.all(answers);
  }
  await settled();
  const cpu = cpuMeter(serverPid);
  await settled();
  const idleCpuMicros = cpu();
  const after = residentMebibytes(serverPid);
  for (const session of sessions) session.destroy();
  return {
    mebibytes: after,
    kibibytesPerWatch: ((after - before) * 1024) / watches,
    idleCpuPercent: idleCpuMicros / settleMs / 10,
  };
}
