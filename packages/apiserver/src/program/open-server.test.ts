import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { defaultsOf } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { ManualClock } from "@orch/testing";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { settingsOf } from "../flags/settings";
import { SILENT } from "../logging/logger";
import { type OpenedServer, openServer } from "./open-server";

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
  const config = {
    ...defaults,
    "data-dir": folder,
    store: "memory",
    "bind-address": "127.0.0.1",
    "secure-port": 0,
    ...flags,
  };
  opened = await openServer({ config, settings: settingsOf(config, vocabulary), vocabulary, logger: SILENT, clock });
  await opened.server.listen();
  await opened.server.becomeReady();
}

test("the operator's and the manager's client files stay good, however long the server runs", async () => {
  const clock = new ManualClock(Date.now());
  await open(clock);
  expect(opened.greeting().kubeconfig).toContain("admin.kubeconfig");
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
  expect([opened.publicUrl(), opened.greeting().url]).toEqual([`https://${host}:${port}`, `https://127.0.0.1:${port}`]);
});
