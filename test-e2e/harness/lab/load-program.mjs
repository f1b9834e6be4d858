// A client under whose constant load the scenarios of the lab run: writers, readers and watchers, each on a connection of
// its own. load-program.mjs URL CREDENTIALS: a JSON file with `ca`, `cert` and `key`, which is read again for each request.
//
// Standard input: `begin`, `end` and `check`, one a line, each answered with a line of JSON. `end` tells what has happened
// since `begin`. `check` compares all that was acknowledged with a list, and with what the watchers have seen.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const [url, credentials] = process.argv.slice(2);
const WRITERS = 4;
const READERS = 2;
const WATCHERS = 2;
const PAUSE_MS = 50;
/** One of so many writes creates an object; the others update the writer's own. */
const CREATES_EVERY = 5;
const TIMEOUT_MS = 10_000;
const WATCH_SILENCE_MS = 15_000;
const MAPS = "/api/v1/namespaces/default/configmaps";
const LABEL = "lab";
const KEPT_FAILURES = 20;

/** Last acknowledged number of each writer, and the names of objects whose creation was acknowledged. */
const acknowledged = new Array(WRITERS).fill(0);
const created = new Set();
let period = newPeriod();
let isStopped = false;

function newPeriod() {
  const now = performance.now();
  return {
    begins: now,
    requests: 0,
    failures: 0,
    reasons: {},
    first: [],
    staleReads: 0,
    lastWrite: now,
    lastRead: now,
    writeGapMs: 0,
    readGapMs: 0,
    resumed: 0,
    listed: 0,
  };
}

function succeeded(kind) {
  const now = performance.now();
  if (kind === "write") {
    period.writeGapMs = Math.max(period.writeGapMs, now - period.lastWrite);
    period.lastWrite = now;
  } else {
    period.readGapMs = Math.max(period.readGapMs, now - period.lastRead);
    period.lastRead = now;
  }
}

function failed(kind, reason) {
  period.failures += 1;
  const text = `${kind}: ${reason}`;
  period.reasons[text] = (period.reasons[text] ?? 0) + 1;
  if (period.first.length < KEPT_FAILURES)
    period.first.push(`${Math.round(performance.now() - period.begins)} ms ${new Date().toISOString()} ${text}`);
}

const newAgent = () => new Agent({ keepAlive: true, maxSockets: 1, keepAliveMsecs: 5000 });

function open(agent, method, path, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return request(new URL(path, url), {
    agent,
    method,
    ...JSON.parse(readFileSync(credentials, "utf8")),
    headers:
      text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) },
  }).end(text);
}

/** @returns the code, and the object when it was read @throws Error without an answer */
function send(agent, method, path, body) {
  return new Promise((resolve, reject) => {
    const asked = open(agent, method, path, body);
    const timer = setTimeout(() => asked.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    const fail = (error) => {
      clearTimeout(timer);
      reject(error);
    };
    asked.once("error", fail);
    asked.once("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      answer.once("error", fail);
      answer.once("end", () => {
        clearTimeout(timer);
        try {
          resolve({ code: answer.statusCode, object: JSON.parse(text) });
        } catch (error) {
          reject(error);
        }
      });
    });
  });
}

const describe = ({ code, object }) => `${code} ${object.message ?? object.reason ?? ""}`.slice(0, 160);
const describeError = (error) => `${error.code ?? ""} ${error.message}`.trim();

async function attempt(kind, work) {
  period.requests += 1;
  try {
    await work();
    succeeded(kind);
    return true;
  } catch (error) {
    failed(kind, describeError(error));
    return false;
  }
}

