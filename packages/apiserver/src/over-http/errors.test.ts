import { connect as connectPlain } from "node:net";
import { connect } from "node:tls";
import { describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running));

const ITEM = `${CONFIG_MAPS}/some`;

test("plain HTTP is told that TLS is spoken here, as the HTTP server of Go tells it", async () => {
  const socket = connectPlain({ host: "127.0.0.1", port: server.port });
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  expect(answer).toBe("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  expect((await admin.get("/healthz")).code).toBe(200);
});

test.each<[string, string, string, number, string]>([
  ["a missing object", "GET", ITEM, 404, "NotFound"],
  ["a resource that no group version has", "GET", "/api/v1/nothings", 404, "NotFound"],
  ["a namespaced object without its namespace", "GET", "/api/v1/configmaps/some", 404, "NotFound"],
  ["a cluster-wide resource in a namespace", "GET", "/api/v1/namespaces/default/nodes", 404, "NotFound"],
  ["more path than the API has", "GET", `${ITEM}/a/b/c`, 404, "NotFound"],
  ["HEAD of a missing object", "HEAD", ITEM, 404, ""],
  ["OPTIONS of an object", "OPTIONS", ITEM, 405, "MethodNotAllowed"],
  ["POST to an object", "POST", ITEM, 405, "MethodNotAllowed"],
  ["PUT to a collection", "PUT", CONFIG_MAPS, 405, "MethodNotAllowed"],
  ["a create in all namespaces", "POST", "/api/v1/configmaps", 405, "MethodNotAllowed"],
  ["POST to a document of discovery", "POST", "/apis/apps/v1", 405, "MethodNotAllowed"],
  ["DELETE of the list of groups", "DELETE", "/apis/", 405, "MethodNotAllowed"],
  ["a patch of no known kind", "PATCH", ITEM, 415, "UnsupportedMediaType"],
  ["a watch path that ends too early", "GET", "/api/v1/watch", 400, "BadRequest"],
  ["a path that is not UTF-8", "GET", "/api/v1/namespaces/%ff/pods", 400, "BadRequest"],
  ["a version that is no number", "GET", `${CONFIG_MAPS}?resourceVersion=x`, 400, "BadRequest"],
  ["a limit that is no number", "GET", `${CONFIG_MAPS}?limit=x`, 400, "BadRequest"],
  ["an empty limit", "GET", `${CONFIG_MAPS}?limit=`, 400, "BadRequest"],
  ["a limit of a watch that is no number", "GET", `${CONFIG_MAPS}?watch=1&limit=x`, 400, "BadRequest"],
  ["an export", "GET", "/api/v1/namespaces/default?export=true", 400, "BadRequest"],
  ["an export of a missing object, refused first", "GET", `${ITEM}?export`, 400, "BadRequest"],
  ["no export of a missing object", "GET", `${ITEM}?export=false`, 404, "NotFound"],
  ["a broken token", "GET", `${CONFIG_MAPS}?limit=1&continue=x`, 400, "BadRequest"],
  ["a broken selector", "GET", `${CONFIG_MAPS}?labelSelector=a%3D%3D%3Db`, 400, "BadRequest"],
  ["a field that cannot be selected", "GET", `${CONFIG_MAPS}?fieldSelector=data.a%3Db`, 400, "BadRequest"],
  ["a field of another version's", "GET", "/api/v1/events?fieldSelector=regarding.name%3Da", 400, "BadRequest"],
  ["a match without a version", "GET", `${CONFIG_MAPS}?resourceVersionMatch=Exact`, 422, "Invalid"],
  ["an unknown dry run", "DELETE", `${ITEM}?dryRun=Some`, 422, "Invalid"],
])("%s is answered with a Status", async (_what, method, path, code, reason) => {
  const answer = await admin.ask(method, path);
  expect(answer.code).toBe(code);
  if (method === "HEAD") return;
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.json).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code });
});

test.each<[string, string, string]>([
  ["POST", ITEM, "GET, HEAD, PUT, PATCH, DELETE"],
  ["HEAD", `${CONFIG_MAPS}?watch=1`, "GET, POST, DELETE"],
  ["POST", "/api/v1/configmaps", "GET, HEAD"],
  ["GET", "/api/v1/namespaces/default/bindings", "POST"],
  ["DELETE", "/api/v1/namespaces/default/status", "GET, HEAD, PUT, PATCH"],
  ["DELETE", "/api/v1/namespaces/default/pods/a/log", "GET"],
  ["PUT", "/apis/apps", "GET, HEAD"],
  ["PUT", "/version", "GET, HEAD"],
])("%s %s is told which methods there are", async (method, path, allowed) => {
  const answer = await admin.ask(method, path);
  expect([answer.code, answer.headers["allow"]]).toEqual([405, allowed]);
});

