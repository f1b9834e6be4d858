// Times startServer() from an import that has been done to an answer of /readyz: the first server of a process, then a second.

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