const mapOf = (name, number, resourceVersion) => ({
  metadata: { name, labels: { [LABEL]: "load" }, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  data: { number: `${number}` },
});

async function write(index) {
  const agent = newAgent();
  const name = `writer-${index}`;
  const started = Date.now();
  let version;
  let number = started % 1_000_000_000; // later loads continue above earlier ones
  await until(() => attempt("write", () => expect(send(agent, "POST", MAPS, mapOf(name, 0)), [201, 409])));
  while (!isStopped) {
    number += 1;
    const current = number;
    if (current % CREATES_EVERY === 0) {
      const one = `created-${index}-${started}-${current}`;
      // A creation whose answer was lost may have happened.
      const done = await until(() =>
        attempt("write", () => expect(send(agent, "POST", MAPS, mapOf(one, current)), [201, 409])),
      );
      if (done) created.add(one);
    } else {
      // An update whose answer was lost may be carried out later. It then conflicts with the next one, which has read since.
      const done = await attempt("write", async () => {
        const path = `${MAPS}/${name}`;
        version ??= await versionIn(send(agent, "GET", path));
        const map = mapOf(name, current, version);
        version = undefined;
        version = await versionIn(send(agent, "PUT", path, map));
      });
      if (done) acknowledged[index] = current;
    }
    await pause(PAUSE_MS);
  }
}

const versionIn = async (sent) => (await expect(sent, [200])).object.metadata.resourceVersion;

async function until(work) {
  while (!isStopped) {
    if (await work()) return true;
    await pause(PAUSE_MS);
  }
  return false;
}

async function expect(sent, codes) {
  const answer = await sent;
  if (!codes.includes(answer.code)) throw new Error(describe(answer));
  return answer;
}

async function read(index) {
  const agent = newAgent();
  for (let turn = index; !isStopped; turn += 1) {
    const writer = turn % WRITERS;
    const least = acknowledged[writer];
    if (least > 0)
      await attempt("read", async () => {
        const { object } = await expect(send(agent, "GET", `${MAPS}/writer-${writer}`), [200]);
        if (Number(object.data.number) < least) {
          period.staleReads += 1;
          throw new Error(`stale: ${object.data.number} after ${least} was acknowledged`);
        }
      });
    await pause(PAUSE_MS);
  }
}

class Watcher {
  constructor() {
    this.seen = new Set();
    this.numbers = new Map();
    this.problems = [];
    this.version = undefined;
  }

  async run() {
    const agent = newAgent();
    while (!isStopped) {
      try {
        if (this.version === undefined) await this.list(agent);
        await this.follow();
      } catch (error) {
        if (error.code !== undefined && error.code !== 410) await pause(PAUSE_MS);
        if (error.code === 410) this.version = undefined;
      }
      period.resumed += 1;
    }
  }

  async list(agent) {
    const { object } = await expect(send(agent, "GET", `${MAPS}?labelSelector=${LABEL}`), [200]);
    period.listed += 1;
    for (const item of object.items) this.take(item);
    this.version = object.metadata.resourceVersion;
  }

  follow() {
    return new Promise((resolve, reject) => {
      // A watch that ends in the middle of a line is resumed from the last whole one.
      const path = `${MAPS}?watch=1&labelSelector=${LABEL}&allowWatchBookmarks=true&resourceVersion=${this.version}`;
      const asked = open(newAgent(), "GET", path);
      let timer;
      const expectMore = () => {
        clearTimeout(timer);
        timer = setTimeout(() => asked.destroy(new Error("silent")), WATCH_SILENCE_MS);
      };
      const end = (error) => {
        clearTimeout(timer);
        asked.destroy();
        if (error === undefined) resolve();
        else reject(error);
      };
      expectMore();
      asked.once("error", end);
      asked.once("response", (answer) => {
        if (answer.statusCode !== 200) {
          answer.resume();
          return end(Object.assign(new Error(`watch: ${answer.statusCode}`), { code: answer.statusCode }));
        }
        let text = "";
        answer.setEncoding("utf8").on("data", (piece) => {
          expectMore();
          text += piece;
          const lines = text.split("\n");
          text = lines.pop();
          for (const line of lines) {
            const { type, object } = JSON.parse(line);
            if (type === "ERROR") return end(Object.assign(new Error(object.message), { code: object.code }));
            if (type !== "BOOKMARK") this.take(object);
            this.version = object.metadata.resourceVersion;
          }
        });
        answer.once("error", end);
        answer.once("close", () => end(undefined));
      });
    });
  }

  take({ metadata: { name }, data: { number } = {} }) {
    this.seen.add(name);
    const [last = -1, next] = [this.numbers.get(name), Number(number)];
    if (next < last) this.problems.push(`${name} went from ${last} back to ${next}`);
    this.numbers.set(name, Math.max(last, next));
  }
}

const watchers = Array.from({ length: WATCHERS }, () => new Watcher());

function endPeriod() {
  const now = performance.now();
  const {
    begins,
    lastWrite,
    lastRead,
    writeGapMs,
    readGapMs,
    requests,
    failures,
    reasons,
    first,
    staleReads,
    resumed,
    listed,
  } = period;
  period = newPeriod();
  return {
    seconds: (now - begins) / 1000,
    ...{ requests, failures, reasons, first, staleReads, resumed, listed },
    writeGapMs: Math.max(writeGapMs, now - lastWrite),
    readGapMs: Math.max(readGapMs, now - lastRead),
  };
}

/** The watchers have time to receive what was written. */
async function check() {
  const numbers = [...acknowledged];
  const names = [...created];
  const agent = newAgent();
  let object;
  await until(async () => {
    const answer = await send(agent, "GET", `${MAPS}?labelSelector=${LABEL}`).catch(() => undefined);
    object = answer?.code === 200 ? answer.object : undefined;
    return object !== undefined;
  });
  const stored = new Map(object.items.map(({ metadata, data }) => [metadata.name, Number(data.number)]));
  const lost = [
    ...names.filter((name) => !stored.has(name)),
    ...numbers.flatMap((number, index) =>
      (stored.get(`writer-${index}`) ?? -1) < number ? [`writer-${index}=${number}`] : [],
    ),
  ];
  let unseen = [];
  for (let tries = 0; tries < 200; tries += 1) {
    unseen = watchers.flatMap(({ seen, numbers: known }, at) => [
      ...names.filter((name) => !seen.has(name)).map((name) => `watcher ${at}: ${name}`),
      ...numbers.flatMap((number, index) =>
        (known.get(`writer-${index}`) ?? -1) < number ? [`watcher ${at}: writer-${index}=${number}`] : [],
      ),
    ]);
    if (unseen.length === 0) break;
    await pause(100);
  }
  return {
    acknowledged: names.length,
    lost: lost.slice(0, KEPT_FAILURES),
    unseen: unseen.slice(0, KEPT_FAILURES),
    disorder: watchers.flatMap(({ problems }) => problems).slice(0, KEPT_FAILURES),
  };
}

for (let index = 0; index < WRITERS; index += 1) void write(index);
for (let index = 0; index < READERS; index += 1) void read(index);
for (const watcher of watchers) void watcher.run();

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
createInterface({ input: process.stdin }).on("line", async (line) => {
  if (line === "begin") {
    period = newPeriod();
    answer({});
  } else if (line === "end") answer(endPeriod());
  else if (line === "check") answer(await check());
});
process.stdin.once("end", () => {
  isStopped = true;
  process.exit(0);
});
