// Preloaded into a server (`node --require`). A request can trigger an error that escapes every handler of the server.
const http2 = require("node:http2");

const { createSecureServer } = http2;

/** Faults by the value of the header `x-mistake`. */
const MISTAKES = {
  data: (request) => request.on("data", fail),
  end: (request) => request.on("end", fail),
  close: (_request, response) => response.on("close", fail),
  tick: (request) => process.nextTick((_request) => fail(), request),
  // These errors cannot be attributed to a request.
  timer: () => setTimeout(fail, 1),
  promise: () => void Promise.reject(new Error("a mistake")),
};

function fail() {
  throw new Error("a mistake");
}

http2.createSecureServer = (...options) => {
  const server = createSecureServer(...options);
  server.on("request", (request, response) => MISTAKES[request.headers["x-mistake"]]?.(request, response));
  return server;
};
