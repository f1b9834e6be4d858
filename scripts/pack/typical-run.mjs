// Runs a server with its controllers in this process, as `orch up` does, and sends it typical requests.
import fs, { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import up from "../../packages/cli/dist/commands/server/up/default-flags.js";
import { freePort } from "../free-port.mjs";
import { packed } from "./loader.mjs";
import { typicalRequests } from "./typical-requests.mjs";

const LOOK_MS = 20;

/** @param ready called when the server is ready, before its controllers start */
export async function runTypically(ready = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), "orch-pack-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  process.argv.splice(
    1,
    process.argv.length,
    "orch-standalone",
    ...[`--data-dir=${folder}`, `--secure-port=${port}`, ...up.DEFAULT_FLAGS],
  );
  whenLogged('"message":"ready"', ready);
  packed(join(packed.PACKAGES, "standalone/dist/program/main.js"));
  while (!existsSync(join(folder, "admin.kubeconfig"))) await pause(LOOK_MS);
  await typicalRequests(asking(folder, port));
}

/** Calls back while a text is written to the log, to a file or to a pipe. */
function whenLogged(text, callback) {
  const intercept = (holder, method, place) => {
    const write = holder[method];
    holder[method] = function (...words) {
      if (String(words[place]).includes(text)) callback();
      return write.apply(this, words);
    };
  };
  intercept(fs, "writeSync", 1);
  intercept(process.stderr, "write", 0);
}

function asking(folder, port) {
  const pki = (name) => readFileSync(join(folder, "pki", name));
  const tls = { ca: pki("ca.crt"), cert: pki("admin.crt"), key: pki("admin.key") };
  return (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const asked = request(
        `https://127.0.0.1:${port}${path}`,
        { ...tls, method, headers: { "content-type": "application/json", ...headers } },
        (answer) => answer.resume().once("end", () => resolve(answer.statusCode)),
      );
      asked.once("error", reject).end(typeof body === "object" ? JSON.stringify(body) : body);
    });
}
