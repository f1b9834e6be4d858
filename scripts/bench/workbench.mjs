// Processes of a benchmark: a store, the server, the load process and the bare server.
import { fork, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { issueCertificate } from "../certificates.mjs";
import { freePort } from "../free-port.mjs";
import { tlsOptions } from "./connection.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const START_TIMEOUT_MS = 60_000;
const PLUGINS = "--disable-admission-plugins";
const MODES = "--authorization-mode";

export class Workbench {
  #directory = join(repository, ".orch/bench");
  #processes = [];
  #store;
  #workers;
  #etcds = new Map();
  #users = new Map();

  /** @param store "etcd", "embedded" or "memory" @param workers number of processes of each server */
  constructor(store, { workers = "1" } = {}) {
    this.#store = store;
    this.#workers = workers;
    rmSync(this.#directory, { recursive: true, force: true });
    mkdirSync(this.#directory, { recursive: true });
    const certificates = join(this.#directory, "certificates");
    this.serving = issueCertificate(certificates, { name: "apiserver", hosts: ["127.0.0.1"] });
    this.admin = issueCertificate(certificates, { name: "admin", organizations: ["system:masters"] });
    process.once("exit", () => {
      for (const child of this.#processes) child.kill("SIGKILL");
    });
  }

  /**
   * Returns the target of a server on a port, as text.
   * @param user `name` and `organizations`; absent: the administrator
   */
  target(port, user) {
    const { ca, cert, key } = user === undefined ? this.admin : this.#issued(user);
    const read = (file) => readFileSync(file, "utf8");
    return { port, ca: read(ca), cert: read(cert), key: read(key) };
  }

  #issued(user) {
    const known = this.#users.get(user.name) ?? issueCertificate(join(this.#directory, "certificates"), user);
    this.#users.set(user.name, known);
    return known;
  }

  /** Returns the target for another user. @param subject subject of the client certificate */
  targetOf({ port, ca }, subject) {
    const { cert, key } = issueCertificate(join(this.#directory, "certificates"), subject);
    return { port, ca, cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }

  /** Whether several servers can share one store. */
  get isShared() {
    return this.#store === "etcd";
  }

  /**
   * Starts a server and resolves once /readyz answers 200.
   * @param store name of the server whose store is used; absent: a store of its own
   * @param flags additional flags
   */
  async startServer(name, { store = name, flags = [] } = {}) {
    const directory = join(this.#directory, name);
    if (this.isShared && !this.#etcds.has(store)) this.#etcds.set(store, await this.#startEtcd(store));
    const storeFlags = this.isShared ? [`--etcd-servers=${this.#etcds.get(store).url}`] : [`--store=${this.#store}`];
    const port = await freePort();
    const startedAt = performance.now();
    const child = this.#start(name, process.execPath, [
      join(repository, "packages/apiserver-program/dist/main.js"),
      ...storeFlags,
      `--data-dir=${directory}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--tls-cert-file=${this.serving.cert}`,
      `--tls-private-key-file=${this.serving.key}`,
      `--client-ca-file=${this.serving.ca}`,
      ...(flags.some((flag) => flag.startsWith(MODES)) ? [] : [`${MODES}=RBAC`]),
      ...(this.#workers === "1" ? [] : [`--workers=${this.#workers}`]),
      // The ServiceAccount plugin is disabled, because no controller creates accounts.
      ...(flags.some((flag) => flag.startsWith(PLUGINS)) ? [] : [`${PLUGINS}=ServiceAccount`]),
      ...flags,
    ]);
    const target = this.target(port);
    await this.#untilOk(child, () => this.status(target, "/readyz"), 2);
    const readyMs = performance.now() - startedAt;
    await this.#untilAllServe(name);
    return { pid: child.pid, child, target, store, readyMs };
  }

  /** Waits until every worker has logged that it is ready; the first worker answers before the others have started. */
  async #untilAllServe(name) {
    const count = this.#workers === "auto" ? availableParallelism() : Number(this.#workers);
    const log = join(this.#directory, `${name}.log`);
    while (readFileSync(log, "utf8").split('"message":"ready"').length <= count) await sleep(20);
  }

  /** Starts a controller manager with the default controllers, as a user with full rights. Does not wait for it. */
  startManager({ target: { port, ca, cert, key } }, flags = []) {
    const text = (value) => Buffer.from(value).toString("base64");
    const kubeconfig = join(this.#directory, "manager.kubeconfig");
    const server = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": text(ca) };
    const user = { "client-certificate-data": text(cert), "client-key-data": text(key) };
    const configuration = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "bench", cluster: server }],
      users: [{ name: "bench", user }],
      contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
      "current-context": "bench",
    };
    writeFileSync(kubeconfig, JSON.stringify(configuration));
    return this.#start("manager", process.execPath, [
      join(repository, "packages/controllers/dist/main.js"),
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0",
      ...flags,
    ]);
  }

  async stop(child) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  /** Stops a store that no server uses any more. */
  async stopStore(store) {
    const etcd = this.#etcds.get(store);
    this.#etcds.delete(store);
    if (etcd !== undefined) await this.stop(etcd.child);
  }

  async #startEtcd(name) {
    const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
    const child = this.#start(`${name}-etcd`, resolve(repository, ".tools/bin/etcd"), [
      `--data-dir=${join(this.#directory, `${name}-etcd`)}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      "--logger=zap",
      "--log-level=warn",
    ]);
    const healthy = () =>
      fetch(`${client}/health`).then(
        (answer) => answer.status,
        () => 0,
      );
    await this.#untilOk(child, healthy, 50);
    return { url: client, child };
  }

  #start(name, program, args) {
    const log = openSync(join(this.#directory, `${name}.log`), "a");
    const child = spawn(program, args, { stdio: ["ignore", log, log] });
    this.#processes.push(child);
    return child;
  }

  async #untilOk(child, ask, pauseMs) {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while ((await ask()) !== 200) {
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(
          `${child.spawnargs.slice(0, 2).join(" ")} did not become ready; its log is in ${this.#directory}`,
        );
      }
      await sleep(pauseMs);
    }
  }

  status(target, path) {
    return this.fetch(target, path).then(
      (answer) => answer.status,
      () => 0,
    );
  }

  /** Sends one request on a new connection. */
  fetch(target, path, { method = "GET", body, accept = "application/json" } = {}) {
    return new Promise((resolve, reject) => {
      const bearer = target.token === undefined ? {} : { authorization: `Bearer ${target.token}` };
      const content = body === undefined ? {} : { "content-type": "application/json" };
      const headers = { accept, ...bearer, ...content };
      const options = { ...tlsOptions(target), path, method, headers, agent: false, timeout: 60_000 };
      const sent = request(options, (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.once("end", () => resolve({ status: answer.statusCode, body: Buffer.concat(chunks) }));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  /** Starts the load process; `load(task, order)` gives it one task and waits for the figures. */
  startLoad() {
    const child = fork(fileURLToPath(new URL("load.mjs", import.meta.url)));
    this.#processes.push(child);
    return async (task, order) => {
      const { result, error } = await exchange(child, { task, ...order });
      if (error !== undefined) throw new Error(error);
      return result;
    };
  }

  /** Starts the bare server; `give(order)` sets the bytes that it returns. */
  async startBaseline() {
    const child = fork(fileURLToPath(new URL("baseline-server.mjs", import.meta.url)));
    this.#processes.push(child);
    const tls = { cert: readFileSync(this.serving.cert, "utf8"), key: readFileSync(this.serving.key, "utf8") };
    const { port, http2Port } = await exchange(child, { tls });
    const [target, http2Target] = [port, http2Port].map((each) => this.target(each));
    return { pid: child.pid, target, http2Target, give: (order) => exchange(child, order) };
  }
}

function exchange(child, message) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`${child.spawnfile} ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (answer) => {
      child.off("exit", ended);
      resolve(answer);
    });
    child.send(message);
  });
}
