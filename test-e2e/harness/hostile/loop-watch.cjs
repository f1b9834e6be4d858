// Loaded into a server before its program (`node --require`): tells whoever connects to the socket `LOOP_WATCH` for how long, in
// milliseconds, its event loop stood still since somebody asked last. The server's own metric is rendered at most once a second.
const { createServer } = require("node:net");
const { monitorEventLoopDelay } = require("node:perf_hooks");
const { isMainThread } = require("node:worker_threads");

/** The measuring timer itself, which every measurement holds. */
const RESOLUTION_MS = 5;
const { LOOP_WATCH } = process.env;

if (isMainThread && LOOP_WATCH !== undefined) {
  delete process.env.LOOP_WATCH; // processes that it starts are not meant
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const socket = createServer((asked) => {
    asked.end(String(Math.max(0, delay.max / 1e6 - RESOLUTION_MS)));
    delay.reset();
  });
  socket.listen(LOOP_WATCH);
  socket.unref();
}