test("a path beside the API is answered with the paths that there are", async () => {
  for (const path of ["/nothing", "/apis/nothing.example.com/v1/things", "/api/v9/pods"]) {
    const answer = await admin.get(path);
    expect(answer.code).toBe(404);
    expect(answer.json.paths).toEqual(expect.arrayContaining(["/api", "/api/v1", "/healthz", "/metrics"]));
  }
});

describe("a body", () => {
  test.each<[string, string, string | undefined, number]>([
    ["that is no JSON", "{", undefined, 400],
    ["that is empty", "", undefined, 400],
    ["that is a list", "[]", undefined, 400],
    ["that is no YAML", "a: [", "application/yaml", 400],
    ["of another kind", '{"kind":"Pod","apiVersion":"v1"}', undefined, 400],
    ["of another version", '{"kind":"ConfigMap","apiVersion":"v2"}', undefined, 400],
    ["whose kind brings a toString that is no function", '{"kind":{"toString":{}},"apiVersion":"v1"}', undefined, 400],
    ["whose version brings one", '{"kind":"ConfigMap","apiVersion":{"toString":{}}}', undefined, 400],
    ["of wrong types", '{"metadata":{"name":"a"},"data":{"a":1}}', undefined, 400],
    ["that is nested without end", `${'{"data":'.repeat(5000)}1${"}".repeat(5000)}`, undefined, 400],
    ["that is YAML nested without end", `a: ${"[".repeat(100_000)}`, "application/yaml", 400],
    ["of an unknown media type", "x", "text/plain", 415],
    ["without a name", '{"metadata":{}}', undefined, 422],
    ["with a name that does not fit", '{"metadata":{"name":"A B"}}', undefined, 422],
    ["in a namespace that is not the path's", '{"metadata":{"name":"a","namespace":"other"}}', undefined, 400],
    ["of more than 3 MiB", `{"data":{"a":"${"x".repeat(3 * 1024 * 1024)}"}}`, undefined, 413],
  ])("%s is refused", async (_what, body, contentType, code) => {
    const answer = await admin.post(
      CONFIG_MAPS,
      body,
      contentType === undefined ? {} : { "content-type": contentType },
    );
    expect(answer.code).toBe(code);
    expect(answer.json).toMatchObject({ kind: "Status", code });
  });

  test.each([
    ["gzip", 415, /the Content-Encoding "gzip"/],
    ["identity", 400, /unrecognized/],
  ])("that is sent as %s is judged by that", async (coding, code, message) => {
    const answer = await admin.post(CONFIG_MAPS, "{", { "content-encoding": coding });
    expect([answer.code, answer.json.message]).toEqual([code, expect.stringMatching(message)]);
  });

  test("a body of more than 3 MiB without a Content-Length is rejected", async () => {
    const headers = { "transfer-encoding": "chunked" };
    const answer = await admin.post(CONFIG_MAPS, "x".repeat(4 * 1024 * 1024), headers);
    expect(answer.code).toBe(413);
    expect((await admin.get(CONFIG_MAPS)).code).toBe(200);
  });
});

describe("representations", () => {
  const accept = (value: string) => admin.get(CONFIG_MAPS, { headers: { accept: value } });

  test.each([
    "application/json",
    "*/*",
    "application/*;q=0.5",
    "text/html, application/json;q=0.1",
    "application/json;as=Table;v=v1;g=meta.orch.io,application/json",
    "application/vnd.orch.protobuf,application/json",
  ])("%s is served as JSON", async (value) => expect((await accept(value)).code).toBe(200));

  test.each(["text/html", "application/json;as=Table;v=v2;g=meta.orch.io", "application/json;q=0"])(
    "%s alone is not acceptable",
    async (value) => {
      const answer = await accept(value);
      expect(answer.code).toBe(406);
      expect(answer.json).toMatchObject({ kind: "Status", reason: "NotAcceptable" });
    },
  );
});

test("an id that the client gives is echoed", async () => {
  const answer = await admin.get(CONFIG_MAPS, { headers: { "audit-id": "mine" } });
  expect(answer.headers["audit-id"]).toBe("mine");
});

