// `orch get -w`: rows in pipes, and tables that are kept up to date on a terminal.
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "@orch/client";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { eventually } from "./harness/eventually";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";
import { Terminal } from "./harness/terminal";

const workplace = useWorkplace();
const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };
const NAMESPACES = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false };

let server: ApiServer;
let orch: Orch;
let client: Client;

beforeAll(async () => {
  server = await startApiServer(workplace, { name: "server", store: { kind: "embedded" } });
  const connection = {
    server: server.url,
    tls: { ca: { kind: "file", path: server.authority.caFile } },
    credentials: { token: "admin-token" },
    namespace: "default",
  } as const;
  client = new Client({ connection, program: "test", rateLimit: { perSecond: 0, burst: 0 } });
  orch = new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) });
}, 60_000);

async function emptyNamespace(name: string) {
  await client.resource(NAMESPACES).create({ metadata: { name } });
  const maps = client.resource(CONFIG_MAPS).namespace(name);
  const create = (of: string, data: Record<string, string> = {}) => maps.create({ metadata: { name: of }, data });
  return { maps, create };
}

/** Starts a watch in a pipe. */
function watching(words: readonly string[], call = {}) {
  const child = orch.start(words, call);
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  const until = (pattern: RegExp) =>
    eventually(String(pattern), async () => pattern.test(texts.out) || undefined).catch((error: Error) => {
      throw new Error(`${error.message}; printed: ${JSON.stringify(texts)}`);
    });
  const stop = async () => {
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number];
    return code;
  };
  return { texts, until, stop };
}

describe("in a pipe", () => {
  test("rows follow the list, and are those of the list", async () => {
    const { maps, create } = await emptyNamespace("rows");
    await create("one");
    const watch = watching(["get", "cm", "-w", "-n", "rows", "--output-watch-events"]);
    await watch.until(/^EVENT {6}NAME +DATA +AGE\nADDED {6}one +0 /);
    await create("two", { a: "b" });
    await maps.patch("one", "merge", { data: { x: "y" } });
    await maps.delete("two");
    await watch.until(/^ADDED {6}two +1 .*\nMODIFIED {3}one +1 .*\nDELETED {4}two +1 /m);
    expect(await watch.stop()).toBe(130);
    expect(watch.texts.err).toBe("");
  });

  test("objects are printed as JSON, with their events when asked", async () => {
    const { create } = await emptyNamespace("objects");
    await create("one");
    const events = watching(["get", "cm", "-w", "-n", "objects", "-o", "json", "--output-watch-events"]);
    const names = watching(["get", "cm", "--watch-only", "-n", "objects", "-o", "name"]);
    await events.until(/^\{"object":\{"apiVersion":"v1",.*"type":"ADDED"\}\n$/);
    let count = 0;
    await eventually("a change after the start of the watch", async () => {
      await create(`more-${count++}`);
      return names.texts.out !== "";
    });
    await names.until(/^configmap\/more-\d+\n/);
    await events.until(/"name":"more-0".*"type":"ADDED"\}\n/);
    await Promise.all([events.stop(), names.stop()]);
  });

  test("a watch of one object shows only its changes, and ends at --request-timeout", async () => {
    const { create } = await emptyNamespace("single");
    await create("one");
    await create("two");
    const { stdout, code } = await orch.run([
      "get",
      "cm",
      "one",
      "-w",
      "-n",
      "single",
      "-o",
      "name",
      "--request-timeout=1s",
    ]);
    expect([stdout, code]).toEqual(["configmap/one\n", 0]);
    const gone = await orch.run(["get", "cm", "none", "-w", "-n", "single"]);
    expect([gone.stderr, gone.code]).toEqual(['Error from server (NotFound): configmaps "none" not found\n', 1]);
  });
});

describe("on a terminal", () => {
  test("rows change in place, several kinds at once, and a resized window keeps the table", async () => {
    const { maps, create } = await emptyNamespace("live");
    await create("one");
    await create("two");
    const terminal = await Terminal.orch(workplace, orch, ["get", "cm,ns", "-w", "-n", "live"], {
      columns: 70,
      rows: 24,
    });
    await terminal.until(
      /^ {2}NAME +DATA +AGE\n {2}configmap\/one +0 .*\n {2}configmap\/two +0 .*\n\n {2}NAME +STATUS +AGE\n/,
    );
    await maps.patch("one", "merge", { data: { x: "y" } });
    await create("three");
    await maps.delete("two");
    const screen = await terminal.until(/~ configmap\/one +1 .*\n- configmap\/two +0 .*\n\+ configmap\/three +0 /);
    expect(screen.match(/configmap\/one/g)).toHaveLength(1);
    await terminal.until(/^ {2}NAME +DATA +AGE\n {2}configmap\/one +1 .*\n {2}configmap\/three +0 .*\n\n/);
    await terminal.resize(30, 6);
    await terminal.until(
      /^ {2}NAME +DATA +AGE\n {2}configmap\/one.*\n {2}configmap\/three.*\n\d more rows do not fit on.*$/,
    );
    await terminal.resize(90, 24);
    await terminal.until(
      /^ {2}NAME +DATA +AGE\n {2}configmap\/one +1 .*\n {2}configmap\/three +0 .*\n\n {2}NAME +STATUS/,
    );
    await terminal.press("C-c");
    expect(await terminal.ended()).toBe(130);
    await terminal.close();
  }, 60_000);
});

test("a watch goes on over a token that expires, and over a server that is away", async () => {
  const { create } = await emptyNamespace("outage");
  await create("one");
  const folder = workplace.folder();
  const group = "client.authentication.orch.io/v1";
  const program = join(folder, "token");
  writeFileSync(
    program,
    `#!/bin/sh\necho run >> ${folder}/runs\necho '{"apiVersion":"${group}","kind":"ExecCredential","status":{"token":"admin-token","expirationTimestamp":"'$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)'"}}'\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(
    join(folder, "config"),
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: server.url, "certificate-authority": server.authority.caFile } }],
      users: [{ name: "u", user: { exec: { apiVersion: group, command: program, interactiveMode: "Never" } } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    }),
  );
  const own = new Orch({ home: folder });
  const child = own.start(["get", "cm", "-w", "-n", "outage", "-o", "name", `--kubeconfig=${join(folder, "config")}`]);
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  await eventually("the list", async () => out === "configmap/one\n");
  await sleep(2_500); // the token has expired
  await server.stop();
  await server.start();
  await create("two");
  await eventually("the change after the outage", async () => out === "configmap/one\nconfigmap/two\n", {
    timeoutMs: 30_000,
  });
  child.kill("SIGINT");
  await once(child, "close");
}, 90_000);
