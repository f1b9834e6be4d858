// Runs in a project that has the test server installed. The word `starts` measures times, `many` the memory of many
// servers, `growth` that of one server which is reset again and again.
const began = performance.now();
const { startServer } = require("@orch/test-server");
const { setTimeout: pause } = require("node:timers/promises");

const SERVERS = 20;
const MIB = 1024 * 1024;
const SETTLE_MS = 3000;
const FIRST_WORK_MS = 45_000;

async function changes(server, count) {
  for (let number = 0; number < count; number += 1)
    await server.applyManifests({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `map-${number}` } });
}

async function starts() {
  const first = await startServer();
  const coldMs = performance.now() - began;
  await pause(SETTLE_MS);
  const warmAt = performance.now();
  const second = await startServer();
  await second.client.getText("/readyz");
  const warmMs = performance.now() - warmAt;
  await pause(SETTLE_MS);
  await changes(second, 10);
  const resetAt = performance.now();
  await second.reset();
  const resetMs = performance.now() - resetAt;
  const stopAt = performance.now();
  await second.stop();
  const stopMs = performance.now() - stopAt;
  await first.stop();
  return { coldMs, warmMs, resetMs, stopMs };
}

async function kept() {
  // Buffers are freed beside the program after a collection.
  for (let round = 0; round < 2; round += 1) {
    gc();
    await pause(SETTLE_MS);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

/** Numbers of resets after which the memory is measured. */
const RESETS = [10, 100, 1000, 5000];

async function growth() {
  const server = await startServer();
  // The garbage collector reads the kinds of the server again after half a minute.
  await pause(FIRST_WORK_MS);
  const sizes = [];
  for (let round = 1; round <= RESETS.at(-1); round += 1) {
    await changes(server, 3);
    await server.reset();
    if (!RESETS.includes(round)) continue;
    sizes.push({ resets: round, mebibytes: await kept() });
  }
  await server.stop();
  return sizes;
}

async function many() {
  const first = await startServer();
  await pause(SETTLE_MS);
  gc();
  const alone = process.memoryUsage().rss;
  const others = [];
  for (let number = 1; number < SERVERS; number += 1) others.push(await startServer());
  await pause(SETTLE_MS);
  gc();
  const mebibytesEach = (process.memoryUsage().rss - alone) / MIB / others.length;
  for (const server of [first, ...others]) await server.stop();
  return { servers: SERVERS, mebibytesEach };
}

const WORK = { starts, many, growth };
WORK[process.argv[2]]().then((figures) => console.log(JSON.stringify(figures)));
