// The command `orch` with servers that answer wrongly or with hostile texts, and with output that cannot be written.

import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { ORCH_PROGRAM, Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

/** Sets the title of a terminal, clears it and rings its bell. */
const HOSTILE = "\u001b]0;owned\u0007\u001b[2J\u009b31mx";
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const NESTED = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;

const workplace = useWorkplace();
let server: Server;

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `web${HOSTILE}`,
    namespace: "default",
    uid: "1",
    annotations: { note: HOSTILE, [HOSTILE]: "key" },
    labels: { [HOSTILE]: HOSTILE },
  },
  spec: { containers: [{ name: "main", image: HOSTILE }] },
  status: { phase: HOSTILE, message: HOSTILE, conditions: [{ type: HOSTILE, status: HOSTILE, message: HOSTILE }] },
};
const EVENT = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: HOSTILE, namespace: "default" },
  involvedObject: { kind: "Pod", name: HOSTILE },
  ...{ type: HOSTILE, reason: HOSTILE, message: HOSTILE },
};
const TABLE = {
  apiVersion: "meta.k8s.io/v1",
  kind: "Table",
  columnDefinitions: [{ name: `Name${HOSTILE}`, type: "string", priority: 0 }],
  rows: [{ cells: [HOSTILE], object: POD }],
};
const VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"];
const RESOURCES = {
  kind: "APIResourceList",
  groupVersion: "v1",
  resources: [
    { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: VERBS },
    { name: "events", singularName: "event", namespaced: true, kind: "Event", verbs: VERBS },
  ],
};
const status = (code: number) => ({ kind: "Status", apiVersion: "v1", code, reason: HOSTILE, message: HOSTILE });

/** Writes without an end, at the pace of the client. */
function pour(response: ServerResponse): void {
  const piece = "#".repeat(1024 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more).on("error", () => {});
  more();
}

/** Writes a text byte by byte, at the pace of timers, and breaks the connection after it. */
async function drip(response: ServerResponse, text: string): Promise<void> {
  for (const byte of Buffer.from(text)) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  response.destroy();
}

const ADDED = `${JSON.stringify({ type: "ADDED", object: TABLE })}\n`;

/** Watches that go wrong, by the fault. */
const WATCHES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "watch-endless-line": pour,
  "watch-no-json": (response) => response.end(`${ADDED}{"type": "ADDED", "obj\n`),
  "watch-null": (response) => response.end(`${ADDED}null\n`),
  "watch-no-object": (response) => response.end(`${ADDED}{"type":"MODIFIED","object":[1]}\n`),
  "watch-cut": (response) => {
    watchesCut += 1;
    if (watchesCut === 1) void drip(response, `${ADDED}${ADDED}{"type":"MODI`);
    else refuse(response);
  },
  "watch-error": refuse,
};
let watchesCut = 0;

/** Ends a watch by an event that says that it is forbidden. */
function refuse(response: ServerResponse): void {
  const object = { ...status(403), message: "m".repeat(3e6) };
  response.end(`${ADDED}${JSON.stringify({ type: "ERROR", object })}\n`);
}

/** Answers by the first part of the path, which names a way to go wrong, or as an API server with hostile texts. */
function answer({ url = "", method, headers }: IncomingMessage, response: ServerResponse): void {
  const [, fault = "", ...rest] = url.split(/[/?]/);
  const send = (code: number, type: string, body: string) =>
    response.writeHead(code, { "content-type": type }).end(body);
  const json = (body: unknown, code = 200) => send(code, "application/json", JSON.stringify(body));
  switch (fault) {
    case "silent":
      return;
    case "html":
      return void send(200, "text/html", "<html><body>Welcome</body></html>");
    case "failing":
      return void send(500, "text/plain", HOSTILE);
    case "truncated":
      return void send(200, "application/json", '{"kind": "APIVers');
    case "nested":
      return void send(200, "application/json", NESTED);
    case "redirect":
      return void response.writeHead(302, { location: url }).end();
    case "closing":
      return void response.destroy();
    case "null":
      return void json(null);
    case "long":
      return void json({ ...status(403), reason: "Forbidden", message: "m".repeat(3 * 1024 * 1024) }, 403);
    case "endless":
      return void pour(response.writeHead(403, { "content-type": "text/plain" }));
    case "large":
      return void pour(response.writeHead(200, { "content-type": "application/yaml" }));
    default:
  }
  const path = `/${rest.join("/")}`;
  if (url.includes("watch=true") && WATCHES[fault] !== undefined) return void WATCHES[fault](response);
  // A header can carry no control characters other than those of Latin-1 above 0x7f.
  response.setHeader("warning", '299 - "mind \u009b31m the gap"');
  if (path === "/version") return void json({ gitVersion: HOSTILE, platform: HOSTILE });
  if (path === "/api") return void json({ kind: "APIVersions", versions: ["v1"] });
  if (path === "/apis") return void json({ kind: "APIGroupList", groups: [] });
  if (path === "/api/v1") return void json(RESOURCES);
  if (path.includes("/namespaces/endless/")) {
    return void json({ kind: "PodList", apiVersion: "v1", metadata: { continue: "again" }, items: [] });
  }
  if (path.includes("/pods/refused")) return void json(status(403), 403);
  if (path.includes("/events")) return void json({ kind: "EventList", apiVersion: "v1", metadata: {}, items: [EVENT] });
  if (method === "GET" && headers.accept?.includes("as=Table")) return void json(TABLE);
  if (path.includes("/pods/")) return void json(POD);
  if (path.includes("/pods")) return void json({ kind: "PodList", apiVersion: "v1", metadata: {}, items: [POD] });
  json(status(404), 404);
}

