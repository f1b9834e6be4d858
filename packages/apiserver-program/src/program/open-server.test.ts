import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Logger } from "@orch/apiserver";
import { defaultsOf } from "@orch/machinery";
import { AGENT_CLIENT_USAGE, makeCertificate, NO_LOSSES, silentLog } from "@orch/platform";
import { vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig, settingsOf, withDependentDefaults } from "@orch/server-config";
import { ManualClock } from "@orch/testing";
import { type OpenedServer, openServer } from "./open-server";

const SILENT: Logger = { ...silentLog, logsRequests: false, access() {}, pass() {}, losses: NO_LOSSES };
const DAY_MS = 86_400_000;
const vocabulary = vocabularyOf("orch");

let folder: string;
let opened: OpenedServer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "open-server-"));
});
afterEach(async () => {
  await opened.stop();
  rmSync(folder, { recursive: true });
});

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Kubeconfig;
const inPlace = (text = "") => Buffer.from(text, "base64").toString();
const endOf = (certificate: string) => Date.parse(new X509Certificate(certificate).validTo);

async function open(clock: ManualClock, flags: Partial<ServerConfig> = {}): Promise<void> {
  const defaults = defaultsOf(SERVER_FLAGS) as ServerConfig;
  const given = { "data-dir": folder, store: "memory", "secure-port": 0, ...flags };
  const config = withDependentDefaults({ ...defaults, ...given }, new Set(Object.keys(given)));
  opened = await openServer({ config, settings: settingsOf(config, vocabulary), vocabulary, logger: SILENT, clock });
  await opened.server.listen();
  await opened.server.becomeReady();
}

test("the operator's and the manager's client files stay good, however long the server runs", async () => {
  const clock = new ManualClock(Date.now());
  await open(clock);
  expect(opened.startupMessage().kubeconfig).toContain("admin.kubeconfig");
  const managers = opened.writeManagerKubeconfig() ?? "";
  const admins = join(folder, "admin.kubeconfig");
  const before = readFileSync(admins, "utf8");
  for (let year = 0; year < 12; year += 1) {
    clock.leap(365 * DAY_MS);
    const admin = read(admins);
    const certificate = inPlace(admin.users[0]?.user["client-certificate-data"]);
    expect(endOf(certificate)).toBeGreaterThan(clock.now() + 20 * DAY_MS);
    expect(certificate).toBe(readFileSync(join(folder, "pki/admin.crt"), "utf8"));
    const authority = inPlace(admin.clusters[0]?.cluster["certificate-authority-data"]);
    expect(endOf(authority)).toBeGreaterThan(clock.now() + 300 * DAY_MS);
    const manager = read(managers).users[0]?.user ?? {};
    const file = resolve(dirname(managers), manager["client-certificate"] ?? "");
    expect(endOf(readFileSync(file, "utf8"))).toBeGreaterThan(clock.now() + 20 * DAY_MS);
  }
  expect(readFileSync(admins, "utf8")).not.toBe(before);
  expect([admins, managers].map((file) => statSync(file).mode & 0o077)).toEqual([0, 0]);
});

test("the manager's client file leads to files that the server takes", async () => {
  await open(new ManualClock(Date.now()));
  const path = opened.writeManagerKubeconfig() ?? "";
  const { clusters, users } = read(path);
  const text = (name = "") => readFileSync(resolve(dirname(path), name), "utf8");
  const { "client-certificate": cert, "client-key": key } = users[0]?.user ?? {};
  const { server = "", "certificate-authority": ca } = clusters[0]?.cluster ?? {};
  const code = await new Promise((done, fail) => {
    const options = { ca: text(ca), cert: text(cert), key: text(key), agent: false };
    request(`${server}/api/v1/namespaces`, options, (response) => done(response.resume().statusCode))
      .on("error", fail)
      .end();
  });
  expect(code).toBe(200);
});

test.each<[Partial<ServerConfig>, string]>([
  [{}, "127.0.0.1"],
  [{ "advertise-address": "192.0.2.7" }, "192.0.2.7"],
  [{ "bind-address": "0.0.0.0", "advertise-address": "2001:db8::7" }, "[2001:db8::7]"],
  [{ "advertise-address": "192.0.2.7", "external-hostname": "control.example" }, "control.example"],
])("with %j other machines find it at %s, and this one where it listens", async (flags, host) => {
  await open(new ManualClock(Date.now()), flags);
  const { port } = opened.server;
  expect([opened.publicUrl(), opened.startupMessage().url]).toEqual([
    `https://${host}:${port}`,
    `https://127.0.0.1:${port}`,
  ]);
});

test("the client certificate for node agents is not accepted by an API server", async () => {
  await open(new ManualClock(Date.now()), { "authorization-mode": ["RBAC"] });
  opened.startupMessage();
  const { port } = opened.server;
  // Another address of the API, such as a load balancer, which the server does not know.
  const byWay = createServer((socket) =>
    socket
      .on("error", () => {})
      .pipe(connect(port, "127.0.0.1"))
      .on("error", () => {})
      .pipe(socket),
  );
  await new Promise<void>((resolve) => byWay.listen(0, "127.0.0.1", resolve));
  const ask = asked(port, "admin");
  const Port = (byWay.address() as AddressInfo).port;
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  const node = { metadata: { name: "sly" }, status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port } } } };
  expect((await ask("POST", "/api/v1/nodes", node)).code).toBe(201);
  expect(await ask("GET", "/api/v1/nodes/sly/proxy/api/v1/secrets")).toMatchObject({ code: 401 });
  expect(await ask("POST", "/api/v1/nodes/sly/proxy/api/v1/namespaces", { metadata: { name: "taken" } })).toMatchObject(
    { code: 401 },
  );
  expect((await asked(port, "apiserver-to-agents")("GET", "/api/v1/nodes")).code).toBe(401);
  byWay.close();
});

