// The operation that is carried out is the one that was authorized: every served resource with every method and every
// unusual form of path and query, on a real server that records authorizer calls, storage calls and opened connections.
import { AsyncLocalStorage } from "node:async_hooks";
import { type ClientHttp2Session, connect } from "node:http2";
import { Agent, createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Attributes, ResourceAttributes } from "@orch/auth";
import { makeSelfSignedCa } from "@orch/http-server";
import { StatusError } from "@orch/machinery";
import { SILENT } from "@orch/observability";
import type { Registry, ResourceStorage } from "@orch/registry";
import { vocabularyOf } from "@orch/schema";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient, type Loose } from "../testing/api-client";

/** A call of a storage, or a request to a kubelet. */
interface Deed {
  readonly does: string;
  readonly definition: ResourceStorage["definition"];
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

let server: RunningServer;
let agent: Server;
let connections: Agent;
let recording = false;
let asked: Attributes[] = [];
let deeds: Deed[] = [];
let opened: string[] = [];
/** Errors of the server itself. */
const failures: string[] = [];

const USER = "somebody";
/** Set during the user's requests: the server has work of its own, which is not authorized. */
const requested = new AsyncLocalStorage<true>();
/** Events of an HTTP/2 stream run in the context of its connection: all operations count there. */
let asStreams = false;
/** Whether an operation is periodic work of the server: no request concerns its namespace. */
const isOwnAffair = ({ namespace }: { namespace: string }): boolean => asStreams && namespace === OWN_NAMESPACE;
const OWN_NAMESPACE = vocabularyOf("orch").namespaces.system;
const isRecorded = (): boolean => recording && (asStreams || requested.getStore() === true);
/** Objects that exist for all paths, so that connections to them are opened. */
const NAMESPACE = "default";
const NAMES: Readonly<Record<string, string>> = { pods: "p1", nodes: "n1" };
const nameOf = (resource: string): string => NAMES[resource] ?? "x1";

/** Writes are recorded and not carried out: the test is about the attributes. */
const WRITES = ["create", "update", "patch", "delete", "changeInPlace", "admitAction"] as const;
const notCarriedOut = () => new StatusError("Conflict", "told, and not carried out");

function recorded(storage: ResourceStorage): ResourceStorage {
  const { definition } = storage;
  const note = (does: string, at: { namespace: string; name?: string }, subresource = "") => {
    if (isRecorded() && !isOwnAffair(at))
      deeds.push({ does, definition, namespace: at.namespace, name: at.name ?? "", subresource });
  };
  const writes = Object.fromEntries(
    WRITES.map((does) => [
      does,
      (...args: unknown[]) => {
        if (!isRecorded()) return (storage[does] as (...args: unknown[]) => Promise<unknown>)(...args);
        const [at, write] = (does === "delete" ? [args[0], args[2]] : [args[1], args[2]]) as [
          { namespace: string; name: string },
          { subresource?: { name: string } },
        ];
        note(does, at, write.subresource?.name);
        return Promise.reject(notCarriedOut());
      },
    ]),
  );
  const selected = (selection: { fields?: readonly { field: string; value: string }[] }) =>
    selection.fields?.find(({ field }) => field === "metadata.name")?.value ?? "";
  return {
    ...storage,
    ...writes,
    get(key, read, options) {
      note("get", key);
      return storage.get(key, read, options);
    },
    list(wanted, options) {
      note("list", { namespace: wanted.namespace, name: selected(wanted.selection) });
      return storage.list(wanted, options);
    },
    watch(wanted, options) {
      note("watch", { namespace: wanted.namespace, name: selected(wanted.selection) });
      return storage.watch(wanted, options);
    },
  };
}

function recordedRegistry(registry: Registry): Registry {
  return { ...registry, resource: (definition) => recorded(registry.resource(definition)) };
}

beforeAll(async () => {
  const authority = makeSelfSignedCa(["127.0.0.1"]);
  agent = createServer({ cert: authority.serving.certificate, key: authority.serving.key }, (incoming, response) => {
    opened.push(`${incoming.method} ${incoming.url}`);
    response.end("here");
  });
  agent.on("upgrade", (incoming, socket) => {
    opened.push(`${incoming.method} ${incoming.url}`);
    socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  });
  await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
  const logger = {
    ...SILENT,
    error: (message: string, fields: object = {}) => failures.push(`${message} ${JSON.stringify(fields)}`),
  };
  server = await startWithSeams(
    // Disables periodic counts, which belong to no request.
    { logger, flags: { "etcd-count-metric-poll-period": 0, "etcd-db-metric-poll-interval": 0 } },
    {
      registry: recordedRegistry,
      authorizer: (made) => ({
        ...made,
        authorize(attributes) {
          if (attributes.user.name !== USER) return made.authorize(attributes);
          requested.enterWith(true);
          if (recording) asked.push(attributes);
          return { kind: "allow", reason: "" };
        },
      }),
    },
  );
  const admin = new ApiClient(server, server.admin);
  const { port } = agent.address() as AddressInfo;
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  const daemonEndpoints = { kubeletEndpoint: { Port: port } };
  await admin.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses, daemonEndpoints } });
  const containers = [{ name: "c", image: "i" }];
  await admin.post("/api/v1/namespaces/default/pods", {
    metadata: { name: "p1" },
    spec: { nodeName: "n1", containers },
  });
  admin.close();
  const { certificate: cert, key } = server.issueClient({ name: USER });
  connections = new Agent({ ca: server.ca, cert, key, keepAlive: true });
}, 30_000);