beforeAll(async () => {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const orchOf = (fault: string): Orch => {
  const { port } = server.address() as AddressInfo;
  return new Orch({ home: workplace.folder(), options: [`--server=http://127.0.0.1:${port}/${fault}`] });
};

describe("a server that answers wrongly gives one error, in time, without a stack trace", () => {
  test.each(["silent", "html", "failing", "truncated", "nested", "redirect", "closing", "null"])(
    "%s",
    async (fault) => {
      const { stderr, code, stdout } = await orchOf(fault).run(["get", "pods", "--request-timeout=2s"]);
      expect(stderr).not.toMatch(/\n {4}at /);
      expect(stderr).not.toMatch(CONTROL);
      expect(stderr.split("\n")).toHaveLength(2);
      expect([code, stdout]).toEqual([1, ""]);
    },
  );
});

test("a long message of a server is cut, with a note of its length", async () => {
  const { stderr, code } = await orchOf("long").run(["get", "pods", "--request-timeout=30s"]);
  expect(code).toBe(1);
  expect(stderr.length).toBeLessThan(20_000);
  expect(stderr).toMatch(/^Error from server \(Forbidden\): m+\.\.\. \(cut: the message has 31457\d\d characters\)\n$/);
});

test("an error of a server without an end is one line, and does not fill the memory", async () => {
  const { stderr, code } = await orchOf("endless").run(["get", "pods", "--request-timeout=60s"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^Unable to connect to the server: the answer has more than \d+ bytes\n$/),
  ]);
});

describe("a watch that goes wrong ends with one error", () => {
  test.each([
    ["watch-endless-line", /^error: the server sent a line of more than 67108864 bytes in a stream of JSON$/],
    ["watch-no-json", /^error: the server sent a line that is not JSON in a stream of JSON: .+$/],
    ["watch-null", /^error: the server sent a line that is not a JSON object in a stream of JSON$/],
    ["watch-no-object", /^error: the server sent an event without an object in a watch$/],
    ["watch-error", /^Error from server \(Forbidden\): m+\.\.\. \(cut: the message has \d+ characters\)$/],
  ])("%s", async (fault, text) => {
    const { stderr, code } = await orchOf(fault).run(["get", "pods", "--watch"]);
    expect([code, stderr.replace(/^Warning: .*\n/, "").trimEnd()]).toEqual([1, expect.stringMatching(text)]);
  });
});

test("a watch that arrives byte by byte and is cut in the middle of a line goes on with the next", async () => {
  const { stdout, stderr, code } = await orchOf("watch-cut").run(["get", "pods", "--watch"]);
  expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([
    1,
    expect.stringMatching(/^Error from server \(Forbidden\): m+\.\.\. /),
  ]);
  // The heading, the list, two events of the first watch and one of the second.
  expect(stdout.trimEnd().split("\n")).toHaveLength(5);
  expect(watchesCut).toBe(2);
});

test("a URL of a manifest without an end is an error", async () => {
  const { port } = server.address() as AddressInfo;
  const { stderr, code } = await orchOf("hostile").run(["apply", "-f", `http://127.0.0.1:${port}/large/x.yaml`]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: unable to read URL "[^"]+": it has more than \d+ bytes\n$/),
  ]);
});

test("a pipe as configuration is read, and one without a writer is an error in time", async () => {
  const orch = new Orch({ home: workplace.folder() });
  const pipe = join(orch.of.home, "pipe");
  execFileSync("mkfifo", [pipe]);
  const { stderr, code } = await orch.run(["get", "pods", `--kubeconfig=${pipe}`]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: [^\n]*pipe: the pipe gave no text and no end within 5 s\n$/),
  ]);
  const reading = orch.run(["config", "current-context", `--kubeconfig=${pipe}`]);
  writeFileSync(pipe, "apiVersion: v1\nkind: Config\ncurrent-context: piped\n");
  expect(await reading).toMatchObject({ code: 0, stdout: "piped\n" });
});

