// The command `orch`: help, versions, resources, and errors as one clear line.
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client, loadConnection } from "@orch/client";
import { makeCertificate } from "@orch/platform";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";
import { Terminal } from "./harness/terminal";

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

const workplace = useWorkplace();
const VOCABULARIES = ["orch", "kubernetes"] as const;
const servers = new Map<string, ApiServer>();

beforeAll(async () => {
  for (const vocabulary of VOCABULARIES) {
    const flags = [`--vocabulary=${vocabulary}`];
    servers.set(vocabulary, await startApiServer(workplace, { name: vocabulary, store: { kind: "memory" }, flags }));
  }
}, 60_000);

const orchOf = (vocabulary: string): Orch =>
  new Orch({ home: workplace.folder(), options: Orch.optionsFor(servers.get(vocabulary) as ApiServer) });
const alone = (): Orch => new Orch({ home: workplace.folder() });

describe.each(VOCABULARIES)("a server of the vocabulary %s", (vocabulary) => {
  test("its version and its resources are shown", async () => {
    const orch = orchOf(vocabulary);
    expect(await orch.print(["version"])).toMatch(
      /^Client Version: v\d\S*\nNode\.js Version: v\S+\nServer Version: v1\.\S+\n$/,
    );
    const resources = await orch.print(["api-resources"]);
    const group = vocabulary === "orch" ? "rbac.authorization.orch.io/v1" : "rbac.authorization.k8s.io/v1";
    expect(resources).toContain(`${group} `);
    expect(await orch.print(["api-resources", "--cached"])).toBe(resources);
    expect(await orch.print(["api-resources", "--api-group=apps", "-o", "name"])).toContain("deployments.apps\n");
  });
});

describe("errors are one line, without a stack trace", () => {
  const refused = async () => ["api-resources", `--server=https://127.0.0.1:${await freePort()}`];
  test.each<[string, () => Promise<readonly string[]> | readonly string[], RegExp]>([
    ["an unknown command", () => ["versoin"], /^error: unknown command 'versoin'\n\(Did you mean version\?\)\n$/],
    ["an unknown option", () => ["version", "--colour"], /^error: unknown option '--colour'\n/],
    ["no configuration", () => ["api-resources"], /^error: there is no client configuration \(looked for .*config\)/],
    [
      "a missing file",
      () => ["api-versions", "--kubeconfig=gone"],
      /^error: invalid configuration: gone: no such file or directory\n$/,
    ],
    ["a server that is away", refused, /^The connection to the server 127\.0\.0\.1:\d+ was refused/],
    [
      "a wrong duration",
      () => ["api-versions", "--server=x", "--request-timeout=soon"],
      /^error: Invalid timeout value\. --request-timeout: "soon"/,
    ],
    ["a wrong format", () => ["version", "-o", "xml"], /^error: unable to match a printer .*json,yaml\n$/],
    [
      "a mistyped option with a value",
      () => ["get", "pods", "--outptu=yaml"],
      /^error: unknown option '--outptu'\n\(Did you mean --output\?\)\n$/,
    ],
    [
      "a mistyped option of all commands",
      () => ["get", "pods", "--namespce=web"],
      /^error: unknown option '--namespce'\n\(Did you mean --namespace\?\)\n$/,
    ],
    [
      "a second file without -f",
      () => ["apply", "-f", "one.yaml", "two.yaml"],
      /^error: unexpected argument "two\.yaml": orch apply takes only options; give each file its own -f\n$/,
    ],
    [
      "an argument too many",
      () => ["create", "configmap", "one", "two"],
      /^error: unexpected argument "two": orch create configmap takes only NAME\n$/,
    ],
    [
      "a mistyped command of a group",
      () => ["create", "confgimap", "one"],
      /^error: unknown command "confgimap" of orch create \(did you mean "configmap"\?\)\n$/,
    ],
    [
      "an unknown command of a group with a default",
      () => ["top", "pods"],
      /^error: unknown command "pods" of orch top: it has requests, objects\n$/,
    ],
    ["help of an unknown command", () => ["help", "gte"], /^error: unknown command 'gte'\n\(Did you mean get\?\)\n$/],
  ])("%s", async (_, words, text) => {
    const { stdout, stderr, code } = await alone().run(await words());
    expect(stderr).toMatch(text);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect([code, stdout]).toEqual([1, ""]);
  });

  test("a context that does not exist", async () => {
    const orch = alone();
    const path = join(orch.of.home, "config");
    writeFileSync(path, "apiVersion: v1\nkind: Config\ncurrent-context: here\n");
    const { stderr, code } = await orch.run(["version", `--kubeconfig=${path}`, "--context=elsewhere"]);
    expect([stderr, code]).toEqual([
      "error: invalid configuration: context was not found for specified context: elsewhere\n",
      1,
    ]);
  });
});

