// A user's workload as a separate process, so that the load of an attacker's process is not measured with it. Creates,
// reads and deletes ConfigMaps on a few kept-alive connections. Arguments: origin, certificates folder, name, path of
// the collection, rounds. SIGUSR2 starts a new measuring period, after the program has reported that it works. SIGTERM
// ends the program after the given number of rounds on each connection; it then prints the results.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";

const [origin, folder, user, path, roundsText] = process.argv.slice(2);
const CONNECTIONS = 4;
const TIMEOUT_MS = 60_000;
const read = (file) => readFileSync(join(folder, file));
const tls = { ca: read("ca.crt"), cert: read(`${user}.crt`), key: read(`${user}.key`) };
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ...tls });

const complaints = [];
/** Durations of each measuring period. */
const waits = [[]];
let rounds = 0;
let isOver = false;
process.on("SIGUSR2", () => {
  waits.push([]);
  rounds = 0;
});
process.on("SIGTERM", () => {
  isOver = true;
});

/** @returns the status and the body; 0 and the reason when no complete response arrives */
function send(method, target, body) {
  return new Promise((resolve) => {
    const failed = ({ message }) => resolve({ status: 0, text: message });
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const options = { method, agent, headers, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const sent = request(new URL(target, origin), options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece) => {
        text += piece;
      });
      answer.once("error", failed);
      answer.once("end", () => resolve({ status: answer.statusCode, text }));
    });
    sent.once("error", failed);
    sent.end(body);
  });
}

async function ask(method, target, body) {
  const startedAt = performance.now();
  const { status, text } = await send(method, target, body);
  waits.at(-1).push(performance.now() - startedAt);
  if (status < 200 || status > 299) complaints.push(`${method} ${target}: ${status} ${text.slice(0, 200)}`);
}

let made = 0;
console.log("working");
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver || rounds < Number(roundsText) * CONNECTIONS) {
      const name = `made-by-${process.pid}-${made++}`;
      await ask("POST", path, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }));
      await ask("GET", `${path}/${name}`);
      await ask("DELETE", `${path}/${name}`);
      rounds += 1;
    }
  }),
);
agent.destroy();

/** Summarizes durations in milliseconds. */
function figures(all) {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return { requests: sorted.length, p50: at(0.5), p99: at(0.99) };
}
console.log(JSON.stringify({ complaints, waits: waits.map(figures) }));