describe("control characters of a server are visible", () => {
  test.each([
    ["version", 0],
    ["get pods", 0],
    ["get pods -o wide", 0],
    ["get pods -o name", 0],
    ["get pods -o yaml", 0],
    ["get pods -o json", 0],
    ["get pods -o custom-columns=A:.metadata.name", 0],
    ["get pods refused", 1],
    ["get pods -n endless", 1],
    ["describe pod web", 0],
    ["events", 0],
    ["label pod web a=b", 0],
    ["delete pod refused", 1],
    ["auth can-i get pods", 1],
    ["whoami", 1],
  ])("%s", async (words, expected) => {
    const { stdout, stderr, code } = await orchOf("hostile").run(words.split(" "));
    expect(stdout + stderr).not.toMatch(CONTROL);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout + stderr).not.toBe("");
    expect([code, stderr]).toEqual([expected, stderr]);
  });
});

test.each([["version", "--client"], ["--help"]])("output that cannot be written is an error: %s", (...words) => {
  const full = openSync("/dev/full", "w");
  const stdio = ["ignore", full, "pipe"] as const;
  const { status: code, stderr } = spawnSync(process.execPath, [ORCH_PROGRAM, ...words], {
    stdio: [...stdio],
    encoding: "utf8",
  });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: standard output cannot be written: ENOSPC.*\n$/)]);
});

test("a server whose certificate has expired gives one error that says when", async () => {
  const issuer = makeCertificate({ subject: { commonName: "ca" }, usage: { kind: "authority" }, nowMs: Date.now() });
  const nowMs = Date.now() - 30 * 365 * 24 * 3_600_000;
  const usage = { kind: "server", names: ["127.0.0.1"] } as const;
  const expired = makeCertificate({ subject: { commonName: "late" }, usage, issuer, nowMs });
  const late = createTlsServer({ cert: expired.certificate, key: expired.key }, answer).listen(0, "127.0.0.1");
  await once(late, "listening");
  const orch = new Orch({ home: workplace.folder() });
  const authority = join(orch.of.home, "ca.crt");
  writeFileSync(authority, issuer.certificate);
  const { port } = late.address() as AddressInfo;
  const words = ["get", "pods", `--server=https://127.0.0.1:${port}`, `--certificate-authority=${authority}`];
  const { code, stdout, stderr } = await orch.run(words).finally(() => late.close());
  expect([code, stdout, stderr]).toEqual([
    1,
    "",
    expect.stringMatching(/^Unable to connect to the server: .*expired.*\n$/),
  ]);
});

test("a server without TLS gives one error", async () => {
  const { port } = server.address() as AddressInfo;
  const orch = new Orch({ home: workplace.folder(), options: [`--server=https://127.0.0.1:${port}`] });
  const { stderr, code } = await orch.run(["get", "pods"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Unable to connect to the server: [^\n]+\n$/)]);
});

test("a URL of a manifest that does not answer ends at the timeout", async () => {
  const { port } = server.address() as AddressInfo;
  const words = ["apply", "-f", `http://127.0.0.1:${port}/silent/x.yaml`, "--request-timeout=1s"];
  const { stderr, code } = await orchOf("hostile").run(words);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: unable to read URL [^\n]+ timeout\n$/)]);
});

describe("wrong files give one error that names the file", () => {
  const binary = join(workplace.folder(), "binary");
  test.each([
    ["a folder as configuration", ["get", "pods", "--kubeconfig=/"]],
    ["a binary file as configuration", ["get", "pods", `--kubeconfig=${binary}`]],
    [
      "a binary file as authority",
      ["get", "pods", "--server=https://127.0.0.1:1", `--certificate-authority=${binary}`],
    ],
    ["a folder as authority", ["get", "pods", "--server=https://127.0.0.1:1", "--certificate-authority=/"]],
    ["a folder as key", ["get", "pods", "--server=https://127.0.0.1:1", "--client-certificate=/", "--client-key=/"]],
    ["a folder as backup", ["restore", "/", `--data-dir=${join(workplace.folder(), "restored")}`]],
    ["a folder to merge", ["config", "merge", "/"]],
    ["an export over a file", ["export", binary, "--server=https://127.0.0.1:1"]],
    ["a folder that the system does not take", ["cert", "init", "/proc/made"]],
    ["a recording that does not exist", ["replay", "gone"]],
    ["a manifest of a host that is not known", ["create", "-f", "https://none.invalid/x.yaml"]],
    ["a binary manifest", ["apply", "-f", binary, "--server=https://127.0.0.1:1"]],
  ])("%s", async (_, words) => {
    writeFileSync(binary, Buffer.from([0, 255, 27, 91, 50, 74, 0]));
    const { stderr, code, stdout } = await new Orch({ home: workplace.folder() }).run(words);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stderr).not.toMatch(CONTROL);
    expect(stderr).not.toMatch(/EISDIR|ENOENT|EEXIST|ENOTFOUND|EAI_AGAIN|illegal operation/);
    expect([code, stdout, stderr.split("\n").length]).toEqual([1, "", 2]);
  });
});