afterAll(async () => {
  connections.destroy();
  await server.stop();
  agent.close();
});

const BODIES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  POST: ["application/json", "{}"],
  PUT: ["application/json", "{}"],
  PATCH: ["application/merge-patch+json", "{}"],
};

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the status code, when all effects of the request are recorded */
async function send({ method, url, headers = {} }: Sent): Promise<number> {
  asked = [];
  deeds = [];
  opened = [];
  recording = true;
  const [type, body] = BODIES[method] ?? [];
  const typed = type === undefined ? {} : { "content-type": type, "content-length": String(body?.length) };
  try {
    return await new Promise<number>((resolve, reject) => {
      const sent = request(server.url, { agent: connections, method, path: url, headers: { ...typed, ...headers } });
      sent.on("response", (response) => {
        response.on("end", () => resolve(response.statusCode ?? 0)).on("error", reject);
        // A watch continues until it is closed.
        if (deeds.some(({ does }) => does === "watch") && response.statusCode === 200) {
          response.destroy();
          resolve(200);
        } else response.resume();
      });
      sent.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(response.statusCode ?? 0);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  } finally {
    recording = false;
  }
}

/** Sends the request as a stream of one HTTP/2 connection. @returns 0 for a refused stream */
async function sendAsStream(session: ClientHttp2Session, { method, url }: Sent): Promise<number> {
  asked = [];
  deeds = [];
  opened = [];
  recording = true;
  const [type, body] = BODIES[method] ?? [];
  const typed = type === undefined ? {} : { "content-type": type };
  try {
    return await new Promise<number>((resolve) => {
      const stream = session.request({ ":method": method, ":path": url, ...typed }, { endStream: body === undefined });
      let code = 0;
      stream.on("response", (headers) => {
        code = headers[":status"] ?? 0;
        if (deeds.some(({ does }) => does === "watch") && code === 200) stream.close();
        else stream.resume();
      });
      stream.on("error", () => {});
      stream.on("close", () => resolve(code));
      if (body !== undefined) stream.end(body);
    });
  } finally {
    recording = false;
  }
}

/** Returns the operations that were carried out without authorization. */
function differences(method: string): string[] {
  const [first] = asked;
  if (deeds.length + opened.length === 0) return [];
  if (first === undefined) return ["done without being authorized"];
  if (first.kind !== "resource") return [`done for a path: ${first.path}`];
  return [
    ...deeds
      .filter((deed) => !isOf(deed, first, method))
      .map(
        (deed) =>
          `${deed.does} ${deed.definition.plural}/${deed.subresource} ${deed.namespace}/${deed.name} under ${JSON.stringify({ ...first, user: "" })}`,
      ),
    ...opened
      .filter((line) => !leadsWhereAuthorized(line, first, method))
      .map((line) => `${line} under ${JSON.stringify({ ...first, user: "" })}`),
  ];
}

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const CONNECTIONS = new Set(["exec", "attach", "portforward", "proxy", "log"]);

function isOf(deed: Deed, on: ResourceAttributes, method: string): boolean {
  const { definition } = deed;
  const through = CONNECTIONS.has(on.subresource);
  if (through) return deed.does === "get" && on.verb === (VERBS[method] ?? "");
  const served = definition.versions.some(({ group, version }) => group === on.apiGroup && version === on.apiVersion);
  // The health of components is read from leases.
  if (on.resource === "componentstatuses") return deed.does === "get" && definition.plural === "leases";
  // A pod is bound through another resource.
  const sameResource = (served && definition.plural === on.resource) || on.resource === "bindings";
  const namespace = definition.plural === "namespaces" ? "" : on.namespace;
  const sameName = deed.name === on.name || on.verb === "deletecollection";
  const samePart = deed.subresource === on.subresource || deed.does === "get";
  return sameResource && deed.namespace === namespace && sameName && samePart && verbsOf(deed).includes(on.verb);
}

function verbsOf({ does }: Deed): readonly string[] {
  switch (does) {
    case "list":
      return ["list", "deletecollection"];
    case "changeInPlace":
    case "admitAction":
      return ["create"];
    case "delete":
      return ["delete", "deletecollection"];
    default:
      return [does];
  }
}

const AGENT_PATHS: Readonly<Record<string, string>> = {
  exec: "exec",
  attach: "attach",
  portforward: "portForward",
  log: "containerLogs",
};

function leadsWhereAuthorized(line: string, on: ResourceAttributes, method: string): boolean {
  if (on.verb !== (VERBS[method] ?? "")) return false;
  if (on.subresource === "proxy") return on.resource === "nodes" && on.name === "n1";
  const path = `/${AGENT_PATHS[on.subresource]}/${on.namespace}/${on.name}`;
  return on.resource === "pods" && line.split(" ")[1]?.startsWith(path) === true;
}

interface Place {
  /** `/api/v1` and so on. */
  readonly root: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespaced: boolean;
}

async function places(): Promise<Place[]> {
  const client = new ApiClient(server, server.admin);
  const { paths } = (await client.get("/")).json;
  const roots = paths.filter((path) => /^\/api\/v1$|^\/apis\/[^/]+\/[^/]+$/.test(path));
  const lists = await Promise.all(roots.map(async (root) => [root, (await client.get(root)).json.resources] as const));
  client.close();
  return lists.flatMap(([root, resources]) =>
    resources.map((each) => {
      const [resource = "", subresource = ""] = each.name.split("/");
      return { root, resource, subresource, namespaced: (each as Loose & { namespaced: boolean }).namespaced };
    }),
  );
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

/** Paths of a resource: its collection, an item, or a subresource. */
function urls({ root, resource, subresource, namespaced }: Place): string[] {
  const name = nameOf(resource);
  const within = namespaced ? `${root}/namespaces/${NAMESPACE}` : root;
  if (subresource !== "") return [`${within}/${resource}/${name}/${subresource}`];
  return [`${within}/${resource}`, `${within}/${resource}/${name}`, ...(namespaced ? [`${root}/${resource}`] : [])];
}

/** Parsing of a path knows groups, scopes and subresources, but no kinds: one group has all of its resources formed. */
const FORMED_ROOTS = ["/api/v1", "/apis/apps/v1", "/apis/rbac.authorization.orch.io/v1", "/apis/batch/v1"];
const isFormed = ({ root }: Place): boolean => FORMED_ROOTS.includes(root) || root.includes("authentication");

/** Unusual forms in which a path can be written. */
const FORMS: readonly (readonly [string, (url: string) => string])[] = [
  ["trailing slash", (url) => `${url}/`],
  ["trailing slashes", (url) => `${url}//`],
  ["leading slashes", (url) => `/${url}`],
  ["an empty part within", (url) => url.replace(/\/([^/]+)$/, "//$1")],
  ["an empty part before the resource", (url) => url.replace(/\/v1[^/]*\//, "$&/")],
  ["a dot", (url) => url.replace(/\/([^/]+)$/, "/./$1")],
  ["two dots", (url) => `${url}/../${"x"}`],
  ["encoded dots", (url) => url.replace(/\/([^/]+)$/, "/%2e%2e/$1")],
  ["the last slash encoded", (url) => url.replace(/\/([^/]+)$/, "%2F$1")],
  ["the slash before it encoded", (url) => url.replace(/\/([^/]+)(\/[^/]+)$/, "%2f$1$2")],
  ["the version's slash encoded", (url) => url.replace(/\/(v1[^/]*)/, "%2F$1")],
  ["a letter encoded", (url) => url.replace(/([a-z])$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
  ["upper case", (url) => url.replace(/\/([^/]+)$/, (part) => part.toUpperCase())],
  ["a parameter", (url) => `${url};a=b`],
  ["more path", (url) => `${url}/x/y`],
  ["an old watch path", (url) => url.replace(/(\/v[^/]+)/, "$1/watch")],
  ["an old proxy path", (url) => url.replace(/(\/v[^/]+)/, "$1/proxy")],
  ["one namespace within another", (url) => url.replace(/(\/v[^/]+)/, "$1/namespaces/other")],
  ["a whole address", (url) => `https://elsewhere.example${url}`],
  ["an encoded NUL", (url) => `${url}%00`],
  ["a selected name", (url) => `${url}?fieldSelector=metadata.name%3Dp1`],
  [
    "no name, and a selected one",
    (url) => `${url.replace(/\/([^/]+)\/([^/]+)$/, "//$2")}?fieldSelector=metadata.name%3Dp1`,
  ],
  ["two selected names", (url) => `${url}?fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db`],
  ["watching", (url) => `${url}?watch=true&timeoutSeconds=1`],
  ["watching twice", (url) => `${url}?watch=0&watch=1`],
  ["what is accessible alone", (url) => `${url}?accessible=true`],
  ["watching a selected name", (url) => `${url}?watch&fieldSelector=metadata.name%3D%3Dp1`],
];

async function sendAll(
  all: readonly Sent[],
  session?: ClientHttp2Session,
): Promise<{ readonly wrong: string[]; readonly done: number }> {
  const wrong: string[] = [];
  let done = 0;
  for (const sent of all) {
    await (session === undefined ? send(sent) : sendAsStream(session, sent));
    if (deeds.length + opened.length > 0) done += 1;
    wrong.push(...failures.splice(0).map((failure) => `${sent.method} ${sent.url}: ${failure}`));
    wrong.push(...differences(sent.method).map((difference) => `${sent.method} ${sent.url}: ${difference}`));
  }
  return { wrong, done };
}

describe("the executed action equals the authorized action", () => {
  let everyUrl: string[];
  /** URLs that are sent in each unusual form. */
  let formedUrls: string[];
  beforeAll(async () => {
    const all = await places();
    everyUrl = all.flatMap(urls);
    formedUrls = all.filter(isFormed).flatMap(urls);
  });

  test("each method on each served resource", async () => {
    expect(everyUrl.length).toBeGreaterThan(200);
    const all = everyUrl.flatMap((url) => METHODS.map((method) => ({ method, url })));
    const { wrong, done } = await sendAll(all);
    expect(wrong).toEqual([]);
    // Most methods are valid for most resources: a check that nothing differs is meaningless when nothing is done.
    expect(done).toBeGreaterThan(all.length / 4);
  }, 180_000);

  test.each(FORMS)(
    "with %s",
    async (_what, form) => {
      const all = formedUrls.flatMap((url) =>
        (url.includes("/pods/") || url.includes("/nodes/") ? METHODS : ["GET", "POST", "DELETE"]).map((method) => ({
          method,
          url: form(url),
        })),
      );
      const { wrong } = await sendAll(all);
      expect(wrong).toEqual([]);
    },
    60_000,
  );

  test("whatever other method its headers speak of", async () => {
    const headers = { "x-http-method-override": "DELETE", "x-http-method": "DELETE", "x-method-override": "DELETE" };
    const { wrong } = await sendAll(
      everyUrl.flatMap((url) => ["GET", "POST"].map((method) => ({ method, url, headers }))),
    );
    expect(wrong).toEqual([]);
    expect(asked.every(({ verb }) => verb !== "delete")).toBe(true);
  }, 60_000);

  test("when a connection is asked for as an upgrade, too", async () => {
    const headers = { connection: "Upgrade", upgrade: "x" };
    const parts = everyUrl.filter((url) => /\/(exec|attach|portforward|proxy)$/.test(url));
    const all = parts.flatMap((url) =>
      [
        url,
        `${url}/`,
        url.replace("/v1/", "/v1/watch/"),
        url.replace(/\/[pns]1\//, "//"),
        url.replace(/\/([^/]+)$/, "%2F$1"),
      ].flatMap((each) => ["GET", "POST", "DELETE"].map((method) => ({ method, url: each, headers }))),
    );
    const { wrong, done } = await sendAll(all);
    expect(wrong).toEqual([]);
    expect(done).toBeGreaterThan(parts.length);
    expect(opened.length).toBeLessThanOrEqual(1);
  });

  describe("over HTTP/2", () => {
    let session: ClientHttp2Session;
    // A client that closes as many watches as all forms together is disconnected.
    beforeEach(() => {
      const { certificate: cert, key } = server.issueClient({ name: USER });
      session = connect(server.url, { ca: server.ca, cert, key });
      asStreams = true;
    });
    afterEach(() => {
      asStreams = false;
      session.destroy();
    });

    test("each method on each served resource", async () => {
      const all = everyUrl.flatMap((url) => METHODS.map((method) => ({ method, url })));
      const { wrong, done } = await sendAll(all, session);
      expect(wrong).toEqual([]);
      expect(done).toBeGreaterThan(all.length / 4);
    }, 60_000);

    test.each(FORMS)(
      "with %s",
      async (_what, form) => {
        const all = formedUrls.map((url) => ({ method: "GET", url: form(url) }));
        const { wrong } = await sendAll(all, session);
        expect(wrong).toEqual([]);
      },
      60_000,
    );
  });

  test.each(["get", "BREW", "CONNECTED", "PROPFIND", "M-SEARCH"])("the HTTP/2 method %s", async (method) => {
    const { certificate: cert, key } = server.issueClient({ name: USER });
    const http2 = connect(server.url, { ca: server.ca, cert, key });
    for (const path of everyUrl) {
      asked = [];
      deeds = [];
      opened = [];
      recording = true;
      const stream = http2.request({ ":method": method, ":path": path });
      const code = await new Promise((resolve, reject) => {
        stream.on("response", (headers) => resolve(headers[":status"]));
        stream.on("error", reject);
      });
      stream.resume();
      await new Promise((resolve) => stream.on("end", resolve));
      recording = false;
      expect([path, code, deeds, opened]).toEqual([path, 405, [], []]);
      expect(asked).toEqual([expect.objectContaining({ kind: "resource", verb: "" })]);
    }
    http2.destroy();
  });
});
