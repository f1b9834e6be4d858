// The yardstick: a bare node:https server in a process of its own that gives back bytes it was given.
import { createServer } from "node:https";

const held = new Set(); // answers of watches
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

function start({ cert, key }) {
  const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
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
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
}