test.each([
  ["expired", -2 * YEAR_MS, /\nerror: the client certificate \S+client\.crt expired at \d{4}-\S+Z: request a new one/],
  ["is not valid yet", 30 * DAY_MS, /\nerror: the client certificate \S+client\.crt is not valid before \d{4}-/],
])("a client certificate that %s is named", async (_, shiftMs, text) => {
  const orch = alone();
  const server = servers.get("kubernetes") as ApiServer;
  const issuer = {
    certificate: readFileSync(server.authority.caFile, "utf8"),
    key: readFileSync(server.authority.caFile.replace(/crt$/, "key"), "utf8"),
  };
  const nowMs = Date.now() + shiftMs;
  const made = makeCertificate({ subject: { commonName: "ann" }, usage: { kind: "client" }, issuer, nowMs });
  const [certificate, key] = ["client.crt", "client.key"].map((name) => join(orch.of.home, name)) as [string, string];
  writeFileSync(certificate, made.certificate);
  writeFileSync(key, made.key);
  const options = [`--server=${server.url}`, `--certificate-authority=${server.authority.caFile}`];
  const words = ["get", "pods", ...options, `--client-certificate=${certificate}`, `--client-key=${key}`];
  const { stderr, code } = await orch.run(words);
  expect(stderr).toMatch(/^error: You must be logged in to the server \(/);
  expect(stderr).toMatch(text);
  expect(code).toBe(1);
});

test("the version of the command is shown without a server, and the error decides the exit code", async () => {
  const { stdout, stderr, code } = await alone().run(["version"]);
  expect(stdout).toMatch(/^Client Version: v\d\S*\nNode\.js Version: v\S+\n$/);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: there is no client configuration [^\n]+\n$/)]);
  const away = await alone().run(["version", "-o", "json", `--server=https://127.0.0.1:${await freePort()}`]);
  expect(JSON.parse(away.stdout)).toEqual({
    clientVersion: expect.objectContaining({ gitVersion: expect.any(String) }),
  });
  expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/was refused/)]);
});

test("files without objects are told", async () => {
  const orch = orchOf("kubernetes");
  const empty = join(orch.of.home, "empty.yaml");
  writeFileSync(empty, "# none\n");
  expect(await orch.print(["delete", "-f", empty])).toBe("No resources found\n");
  expect(await orch.run(["try", "-f", empty])).toMatchObject({ code: 1, stderr: "error: no objects passed to try\n" });
});

test("a trial that authorization refuses names no dry run", async () => {
  const orch = orchOf("kubernetes");
  const file = join(orch.of.home, "map.yaml");
  writeFileSync(file, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, namespace: default}\n");
  const { stdout, code } = await orch.run(["try", "-f", file, "--as=ann"]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/refused \(403\)\n.+\n {2}authorization refuses the request before admission\n$/),
  ]);
});

test("an object without a generation has none in its history", async () => {
  const history = await orchOf("kubernetes").print(["history", "namespace/default"]);
  expect(history).toMatch(/^namespace\/default: created \S+ ago\n\n/);
});

test("help names every command with its summary, and help of a command its options", async () => {
  const help = await alone().print(["--help"]);
  expect(help).toMatch(/^Look:\n {2}api-resources +list the resources that the server has$/m);
  expect(await alone().print(["help", "version"])).toContain("--client");
  expect(await alone().print(["options"])).toContain("--kubeconfig <file>");
});

test("replay serves the objects of a recording, as they were at a change", async () => {
  const orch = alone();
  const file = join(orch.of.home, "changes.jsonl");
  const flags = ["--vocabulary=kubernetes", `--record=${file}`];
  const server = await startApiServer(workplace, { name: "recorded", store: { kind: "memory" }, flags });
  const maps = "/api/v1/namespaces/default/configmaps";
  const made = await server.admin.post(maps, { metadata: { name: "menu" }, data: { soup: "leek" } });
  await server.admin.delete(`${maps}/menu`);
  await server.stop();
  const replaying = orch.start(["replay", file, `--until=${made.object().metadata.resourceVersion}`]);
  let printed = "";
  replaying.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await eventually("the address is printed", async () => /^export KUBECONFIG=\S+\n/m.test(printed));
  const path = /KUBECONFIG=(\S+)/.exec(printed)?.[1] ?? "";
  const client = new Client({ connection: loadConnection({ path }), program: "test", vocabulary: "kubernetes" });
  expect(await client.getJson(`${maps}/menu`)).toMatchObject({ data: { soup: "leek" } });
  client.close();
  const ended = once(replaying, "exit");
  replaying.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect((await orch.run(["replay", "gone.jsonl"])).stderr).toMatch(
    /^error: gone\.jsonl: cannot be read: no such file or directory$/m,
  );
});

test("a terminal shows texts and the exit code", async () => {
  const orch = alone();
  const terminal = await Terminal.orch(workplace, orch, ["version", "--client"], { columns: 80, rows: 10 });
  await terminal.until(/^Client Version: v\d\S*\nNode\.js Version: v\S+$/);
  expect(await terminal.ended()).toBe(0);
});
