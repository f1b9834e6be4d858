// `orch export` of many objects from a server of one vocabulary, and `orch import` into one of the other and back: time and
// peak memory of the command, with an import that is killed in the middle. The objects that come back must be equal.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";
import { tlsOptions } from "./connection.mjs";
import { movedObjects } from "./moved-objects.mjs";
import { peakMebibytes } from "./process-figures.mjs";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/orch.js", import.meta.url));
const CONNECTIONS = 16;
const LOOK_MS = 20;
const MOST_MEBIBYTES = 250;

export const exportImportScenario = (objects, definitions) => ({
  fresh: false,
  onDemand: true,
  async run(bench) {
    const work = mkdtempSync(join(tmpdir(), "orch-move-"));
    try {
      const start = (vocabulary) =>
        bench.startServer([
          `--vocabulary=${vocabulary}`,
          "--emulated-release=1.36",
          "--service-cluster-ip-range=10.96.0.0/16",
        ]);
      const [first, between, last] = [await start("kubernetes"), await start("orch"), await start("kubernetes")];
      const created = await fill(first, movedObjects(vocabularyOf("kubernetes"), { objects, definitions }));
      const run = (server, words, options) => runOrch(join(work, "home"), server, words, options);
      const folder = join(work, "first");
      const out = await run(first, ["export", folder]);
      const killed = await run(between, ["import", folder], { killedWhen: () => journalLines(folder) >= created });
      const rest = await run(between, ["import", folder]);
      if (!/continues/.test(rest.stdout) || /failed/.test(rest.stdout)) throw new Error(rest.stdout + rest.stderr);
      const file = join(work, "between.jsonl");
      const lines = await run(between, ["export", file]);
      const back = await run(last, ["import", file]);
      await run(last, ["export", join(work, "last")]);
      const [one, other] = [contentsOf(folder), contentsOf(join(work, "last"))];
      const differing = [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));
      const mebibytes = Math.max(...[out, killed, rest, lines, back].map((each) => each.mebibytes));
      const text = (what, { milliseconds, mebibytes: peak }) =>
        `${what}: ${(milliseconds / 1000).toFixed(1)} s, ${peak.toFixed(0)} MiB at most`;
      return {
        ours: { milliseconds: out.milliseconds, mebibytes },
        notes: [
          `${one.size} objects exported, ${created} of them of ${kindsOf(folder)} resources created before`,
          text("export to a folder of YAML", out),
          text("import, killed in the middle", killed),
          text("the same import, continued", rest),
          text("export to one file", lines),
          text("import of that file", back),
          `${differing.length} objects differ after the way there and back${differing.length > 0 ? `: ${differing.slice(0, 5)}` : ""}`,
          `memory ${mebibytes <= MOST_MEBIBYTES ? "within" : "beyond"} ${MOST_MEBIBYTES} MiB`,
        ],
      };
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
});

/** Creates the objects, those of a resource in parallel. @returns their number */
async function fill({ target }, made) {
  const agent = new Agent({ ...tlsOptions(target), keepAlive: true, maxSockets: CONNECTIONS });
  const owners = new Map();
  const create = async ({ apiVersion, resource, kind, namespace, ownerResource, object }) => {
    const key = (of) => `${of} ${namespace} ${object.metadata.name}`;
    const owner = ownerResource && owners.get(key(ownerResource));
    const metadata = { ...object.metadata, ...(owner && { ownerReferences: [owner] }) };
    const root = `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
    const path = `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}`;
    const body = JSON.stringify({ apiVersion, kind, ...object, metadata });
    for (;;) {
      const { status, text } = await send(agent, target, path, body);
      if (status === 201) {
        const { uid, name } = JSON.parse(text).metadata;
        owners.set(key(resource), { apiVersion, kind, name, uid });
        return;
      }
      // The definition is not served yet.
      if (status !== 404) throw new Error(`${path}: ${text}`);
      await sleep(LOOK_MS);
    }
  };
  const all = [...made];
  let at = 0;
  while (at < all.length) {
    const { resource } = all[at];
    const end = all.findIndex((each, index) => index > at && each.resource !== resource);
    const ofResource = all.slice(at, end === -1 ? undefined : end);
    at += ofResource.length;
    const iterator = ofResource.values();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (const each of iterator) await create(each);
      }),
    );
  }
  agent.destroy();
  return all.length;
}

function send(agent, target, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request({ ...tlsOptions(target), agent, path, method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      answer.once("end", () => resolve({ status: answer.statusCode, text }));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Runs the command as the administrator. @param killedWhen kills the command when it returns true */
async function runOrch(home, { target }, words, { killedWhen } = {}) {
  const files = ["ca", "cert", "key"].map((name) => {
    const path = `${home}-${target.port}-${name}.pem`;
    writeFileSync(path, target[name], { mode: 0o600 });
    return path;
  });
  const startedAt = performance.now();
  const child = spawn(process.execPath, [
    PROGRAM,
    `--server=https://127.0.0.1:${target.port}`,
    `--certificate-authority=${files[0]}`,
    `--client-certificate=${files[1]}`,
    `--client-key=${files[2]}`,
    `--cache-dir=${home}`,
    ...words,
  ]);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (piece) => {
      texts[name] += piece;
    });
  }
  const ended = new Promise((resolve) => child.once("close", resolve));
  let mebibytes = 0;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    try {
      mebibytes = Math.max(mebibytes, peakMebibytes(child.pid));
    } catch {
      // The process has just ended.
    }
    if (killedWhen?.() === true) child.kill("SIGKILL");
    await sleep(LOOK_MS);
  }
  const code = await ended;
  if (code !== 0 && killedWhen === undefined) throw new Error(`orch ${words.join(" ")}: ${texts.stderr}`);
  return { ...texts, mebibytes, milliseconds: performance.now() - startedAt };
}

function journalLines(folder) {
  const name = readdirSync(folder).find((each) => each.endsWith(".journal"));
  return name === undefined ? 0 : readFileSync(join(folder, name), "utf8").split("\n").length;
}

const kindsOf = (folder) => readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory()).length;

/** Returns a hash of each object, without what belongs to its server. */
function contentsOf(folder, within = "", found = new Map()) {
  for (const entry of readdirSync(join(folder, within), { withFileTypes: true })) {
    const path = join(within, entry.name);
    if (entry.isDirectory()) contentsOf(folder, path, found);
    else if (entry.name.endsWith(".yaml")) found.set(path, hashOf(readFileSync(join(folder, path), "utf8")));
  }
  return found;
}

/** Lines that each server writes differently: identities, times, versions, addresses and the status. */
const OF_SERVER =
  /^ *(?:- )?(?:uid|resourceVersion|creationTimestamp|generation|clusterIP|\S*controller-uid): .*\n|^ *clusterIPs:\n(?: *- .*\n)+|^status:\n(?:[ -].*\n)*/gm;

const hashOf = (text) => createHash("sha256").update(text.replaceAll(OF_SERVER, "")).digest("hex");
