// Measures the time from the call of startServer(), with the modules already imported, to a response of /readyz: for
// the first server of a process and for the second.

import { get } from "node:https";
import { createRequire } from "node:module";

const { startServer } = createRequire(import.meta.url)("../../packages/apiserver");

async function start() {
  const startedAt = performance.now();
  const server = await startServer({});
  const elapsedMs = performance.now() - startedAt;
  const status = await new Promise((resolve, reject) =>
    get(`${server.url}/readyz`, { ca: server.ca, agent: false }, (answer) => resolve(answer.resume().statusCode)).once(
      "error",
      reject,
    ),
  );
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
  return { server, elapsedMs };
}

const first = await start();
const second = await start();
console.log(JSON.stringify({ firstMs: first.elapsedMs, secondMs: second.elapsedMs }));
await Promise.all([first.server.stop(), second.server.stop()]);
process.exit(0);