test("agents that ask the API for what may be asked of them let the server in", async () => {
  await open(new ManualClock(Date.now()), { "authorization-mode": ["RBAC"] });
  opened.startupMessage();
  const { subject } = new X509Certificate(readFileSync(join(folder, "pki/apiserver-to-agents.crt")));
  expect(subject.split("\n").sort()).toEqual(["CN=apiserver-to-agents", "O=system:agent-clients"]);
  const allowed = async (resourceAttributes: object) => {
    const spec = { user: "apiserver-to-agents", groups: ["system:agent-clients"], resourceAttributes };
    const { text } = await asked(opened.server.port, "admin")(
      "POST",
      "/apis/authorization.orch.io/v1/subjectaccessreviews",
      { spec },
    );
    return JSON.parse(text).status.allowed;
  };
  const subresources = ["proxy", "log", "stats", "metrics"];
  for (const subresource of subresources) {
    for (const verb of ["get", "create"]) expect(await allowed({ verb, resource: "nodes", subresource })).toBe(true);
  }
  expect(await allowed({ verb: "get", resource: "secrets" })).toBe(false);
  expect(await allowed({ verb: "update", resource: "nodes" })).toBe(false);
});

test("an operator's serving certificate in the folder serves, and the client files of the server lead to it", async () => {
  const foreign = makeCertificate({
    ...{ subject: { commonName: "operator" }, usage: { kind: "authority" }, nowMs: Date.now() },
  });
  const names = ["api.example"];
  const pair = makeCertificate({
    ...{ subject: { commonName: "api" }, usage: { kind: "server", names }, issuer: foreign, nowMs: Date.now() },
  });
  const chain = pair.certificate + foreign.certificate;
  mkdirSync(join(folder, "certificates"));
  writeFileSync(join(folder, "certificates/apiserver.crt"), chain);
  writeFileSync(join(folder, "certificates/apiserver.key"), pair.key);
  await open(new ManualClock(Date.now()), { "cert-dir": join(folder, "certificates") });
  opened.startupMessage();
  for (const file of [join(folder, "admin.kubeconfig"), opened.writeManagerKubeconfig() ?? ""]) {
    const { clusters, users } = read(file);
    const { "certificate-authority-data": ca, "tls-server-name": servername } = clusters[0]?.cluster ?? {};
    const user = users[0]?.user ?? {};
    const text = (name: string) => readFileSync(resolve(dirname(file), user[name] ?? ""), "utf8");
    const shown =
      user["client-certificate"] === undefined
        ? { cert: inPlace(user["client-certificate-data"]), key: inPlace(user["client-key-data"]) }
        : { cert: text("client-certificate"), key: text("client-key") };
    const status = await new Promise((done, fail) => {
      const at = { host: "127.0.0.1", port: opened.server.port, path: "/api/v1/namespaces", agent: false };
      const sent = request({ ...at, ...shown, servername, ca: inPlace(ca) }, (answer) => {
        answer.resume();
        done(answer.statusCode);
      });
      sent.on("error", fail);
      sent.end();
    });
    expect([servername, status]).toEqual(["api.example", 200]);
  }
  expect(readFileSync(join(folder, "certificates/apiserver.crt"), "utf8")).toBe(chain);
  expect(readFileSync(join(folder, "certificates/apiserver.key"), "utf8")).toBe(pair.key);
});

test("a certificate for agents of a former version, which was good for everything, is made anew", async () => {
  const issuer = makeCertificate({
    ...{ subject: { commonName: "apiserver-ca" }, usage: { kind: "authority" }, nowMs: Date.now() },
  });
  mkdirSync(join(folder, "pki"));
  writeFileSync(join(folder, "pki/ca.crt"), issuer.certificate);
  writeFileSync(join(folder, "pki/ca.key"), issuer.key);
  const subject = { commonName: "apiserver-to-agents", organizations: ["system:masters"] };
  const { certificate, key } = makeCertificate({ subject, usage: { kind: "client" }, issuer, nowMs: Date.now() });
  writeFileSync(join(folder, "pki/apiserver-to-agents.crt"), certificate);
  writeFileSync(join(folder, "pki/apiserver-to-agents.key"), key);
  await open(new ManualClock(Date.now()));
  const made = new X509Certificate(readFileSync(join(folder, "pki/apiserver-to-agents.crt")));
  expect(made.subject).not.toContain("system:masters");
  expect(made.keyUsage).toContain(AGENT_CLIENT_USAGE);
});

/** Sends requests as a user whose certificate the server keeps. */
function asked(port: number, user: string) {
  const of = (file: string) => readFileSync(join(folder, "pki", file));
  const tls = { ca: of("ca.crt"), cert: of(`${user}.crt`), key: of(`${user}.key`) };
  return (method: string, path: string, body?: object) =>
    new Promise<{ readonly code: number; readonly text: string }>((resolve, reject) => {
      const headers = { "content-type": "application/json", connection: "close" };
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false, ...tls }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => resolve({ code: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
      });
      sent.on("error", reject);
      sent.end(body && JSON.stringify(body));
    });
}
