// The baseline: a bare node:https server and a node:http2 server in a separate process that return fixed bytes.
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";

const held = new Set(); // open watch responses
let answer = Buffer.alloc(0);
let status = 200;
let event;

process.on("message", ({ tls, ...order }) => {
  status = order.status ?? 200;
  answer = Buffer.from(order.body ?? "", "base64");
  event = order.event === undefined ? undefined : Buffer.from(order.event, "base64");
  if (tls === undefined) process.send({});
  else start(tls);
});

async function start({ cert, key }) {
  const servers = [
    createServer({ cert, key, keepAliveTimeout: 60_000 }, answerTo),
    createSecureServer({ cert, key }, answerTo),
  ];
  const ports = servers.map(
    (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port))),
  );
  const [port, http2Port] = await Promise.all(ports);
  process.send({ port, http2Port });
}

function answerTo(request, response) {
  if (request.url.includes("watch=")) {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.flushHeaders();
    held.add(response);
    response.once("close", () => held.delete(response));
    return;
  }
  request.resume();
  request.once("end", () => {
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": answer.length });
    response.end(answer);
    if (request.method === "POST" && event !== undefined) for (const watch of held) watch.write(event);
  });
}
