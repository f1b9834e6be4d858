// Preloaded into a server (`node --require`). Sends the maximum event loop delay since the last query, in milliseconds,
// to each client of the socket `LOOP_WATCH`. The server's own metric is rendered at most once a second.
const { createServer } = require("node:net");
const { monitorEventLoopDelay } = require("node:perf_hooks");
const { isMainThread } = require("node:worker_threads");

/** Interval of the measuring timer. Every measurement includes it. */
const RESOLUTION_MS = 5;
const { LOOP_WATCH } = process.env;

if (isMainThread && LOOP_WATCH !== undefined) {
  delete process.env.LOOP_WATCH; // child processes are not measured
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const socket = createServer((asked) => {
    asked.end(String(Math.max(0, delay.max / 1e6 - RESOLUTION_MS)));
    delay.reset();
  });
  socket.listen(LOOP_WATCH);
  socket.unref();
}