/** Sends raw text and returns what the server answers until it closes the connection. */
const answerTo = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port: server.port, ca: server.ca, host: "127.0.0.1" }, () => socket.write(text));
    let heard = "";
    socket.on("data", (piece) => {
      heard += String(piece);
    });
    socket.on("close", () => resolve(heard)).on("error", reject);
  });

test("input that is not HTTP is answered with an error and the connection is closed", async () => {
  expect(await answerTo("NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect((await admin.post(CONFIG_MAPS, configMap("after"))).code).toBe(201);
});

test("a client that still sends its body when its request was refused reads the answer", async () => {
  const socket = connect({ port: server.port, ca: server.ca, host: "127.0.0.1" });
  const head = "POST no-path HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
  const failures: Error[] = [];
  socket.on("error", (error) => failures.push(error));
  await new Promise<void>((resolve) => socket.once("secureConnect", () => socket.write(head, () => resolve())));
  // The answer is sent by the time that this one of another connection has come.
  await answerTo("NONSENSE\r\n\r\n");
  for (let piece = 0; piece < 10; piece += 1) {
    socket.write("x".repeat(10_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  let heard = "";
  for await (const piece of socket) heard += String(piece);
  expect([heard.split("\r\n")[0], failures]).toEqual(["HTTP/1.1 400 Bad Request", []]);
});

test("a request after a rejected watch on the same connection is answered", async () => {
  const watch = `GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer none\r\n\r\n`;
  const heard = await answerTo(`${watch}POST no-path HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(heard.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 401", "HTTP/1.1 400"]);
});

test("a request that does not say which host it is for is refused", async () => {
  const heard = await answerTo("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  expect(heard).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*the request has no Host header/);
});

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const RBAC = "/apis/rbac.authorization.k8s.io";
type Asked = [what: string, method: string, path: string, headers: Record<string, string>, code: number];

test.each<Asked>([
  ["a body of its media type", "POST", CONFIG_MAPS, { "content-type": PROTOBUF }, 415],
  ["an answer of its media type alone", "GET", CONFIG_MAPS, { accept: PROTOBUF }, 406],
  ["a group", "GET", RBAC, {}, 404],
  ["a group version", "GET", `${RBAC}/v1`, {}, 404],
  ["a collection", "GET", `${RBAC}/v1/clusterroles`, {}, 404],
  ["an object", "DELETE", `${RBAC}/v1/clusterroles/admin`, {}, 404],
  ["kubectl explain", "GET", "/openapi/v2", { "kubectl-command": "kubectl explain" }, 404],
  ["kubectl explain, newer", "GET", "/openapi/v3/api/v1", { "kubectl-command": "kubectl explain" }, 404],
])("a client of the other vocabulary is told: %s", async (_what, method, path, headers, code) => {
  const body = method === "POST" ? { body: Buffer.from("k8s") } : {};
  const answer = await admin.ask(method, path, { headers, ...body });
  expect([answer.code, answer.json.kind]).toEqual([code, "Status"]);
  expect(answer.json.message).toContain("--vocabulary kubernetes");
  // kubectl explain shows its own text for a 404, and every warning.
  if (path.startsWith("/openapi/")) expect(answer.headers["warning"]).toContain("--vocabulary kubernetes");
});

test.each<Asked>([
  ["a media type that is nobody's", "POST", CONFIG_MAPS, { "content-type": "application/x" }, 415],
  ["a client that takes another form too", "GET", CONFIG_MAPS, { accept: `${PROTOBUF},application/json` }, 200],
  ["a group that is nobody's", "GET", "/apis/none.example.io/v1", {}, 404],
  ["another command", "GET", "/openapi/v2", { "kubectl-command": "kubectl apply" }, 200],
])("nothing is told of vocabularies to %s", async (_what, method, path, headers, code) => {
  const body = method === "POST" ? { body: Buffer.from("x") } : {};
  const answer = await admin.ask(method, path, { headers, ...body });
  expect(answer.code).toBe(code);
  expect(answer.text).not.toContain("--vocabulary");
});

test("a client of the orch vocabulary is told by a server of the other", async () => {
  const other = await startServer({ vocabulary: "kubernetes" });
  const client = new ApiClient(other, other.admin);
  const { json } = await client.get("/apis/rbac.authorization.orch.io/v1/clusterroles");
  expect(json.message).toContain("this server speaks kubernetes: start one with --vocabulary orch");
  client.close();
  await other.stop();
});
