// Starts of a control plane of a test environment: the programs of the test server's package, and the kube-apiserver and
// etcd of the folder ENVTEST_ASSETS, in turns, with the options that envtest of controller-runtime passes.
import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { issueCertificate } from "../certificates.mjs";
import { freePort } from "../free-port.mjs";
import { median } from "./in-turns.mjs";

const ROUNDS = 5;
const POLL_MS = 5;
/** Time after which a start has failed. */
const START_MS = 60_000;
const HOST = "127.0.0.1";
const OURS = "ours";
const THEIRS = "other";

export const envtestScenario = {
  fresh: false,
  onDemand: true,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "envtest-bench-"));
    try {
      const { [OURS]: ours, [THEIRS]: other, why } = assetsIn(folder);
      const figures = { [OURS]: [], [THEIRS]: [] };
      const kinds = other === undefined ? [OURS] : [OURS, THEIRS];
      // The first start of each reads its files from the disk, and ours compiles its code.
      for (let round = 0; round <= ROUNDS; round += 1)
        for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
          const assets = kind === OURS ? ours : other;
          figures[kind].push(await controlPlane(assets, join(folder, `${kind}-${round}`)));
        }
      return {
        ours: { milliseconds: summaryOf(figures[OURS]).startMs },
        ...(other && { other: { milliseconds: summaryOf(figures[THEIRS]).startMs } }),
        notes: [
          `the package: ${textOf(ours, figures[OURS])}`,
          other === undefined ? `no other programs: ${why}` : `${other}: ${textOf(other, figures[THEIRS])}`,
        ],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function assetsIn(folder) {
  const bundle = fileURLToPath(new URL("../bundle-test-server.mjs", import.meta.url));
  const tarball = execFileSync(process.execPath, [bundle, folder], { encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  const ours = join(folder, "package/orch-envtest/bin");
  const { ENVTEST_ASSETS: other } = process.env;
  if (other === undefined) return { [OURS]: ours, why: "ENVTEST_ASSETS names no folder with kube-apiserver and etcd" };
  const missing = ["kube-apiserver", "etcd"].find((name) => !existsSync(join(other, name)));
  if (missing !== undefined) return { [OURS]: ours, why: `there is no ${missing} in ${other}` };
  return { [OURS]: ours, [THEIRS]: other };
}

/** Starts etcd and then the API server, as envtest does, and stops them. The certificates exist before. */
async function controlPlane(assets, folder) {
  const [clientPort, peerPort, port] = await Promise.all([freePort(), freePort(), freePort()]);
  const certificates = join(folder, "certificates");
  const { cert, key, ca } = issueCertificate(certificates, { name: "apiserver", hosts: [HOST, "localhost"] });
  const keys = join(folder, "accounts");
  mkdirSync(keys);
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  writeFileSync(join(keys, "public.pem"), pair.publicKey);
  writeFileSync(join(keys, "private.pem"), pair.privateKey);
  const etcdUrl = `http://${HOST}:${clientPort}`;
  const began = performance.now();
  const etcd = start(join(assets, "etcd"), [
    ...[`--advertise-client-urls=${etcdUrl}`, `--listen-client-urls=${etcdUrl}`, `--data-dir=${join(folder, "etcd")}`],
    ...[`--listen-peer-urls=http://${HOST}:${peerPort}`, "--unsafe-no-fsync=true"],
  ]);
  await answers(plainRequest, `${etcdUrl}/health`, etcd);
  const etcdMs = performance.now() - began;
  const apiServer = start(join(assets, "kube-apiserver"), [
    ...["--allow-privileged=true", "--authorization-mode=RBAC", `--bind-address=${HOST}`, `--secure-port=${port}`],
    ...[`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`, `--client-ca-file=${ca}`],
    ...["--disable-admission-plugins=ServiceAccount", "--service-cluster-ip-range=10.0.0.0/24"],
    ...[`--etcd-servers=${etcdUrl}`, `--service-account-issuer=https://${HOST}:${port}/`],
    ...[`--service-account-key-file=${join(keys, "public.pem")}`],
    `--service-account-signing-key-file=${join(keys, "private.pem")}`,
  ]);
  await answers(secureRequest, `https://${HOST}:${port}/healthz`, apiServer);
  const startMs = performance.now() - began;
  const stopAt = performance.now();
  for (const { child, ended } of [apiServer, etcd]) {
    child.kill("SIGTERM");
    await ended;
  }
  return { startMs, etcdMs, stopMs: performance.now() - stopAt };
}

function start(program, words) {
  const child = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (part) => {
    errors = `${errors}${part}`.slice(-2000);
  });
  return { child, ended: once(child, "exit"), errors: () => errors };
}

/** Asks again and again until the answer is 200. */
async function answers(request, url, { child, errors }) {
  const began = performance.now();
  while (!(await isHealthy(request, url))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended:\n${errors()}`);
    if (performance.now() - began > START_MS) throw new Error(`${url} did not answer 200:\n${errors()}`);
    await pause(POLL_MS);
  }
}

const isHealthy = (request, url) =>
  new Promise((resolve) => {
    const sent = request(url, { agent: false, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    sent.on("error", () => resolve(false)).end();
  });

function summaryOf([, ...rounds]) {
  const of = (name) => median(rounds.map((figures) => figures[name]));
  return { startMs: of("startMs"), etcdMs: of("etcdMs"), stopMs: of("stopMs") };
}

function textOf(assets, rounds) {
  const version = execFileSync(join(assets, "kube-apiserver"), ["--version"], { encoding: "utf8" }).trim();
  const { startMs, etcdMs, stopMs } = summaryOf(rounds);
  const [first] = rounds;
  return `${version}: ready after ${startMs.toFixed(0)} ms (etcd ${etcdMs.toFixed(0)} ms), the first time ${first.startMs.toFixed(0)} ms; a stop takes ${stopMs.toFixed(0)} ms`;
}
