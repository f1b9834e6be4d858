// Audit log files with rotation by size, and an audit webhook that is temporarily away.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { AuditReceiver, type KeptEvent } from "./harness/audit-receiver";
import { configMapsPath } from "./harness/config-maps";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

interface Rule {
  readonly level: string;
  readonly [field: string]: unknown;
}

const policyText = (rules: readonly Rule[], group = "audit.orch.io"): string =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: "Policy", omitStages: ["RequestReceived"], rules });

function policyFile(rules: readonly Rule[], group?: string): string {
  const path = join(workplace.folder(), "policy.json");
  writeFileSync(path, policyText(rules, group));
  return path;
}

const eventsIn = (text: string): KeptEvent[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as KeptEvent);

const kept = (path: string): KeptEvent[] => eventsIn(existsSync(path) ? readFileSync(path, "utf8") : "");

const untilKept = (path: string, what: string, is: (event: KeptEvent) => boolean): Promise<KeptEvent> =>
  eventually(what, async () => kept(path).find(is));

const map = (name: string, data: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

test("each rule of the policy decides how much of whose requests is in the file", async () => {
  const folder = workplace.folder();
  const log = join(folder, "deep", "audit.log");
  const policy = policyFile(
    [
      { level: "None", nonResourceURLs: ["/readyz*", "/api*", "/openapi*", "/version"] },
      { level: "Metadata", resources: [{ group: "", resources: ["secrets"] }] },
      { level: "RequestResponse", verbs: ["create"], resources: [{ group: "", resources: ["configmaps"] }] },
      { level: "Request", verbs: ["patch"], namespaces: ["default"] },
      { level: "None", verbs: ["get", "list"] },
      { level: "Metadata" },
    ],
    "audit.k8s.io",
  );
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-changed-fields=true"];
  const { server, client } = await startWithKubectl(workplace, { name: "rules", flags });
  await client.print(["create", "configmap", "one", "--from-literal=a=b"]);
  await client.print(["patch", "configmap", "one", "--type=merge", "-p", '{"data":{"a":"c","d":"e"}}']);
  await client.print(["create", "secret", "generic", "mine", "--from-literal=password=hunter2"]);
  await client.print(["get", "configmaps"]);
  const stranger = server.client({ ...server.authority.anonymous(), token: "guessed-token" });
  expect((await stranger.post("/api/v1/nodes?access_token=also-guessed", {})).status).toBe(401);
  const viewer = server.client({ ...server.authority.anonymous(), token: "viewer-token" });
  const refused = { metadata: { name: "no" } };
  expect((await viewer.post("/api/v1/namespaces", refused)).status).toBe(403);
  await client.print(["delete", "configmap", "one"]);
  const deleted = await untilKept(log, "the deletion is kept", ({ verb }) => verb === "delete");
  await server.stop();

  const events = kept(log);
  const of = (verb: string, resource: string) =>
    events.filter((event) => event.verb === verb && event.objectRef?.["resource"] === resource);
  expect(new Set(events.map(({ stage }) => stage))).toEqual(new Set(["ResponseComplete", "ResponseStarted"]));
  expect(events.filter(({ requestURI }) => requestURI.startsWith("/readyz"))).toEqual([]);
  expect(of("get", "configmaps").concat(of("list", "configmaps"))).toEqual([]);

  const [created] = of("create", "configmaps");
  expect(created).toMatchObject({
    level: "RequestResponse",
    user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    objectRef: { resource: "configmaps", namespace: "default", name: "one", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { kind: "ConfigMap", data: { a: "b" } },
    responseObject: { kind: "ConfigMap", metadata: { uid: expect.any(String) } },
    requestReceivedTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    annotations: { "authorization.k8s.io/decision": "allow" },
  });
  const [patched] = of("patch", "configmaps");
  expect(patched).toMatchObject({ level: "Request", requestObject: { data: { a: "c", d: "e" } } });
  expect(patched).not.toHaveProperty("responseObject");
  expect(JSON.parse(patched?.annotations?.["audit.k8s.io/changed-fields"] ?? "{}")).toEqual({
    paths: [".data.a", ".data.d"],
    more: 0,
  });
  const [secret] = of("create", "secrets");
  expect(secret?.level).toBe("Metadata");
  expect(deleted.objectRef).toMatchObject({ name: "one" });
  const unknown = events.find(({ responseStatus }) => responseStatus?.code === 401);
  expect(unknown).toMatchObject({
    stage: "ResponseStarted",
    user: {},
    responseStatus: { code: 401, message: "Authentication failed, attempted: bearer, access_token" },
  });
  const forbidden = events.find(({ responseStatus }) => responseStatus?.code === 403);
  expect(forbidden).toMatchObject({
    user: { username: "viewer" },
    annotations: { "authorization.k8s.io/decision": "forbid" },
  });

  // Credentials, and content of the Request level only, do not appear.
  const text = readFileSync(log, "utf8");
  const password = Buffer.from("hunter2").toString("base64");
  for (const word of ["admin-token", "viewer-token", "guessed", "Bearer ", password]) expect(text).not.toContain(word);
}, 60_000);

test("a file that has its size is set aside; one that is taken away is begun anew", async () => {
  const folder = workplace.folder();
  const log = join(folder, "audit.log");
  const policy = policyFile([{ level: "RequestResponse", verbs: ["create"] }]);
  const server = await startApiServer(workplace, {
    name: "rotation",
    store: { kind: "memory" },
    flags: [
      ...[`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
      ...["--audit-log-maxsize=1", "--audit-log-maxbackup=2", "--audit-log-compress=true"],
    ],
  });
  const big = { text: "x".repeat(300_000) };
  for (let at = 0; at < 10; at += 1) await server.admin.post(configMapsPath(), map(`big-${at}`, big));
  const backups = () => readdirSync(folder).filter((name) => name.endsWith(".gz"));
  await eventually("two backups are left, compressed", async () => {
    const others = readdirSync(folder).filter((name) => name !== "audit.log");
    return others.length === 2 && backups().length === 2;
  });
  for (const name of backups()) {
    expect(name).toMatch(/^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log\.gz$/);
    expect(eventsIn(gunzipSync(readFileSync(join(folder, name))).toString()).length).toBeGreaterThan(0);
  }
  renameSync(log, join(folder, "taken"));
  await eventually("events are in a new file", async () => {
    await server.admin.post(configMapsPath(), { ...map(""), metadata: { generateName: "small-" } });
    return kept(log).length > 0;
  });
  await server.stop();
}, 60_000);

test("a full disk is reported and blocks no request; buffered events are written when space is available", async () => {
  const log = join(workplace.folder(), "audit.log");
  const policy = policyFile([{ level: "Request", verbs: ["create"] }]);
  const server = await startApiServer(workplace, {
    name: "full-disk",
    store: { kind: "memory" },
    limits: { fileKib: 256 },
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
  });
  for (let at = 0; at < 4; at += 1) {
    const { status } = await server.admin.post(configMapsPath(), map(`big-${at}`, { text: "x".repeat(100_000) }));
    expect(status).toBe(201);
  }
  await eventually("the failure is counted", async () =>
    /apiserver_audit_error_total\{plugin="log"\} [1-9]/.test((await server.admin.get("/metrics")).body),
  );
  expect(server.program.logText()).toContain("audit events were dropped or delayed");
  // Frees disk space.
  renameSync(log, `${log}.full`);
  await eventually("what waited is written, each in one line", async () => {
    const lines = [`${log}.full`, log].flatMap((path) =>
      existsSync(path) ? readFileSync(path, "utf8").split("\n") : [],
    );
    const whole = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as KeptEvent);
    return whole.filter(({ requestURI }) => requestURI === configMapsPath()).length >= 4;
  });
  await server.stop();
}, 60_000);

test("a slow and a restarted webhook receive all events, and requests do not wait", async () => {
  const authority = new Authority(workplace);
  const receiver = new AuditReceiver(authority);
  await receiver.start();
  const configuration = receiver.configuration(workplace);
  const policy = policyFile([{ level: "Metadata", verbs: ["create"] }]);
  const server = await startApiServer(workplace, {
    name: "webhook",
    authority,
    store: { kind: "memory" },
    flags: [
      ...[`--audit-policy-file=${policy}`, `--audit-webhook-config-file=${configuration}`],
      ...["--audit-webhook-batch-max-wait=200ms", "--audit-webhook-initial-backoff=300ms"],
    ],
  });
  const names = () => receiver.events.map(({ objectRef }) => objectRef?.["name"]);
  const write = async (name: string) => expect((await server.admin.post(configMapsPath(), map(name))).status).toBe(201);
  await write("first");
  await eventually("the first event is received", async () => names().includes("first"));

  receiver.answer = 500;
  const before = receiver.asked;
  await write("refused-at-first");
  await eventually("it was sent in vain", async () => receiver.asked > before);
  receiver.answer = 200;
  await eventually("it is sent again", async () => names().includes("refused-at-first"));

  receiver.stop();
  for (let at = 0; at < 20; at += 1) await write(`away-${at}`);
  await receiver.start();
  await eventually("all are received", async () => names().filter((name) => name?.startsWith("away")).length === 20);

  // Remaining events are sent before the server exits.
  await write("last");
  expect(await server.stop()).toBe(0);
  expect(names()).toContain("last");
  expect(receiver.events.filter(({ kind }) => kind !== "Event")).toEqual([]);
  receiver.stop();
}, 60_000);

test("events dropped for a dead webhook are counted, the buffer is bounded, and the server stops in time", async () => {
  const authority = new Authority(workplace);
  const receiver = new AuditReceiver(authority);
  await receiver.start();
  receiver.answer = "never";
  const server = await startApiServer(workplace, {
    name: "dead-webhook",
    authority,
    store: { kind: "memory" },
    flags: [
      `--audit-policy-file=${policyFile([{ level: "Metadata", verbs: ["create"] }])}`,
      `--audit-webhook-config-file=${receiver.configuration(workplace)}`,
      ...["--audit-webhook-batch-max-size=2", "--audit-webhook-batch-buffer-size=5"],
    ],
  });
  for (let at = 0; at < 40; at += 1) {
    expect((await server.admin.post(configMapsPath(), map(`lost-${at}`))).status).toBe(201);
  }
  const metrics = (await server.admin.get("/metrics")).body;
  expect(metrics).toMatch(/apiserver_audit_error_total\{plugin="buffered"\} [1-9]/);
  expect(metrics).toMatch(/apiserver_audit_event_total [1-9]/);
  expect(metrics).toMatch(/apiserver_audit_level_total\{level="Metadata"\} [1-9]/);
  expect(await server.stop()).toBe(0);
  receiver.stop();
}, 60_000);

test("files that change are in force; one that is wrong is told of, and the last good one stays", async () => {
  const authority = new Authority(workplace);
  const receiver = new AuditReceiver(authority);
  await receiver.start();
  const configuration = receiver.configuration(workplace, "https://127.0.0.1:1/nobody");
  const log = join(workplace.folder(), "audit.log");
  const policy = policyFile([{ level: "None" }]);
  const server = await startApiServer(workplace, {
    name: "changes",
    authority,
    store: { kind: "memory" },
    flags: [
      ...[`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, `--audit-webhook-config-file=${configuration}`],
      ...["--audit-webhook-batch-max-wait=100ms", "--audit-webhook-initial-backoff=100ms"],
    ],
  });
  const some = { ...map(""), metadata: { generateName: "some-" } };
  const write = () => server.admin.post(configMapsPath(), some);
  const slowly = { timeoutMs: 30_000, pauseMs: 200 };
  const reloads = async (option: string, result: string): Promise<number> => {
    const of = `apiserver_configuration_reloads_total{option="${option}",result="${result}"} `;
    const line = (await server.admin.get("/metrics")).body.split("\n").find((text) => text.startsWith(of));
    return Number(line?.slice(of.length) ?? 0);
  };
  const changes = async (change: () => void, option: string, result: string) => {
    const before = await reloads(option, result);
    change();
    await eventually(`${option}: ${result}`, async () => (await reloads(option, result)) > before, slowly).catch(
      (error: Error) => {
        throw new Error(`${error.message}\n${server.program.logText().slice(-4000)}`);
      },
    );
  };
  await write();
  expect(kept(log)).toEqual([]);
  const many = Array.from({ length: 20_000 }, (_, at) => ({
    level: "None",
    users: [`nobody-${at}`],
    verbs: ["create"],
  }));
  const toMany = policyText([...many, { level: "Metadata", verbs: ["create"] }]);
  await changes(() => writeFileSync(policy, toMany), "audit-policy-file", "success");
  await write();
  await untilKept(log, "the write is kept", ({ verb }) => verb === "create");

  await changes(() => writeFileSync(policy, policyText([{ level: "Everything" }])), "audit-policy-file", "failure");
  expect(server.program.logText()).toContain('rules[0].level: Unsupported value: \\"Everything\\"');
  const before = kept(log).length;
  await write();
  await eventually("the last good one stays", async () => kept(log).length > before);

  writeFileSync(configuration, receiver.configurationText());
  await eventually(
    "the new receiver is told",
    async () => {
      await write();
      return receiver.events.length > 0;
    },
    slowly,
  );
  await changes(() => writeFileSync(configuration, "clusters: 7"), "audit-webhook-config-file", "failure");
  const told = receiver.events.length;
  await write();
  await eventually("the last good one stays", async () => receiver.events.length > told);
  await server.stop();
  receiver.stop();
}, 120_000);

test("a policy that is wrong keeps the server from starting, and says all that is wrong", async () => {
  const policy = policyFile([{ level: "Everything" }, { level: "None", nonResourceURLs: ["/a*b"], namespaces: ["x"] }]);
  const log = join(workplace.folder(), "audit.log");
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
  await expect(startApiServer(workplace, { name: "wrong", store: { kind: "memory" }, flags })).rejects.toThrow(
    /rules\[0\]\.level: Unsupported value[\s\S]*rules\[1\]\.nonResourceURLs\[0\]: Invalid value[\s\S]*rules\[1\]\.nonResourceURLs: Invalid value/,
  );
}, 60_000);
