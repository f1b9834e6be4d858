// Impersonation: the required permissions and the resulting user.
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { AuditEvent, AuditSink, AuditStage } from "@orch/audit";
import type { UserInfo } from "@orch/machinery";
import type { KeyAndCertificate } from "@orch/platform";
import { type RunningServer, startServer, startWithSeams } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { type Heard, sendHead, sendHttp2Head } from "../testing/raw-heads";
import { openWebSocket } from "../testing/web-socket-client";

const RBAC = "/apis/rbac.authorization.orch.io/v1";
const RBAC_GROUP = "rbac.authorization.orch.io";
const AUTHENTICATION = "authentication.orch.io";
const GET = `GET ${CONFIG_MAPS} HTTP/1.1`;

let server: RunningServer;
let admin: ApiClient;
let broker: KeyAndCertificate;
let stranger: KeyAndCertificate;
/** Audit events of the users of this file. */
let events: AuditEvent[] = [];
let wake: (() => void) | undefined;

const sink: AuditSink = {
  wants: ({ user, info }) =>
    user.name.startsWith("system:") || info.kind === "path"
      ? undefined
      : { level: "Metadata", omits: new Set<AuditStage>(["RequestReceived"]), omitManagedFields: false },
  hear(event) {
    events.push(event);
    wake?.();
  },
};

const firstEvent = (): Promise<AuditEvent> => firstOf(() => true);

/** Waits for an event: events may follow the answer. */
async function firstOf(isWanted: (event: AuditEvent) => boolean): Promise<AuditEvent> {
  for (;;) {
    const event = events.find(isWanted);
    if (event !== undefined) return event;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const rule = (resource: string, names: readonly string[], apiGroup = "") => ({
  verbs: ["impersonate"],
  apiGroups: [apiGroup],
  resources: [resource],
  ...(names.length === 0 ? {} : { resourceNames: names }),
});

/** Grants rules to a user, in a namespace or cluster-wide. */
async function grant(user: string, rules: readonly object[], namespace?: string): Promise<void> {
  const [role, path] = namespace === undefined ? ["ClusterRole", RBAC] : ["Role", `${RBAC}/namespaces/${namespace}`];
  const name = `of-${user}`;
  const singular = role.toLowerCase();
  const made = await admin.post(`${path}/${singular}s`, { metadata: { name }, rules });
  const bound = await admin.post(`${path}/${singular}bindings`, {
    metadata: { name },
    subjects: [{ kind: "User", name: user, apiGroup: RBAC_GROUP }],
    roleRef: { kind: role, name, apiGroup: RBAC_GROUP },
  });
  expect([made.code, bound.code]).toEqual([201, 201]);
}

/** Rules for exactly these names, where the resource has names. */
const BROKER_RULES = [
  rule("users", ["jane", "jörg", "a<b>", "system:anonymous", "system:serviceaccount:Prod:bot", "with, comma"]),
  rule("groups", ["devs", "ops", "a, b", "system:authenticated", "system:unauthenticated"]),
  rule("userextras/scopes", ["view", "edit"], AUTHENTICATION),
  rule("userextras/acme.com/project", [], AUTHENTICATION),
  rule("userextras/50%zz", ["x"], AUTHENTICATION),
  rule("userextras/__proto__", ["x"], AUTHENTICATION),
  rule("userextras/authentication.orch.io/groups", ['["ops"]'], AUTHENTICATION),
  rule("uids", ["7"], AUTHENTICATION),
];

beforeAll(async () => {
  server = await startWithSeams({}, { audit: [sink] });
  admin = new ApiClient(server, server.admin);
  broker = server.issueClient({ name: "broker", groups: ["brokers"] });
  stranger = server.issueClient({ name: "stranger" });
  await grant("broker", BROKER_RULES);
  await grant("broker", [rule("serviceaccounts", ["bot"])], "default");
  await grant("jane", [{ verbs: ["list", "watch"], apiGroups: [""], resources: ["configmaps"] }], "default");
  const client = new ApiClient(server, broker);
  // Waits until the rules are in force.
  while ((await client.get(CONFIG_MAPS, { headers: { "impersonate-user": "jane" } })).code !== 200);
  client.close();
  events = [];
}, 30_000);
afterAll(async () => {
  admin.close();
  await server.stop();
});
beforeEach(() => {
  events = [];
});

const U = "Impersonate-User: jane";
const OWN_PAGE = "Sec-Fetch-Site: same-origin";
const bytes = (text: string) => Buffer.from(text).toString("latin1");
const ask = (as: KeyAndCertificate, ...headers: readonly string[]): Promise<Heard> =>
  sendHead(server, as, GET, ["Host: a", ...headers]);
const statusIn = ({ text }: Heard) => JSON.parse(text.slice(text.indexOf("{"))) as Readonly<Record<string, unknown>>;

const user = (name: string, more: Partial<UserInfo> = {}): UserInfo => ({
  name,
  groups: ["system:authenticated"],
  ...more,
});
const groups = (...names: string[]) => ({ groups: names });

describe("an authorized impersonation sets", () => {
  test.each<[string, readonly string[], UserInfo]>([
    ["a user", [U], user("jane")],
    ["a user, whatever the case of the header", ["IMPERSONATE-uSER: jane"], user("jane")],
    ["a user with blanks around", ["Impersonate-User: \t jane \t"], user("jane")],
    ["a user beyond ASCII", [bytes("Impersonate-User: jörg")], user("jörg")],
    ["a user beyond ASCII, in one byte", ["Impersonate-User: j\xf6rg"], user("jörg")],
    ["a user with a comma", ["Impersonate-User: with, comma"], user("with, comma")],
    ["a user of a group", [U, "Impersonate-Group: devs"], user("jane", groups("devs", "system:authenticated"))],
    [
      "a user of several groups, in their order",
      [U, "impersonate-group: ops", "Impersonate-Group: devs"],
      user("jane", groups("ops", "devs", "system:authenticated")),
    ],
    [
      "a user of groups said before",
      ["Impersonate-Group: devs", U],
      user("jane", groups("devs", "system:authenticated")),
    ],
    [
      "a user of a group said twice",
      [U, "Impersonate-Group: devs", "Impersonate-Group: devs"],
      user("jane", groups("devs", "system:authenticated")),
    ],
    [
      "a user of several groups in one header, by a page of the server",
      [U, OWN_PAGE, bytes('Impersonate-Extra-authentication.orch.io%2fgroups: ["ops","devs","a, b"]')],
      user("jane", groups("ops", "devs", "a, b", "system:authenticated")),
    ],
    [
      "a user with an extra value about groups, by a program",
      [U, 'Impersonate-Extra-authentication.orch.io%2fgroups: ["ops"]'],
      user("jane", { extra: { "authentication.orch.io/groups": ['["ops"]'] } }),
    ],
    [
      "a user of one group with a comma",
      [U, "Impersonate-Group: a, b"],
      user("jane", groups("a, b", "system:authenticated")),
    ],
    [
      "among the authenticated but once",
      [U, "Impersonate-Group: system:authenticated", "Impersonate-Group: devs"],
      user("jane", groups("system:authenticated", "devs")),
    ],
    [
      "not among the authenticated who is asked for among those who are not",
      [U, "Impersonate-Group: system:unauthenticated"],
      user("jane", groups("system:unauthenticated")),
    ],
    ["anonymous", ["Impersonate-User: system:anonymous"], user("system:anonymous", groups("system:unauthenticated"))],
    [
      "anonymous with more groups",
      ["Impersonate-User: system:anonymous", "Impersonate-Group: system:authenticated"],
      user("system:anonymous", groups("system:authenticated", "system:unauthenticated")),
    ],
    [
      "a service account, with the groups of those",
      ["Impersonate-User: system:serviceaccount:default:bot"],
      user(
        "system:serviceaccount:default:bot",
        groups("system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"),
      ),
    ],
    [
      "a service account with other groups",
      ["Impersonate-User: system:serviceaccount:default:bot", "Impersonate-Group: devs"],
      user("system:serviceaccount:default:bot", groups("devs", "system:authenticated")),
    ],
    [
      "a user whose name is none of a service account",
      ["Impersonate-User: system:serviceaccount:Prod:bot"],
      user("system:serviceaccount:Prod:bot"),
    ],
    ["a user with more said", [U, "Impersonate-Extra-Scopes: view"], user("jane", { extra: { scopes: ["view"] } })],
    [
      "a user with several values of one key",
      [U, "Impersonate-Extra-scopes: view", "Impersonate-Extra-SCOPES: edit"],
      user("jane", { extra: { scopes: ["view", "edit"] } }),
    ],
    [
      "a user with an encoded key",
      [U, "Impersonate-Extra-Acme.com%2FProject: p1"],
      user("jane", { extra: { "acme.com/project": ["p1"] } }),
    ],
    [
      "a user with an empty value",
      [U, "Impersonate-Extra-acme.com%2Fproject:"],
      user("jane", { extra: { "acme.com/project": [""] } }),
    ],
    [
      "a user with a value beyond ASCII",
      [U, bytes("Impersonate-Extra-acme.com%2Fproject: größe")],
      user("jane", { extra: { "acme.com/project": ["größe"] } }),
    ],
    [
      "a user with a badly encoded key, as it is written",
      [U, "Impersonate-Extra-50%zz: x"],
      user("jane", { extra: { "50%zz": ["x"] } }),
    ],
    [
      "a user with a key that objects have anyway",
      [U, "Impersonate-Extra-__proto__: x"],
      user("jane", { extra: Object.fromEntries([["__proto__", ["x"]]]) }),
    ],
    ["a user with a UID", [U, "Impersonate-Uid: 7"], user("jane", { uid: "7" })],
    ["a user without a UID, where none is said", [U, "Impersonate-Uid:"], user("jane")],
  ])("%s", async (_what, headers, expected) => {
    await ask(broker, ...headers);
    const { impersonated, request } = await firstEvent();
    expect(impersonated).toStrictEqual(expected);
    expect(request.user).toEqual({ name: "broker", groups: ["brokers", "system:authenticated"] });
  });
});

const forbidden = (what: string, resource: string, where = "at the cluster scope") =>
  `${what} is forbidden: User "broker" cannot impersonate resource "${resource}" in API group ` +
  `"${/^user(extras)|^uids/.test(resource) ? AUTHENTICATION : ""}" ${where}`;

describe("each part of an identity is to be allowed by itself:", () => {
  test.each<[string, readonly string[], string, object]>([
    ["another user", ["Impersonate-User: root"], forbidden('users "root"', "users"), { name: "root", kind: "users" }],
    ["a user by part of a name", ["Impersonate-User: jan"], forbidden('users "jan"', "users"), { name: "jan" }],
    ["a user in other case", ["Impersonate-User: Jane"], forbidden('users "Jane"', "users"), { name: "Jane" }],
    ["a user like all", ["Impersonate-User: *"], forbidden('users "*"', "users"), { name: "*" }],
    ["another group", [U, "Impersonate-Group: qa"], forbidden('groups "qa"', "groups"), { name: "qa", kind: "groups" }],
    [
      "one group of many",
      [U, "Impersonate-Group: devs", "Impersonate-Group: system:masters", "Impersonate-Group: ops"],
      forbidden('groups "system:masters"', "groups"),
      { name: "system:masters" },
    ],
    ["two groups in one", [U, "Impersonate-Group: devs, ops"], forbidden('groups "devs, ops"', "groups"), {}],
    ["a group without a name", [U, "Impersonate-Group:"], forbidden("groups", "groups"), { kind: "groups" }],
    [
      "the groups of others who are authenticated not",
      [U, "Impersonate-Group: system:nodes"],
      forbidden('groups "system:nodes"', "groups"),
      {},
    ],
    [
      "another service account",
      ["Impersonate-User: system:serviceaccount:default:other"],
      forbidden('serviceaccounts "other"', "serviceaccounts", 'in the namespace "default"'),
      { name: "other", kind: "serviceaccounts" },
    ],
    [
      "a service account of another namespace",
      ["Impersonate-User: system:serviceaccount:orch-system:bot"],
      forbidden('serviceaccounts "bot"', "serviceaccounts", 'in the namespace "orch-system"'),
      { name: "bot" },
    ],
    ...[
      "system:serviceaccount:default:",
      "system:serviceaccount::bot",
      "system:serviceaccount:default",
      "system:serviceaccount:default:bot:x",
      "system:serviceaccount:de.fault:bot",
      "system:serviceaccount:default:Bot",
      "system:serviceaccount:default:bot/x",
      "SYSTEM:serviceaccount:default:bot",
    ].map((name): [string, readonly string[], string, object] => [
      `a user named ${name}`,
      [`Impersonate-User: ${name}`],
      forbidden(`users "${name}"`, "users"),
      { name, kind: "users" },
    ]),
    [
      "another value of a key",
      [U, "Impersonate-Extra-Scopes: all"],
      forbidden(`userextras.${AUTHENTICATION} "all"`, "userextras/scopes"),
      { name: "all", group: AUTHENTICATION, kind: "userextras" },
    ],
    [
      "one value of many",
      [U, "Impersonate-Extra-Scopes: view", "Impersonate-Extra-Scopes: all"],
      forbidden(`userextras.${AUTHENTICATION} "all"`, "userextras/scopes"),
      {},
    ],
    [
      "another key",
      [U, "Impersonate-Extra-Other: view"],
      forbidden(`userextras.${AUTHENTICATION} "view"`, "userextras/other"),
      {},
    ],
    [
      "part of a key",
      [U, "Impersonate-Extra-acme.com: view"],
      forbidden(`userextras.${AUTHENTICATION} "view"`, "userextras/acme.com"),
      {},
    ],
    [
      "a key encoded twice",
      [U, "Impersonate-Extra-acme.com%252Fproject: p"],
      forbidden(`userextras.${AUTHENTICATION} "p"`, "userextras/acme.com%2fproject"),
      {},
    ],
    [
      "a value without text, where values are named",
      [U, "Impersonate-Extra-Scopes:"],
      forbidden(`userextras.${AUTHENTICATION}`, "userextras/scopes"),
      { group: AUTHENTICATION, kind: "userextras" },
    ],
    [
      "a group among several in one header, by a page of the server",
      [U, OWN_PAGE, 'Impersonate-Extra-authentication.orch.io%2fgroups: ["ops","qa"]'],
      forbidden('groups "qa"', "groups"),
      { name: "qa", kind: "groups" },
    ],
    [
      "another UID",
      [U, "Impersonate-Uid: 8"],
      forbidden(`uids.${AUTHENTICATION} "8"`, "uids"),
      { name: "8", group: AUTHENTICATION, kind: "uids" },
    ],
    [
      "the first that is not",
      ["Impersonate-Uid: 8", "Impersonate-Extra-Other: x", "Impersonate-Group: qa", "Impersonate-User: root"],
      forbidden('users "root"', "users"),
      {},
    ],
  ])("%s", async (_what, headers, message, details) => {
    const heard = await ask(broker, ...headers);
    expect(heard.code).toBe(403);
    expect(statusIn(heard)).toMatchObject({ kind: "Status", reason: "Forbidden", message, details, code: 403 });
    // The event names no other user.
    expect(await firstEvent()).toMatchObject({
      code: 403,
      impersonated: undefined,
      request: { user: { name: "broker" } },
    });
  });
});

describe("an invalid impersonation is rejected, for privileged users as well:", () => {
  test.each<[string, readonly string[], number, string]>([
    ["an empty name", ["Impersonate-User:"], 400, "impersonate-user: must name a user"],
    ["a blank name", ["Impersonate-User: \t "], 400, "impersonate-user: must name a user"],
    ["two users", [U, "Impersonate-User: root"], 400, "impersonate-user: must occur once"],
    ["one user twice", [U, "impersonate-user: jane"], 400, "impersonate-user: must occur once"],
    ["a user after an empty one", ["Impersonate-User:", U], 400, "impersonate-user: must occur once"],
    ["an empty user after one", [U, "Impersonate-User:"], 400, "impersonate-user: must occur once"],
    ["two UIDs", [U, "Impersonate-Uid: 7", "Impersonate-Uid: 8"], 400, "impersonate-uid: must occur once"],
    ["a group of nobody", ["Impersonate-Group: devs"], 500, "requested [groups] without impersonating a user"],
    ["a group of an empty name", ["Impersonate-User:", "Impersonate-Group: devs"], 500, "requested [groups] without"],
    ["more of nobody", ["Impersonate-Extra-A: b"], 500, "requested [userextras/a] without impersonating a user"],
    ["a UID of nobody", ["Impersonate-Uid: 7"], 500, "requested [uids] without impersonating a user"],
    [
      "everything of nobody",
      ["Impersonate-Uid: 7", "Impersonate-Extra-A: b", "Impersonate-Group: devs"],
      500,
      "requested [groups userextras/a uids] without impersonating a user",
    ],
    ["no key", [U, "Impersonate-Extra-: x"], 400, "impersonate-extra-: must be followed by a key"],
    ["no key at all", [U, "Impersonate-Extra: x"], 403, "impersonate-extra: unknown impersonation header"],
    ["a key with a line's end", [U, "Impersonate-Extra-a%0Ab: x"], 400, "a key must be in lower case"],
    ["a key with a zero", [U, "Impersonate-Extra-%00: x"], 400, "a key must be in lower case"],
    ["a key that begins with a space", [U, "Impersonate-Extra-%20a: x"], 400, "a key must be in lower case"],
    ["an encoded capital", [U, "Impersonate-Extra-%41: x"], 400, "a key must be in lower case"],
    ["an underscore", ["Impersonate_User: jane"], 403, "impersonate_user: unknown impersonation header"],
    ["an underscore in a group", [U, "Impersonate_Group: a"], 403, "impersonate_group: unknown impersonation header"],
    [
      "an underscore further on",
      [U, "Impersonate-Extra_a: b"],
      403,
      "impersonate-extra_a: unknown impersonation header",
    ],
    ["another header", [U, "Impersonate-Role: x"], 403, "impersonate-role: unknown impersonation header"],
    ["a control character in a user", ["Impersonate-User: ja\x01ne"], 400, ""],
    ["a control character in a group", [U, "Impersonate-Group: a\x7fb"], 400, ""],
    ["a line that goes on", ["Impersonate-User: jane", " doe"], 400, ""],
  ])("%s", async (_what, headers, code, text) => {
    const heard = await ask(server.admin, ...headers);
    expect(heard.code).toBe(code);
    if (text !== "") expect(statusIn(heard)["message"]).toContain(text);
  });

  test("trailers are ignored", async () => {
    const post = `POST ${CONFIG_MAPS} HTTP/1.1`;
    const chunked = ["Host: a", "Content-Type: application/json", "Transfer-Encoding: chunked"];
    const body = "\r\n2\r\n{}\r\n0\r\nImpersonate-User: jane";
    const heard = await sendHead(server, server.admin, post, [...chunked, body]);
    // The request is validated as the sender's own.
    expect([heard.code, heard.text]).toEqual([422, expect.anything()]);
  });
});

describe("it is that user's request:", () => {
  test("the request has the permissions of the impersonated user", async () => {
    expect((await ask(broker)).code).toBe(403);
    expect((await ask(broker, U)).code).toBe(200);
    const refused = await sendHead(server, server.admin, `GET /api/v1/nodes HTTP/1.1`, ["Host: a", U]);
    expect(statusIn(refused)["message"]).toBe(
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    const markup = await ask(broker, "Impersonate-User: a<b>");
    expect(statusIn(markup)["message"]).toContain('User "a&lt;b&gt;" cannot list');
  });

  test("impersonation gives exactly the permissions of the impersonated user", async () => {
    const heard = await ask(server.admin, "Impersonate-User: root");
    expect(heard.code).toBe(403);
    expect((await ask(server.admin, "Impersonate-User: root", "Impersonate-Group: system:masters")).code).toBe(200);
  });

  test("a path beside the resources too", async () => {
    const heard = await sendHead(server, server.admin, "GET /metrics HTTP/1.1", ["Host: a", U]);
    expect(statusIn(heard)["message"]).toBe('forbidden: User "jane" cannot get path "/metrics"');
  });

  test("reviews of oneself are of that user", async () => {
    const review = (resource: string) => ({
      spec: { resourceAttributes: { verb: "list", resource, namespace: "default" } },
    });
    const path = "/apis/authorization.orch.io/v1/selfsubjectaccessreviews";
    const asJane = { "impersonate-user": "jane" };
    expect((await admin.post(path, review("configmaps"), asJane)).json.status).toMatchObject({ allowed: true });
    expect((await admin.post(path, review("secrets"), asJane)).json.status).toMatchObject({ allowed: false });
  });

  test("a forbidden impersonation returns no further information and no warning", async () => {
    for (const headers of [[U], ["Impersonate-User: stranger"], ["Impersonate-User: system:anonymous"]]) {
      const heard = await ask(stranger, ...headers);
      expect(heard.code).toBe(403);
      expect(heard.text).toContain('User \\"stranger\\" cannot impersonate');
      expect(heard.text).not.toMatch(/^warning:/im);
    }
    const anybody = new ApiClient(server);
    const { code, json } = await anybody.get(CONFIG_MAPS, { headers: { "impersonate-user": "jane" } });
    expect([code, json.message]).toEqual([403, expect.stringContaining('User "system:anonymous" cannot impersonate')]);
    anybody.close();
  });

  test("watches, and connections that are upgraded, are that user's", async () => {
    const own = await openWebSocket(server, `${CONFIG_MAPS}?watch=1`, { "impersonate-user": "jane" });
    expect(own.code).toBe(101);
    own.socket?.destroy();
    const others = await openWebSocket(server, "/api/v1/nodes?watch=1", { "impersonate-user": "jane" });
    expect(others.code).toBe(403);
    const watch = await admin.watch(`${CONFIG_MAPS}?watch=1`, { headers: { "impersonate-user": "jane" } });
    expect(watch.code).toBe(200);
    watch.close();
    const refused = await admin.watch("/api/v1/nodes?watch=1", { headers: { "impersonate-user": "jane" } });
    expect(refused.code).toBe(403);
  });

  test("a connection that has carried one carries its own next", async () => {
    const client = new ApiClient(server, server.admin);
    const codes = [];
    for (const headers of [{}, { "impersonate-user": "root" }, {}, { "impersonate-user": "jane" }]) {
      codes.push((await client.get("/api/v1/nodes", { headers })).code);
    }
    expect(codes).toEqual([200, 403, 200, 403]);
    client.close();
  });
});

describe("over HTTP/2", () => {
  let session: ClientHttp2Session;
  beforeAll(() => {
    const { certificate: cert, key } = broker;
    session = connectHttp2(server.url, { ca: server.ca, cert, key });
  });
  afterAll(() => session.destroy());

  test.each<[string, Readonly<Record<string, string | string[]>>, number]>([
    ["a user", { "impersonate-user": "jane" }, 200],
    ["another user", { "impersonate-user": "root" }, 403],
    ["groups", { "impersonate-user": "jane", "impersonate-group": ["devs", "ops"] }, 200],
    ["another group", { "impersonate-user": "jane", "impersonate-group": ["devs", "qa"] }, 403],
    ["an empty user", { "impersonate-user": "" }, 400],
    ["two groups of nobody", { "impersonate-group": ["devs", "ops"] }, 500],
    ["a key", { "impersonate-user": "jane", "impersonate-extra-acme.com%2fproject": "p" }, 200],
  ])("%s", async (_what, headers, code) => {
    expect((await sendHttp2Head(session, CONFIG_MAPS, headers)).code).toBe(code);
  });
});

describe("the maximum number of groups in a request head", () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `Impersonate-Group: g${at}`);

  test("are asked for one by one, while others are served", async () => {
    await grant("porter", [rule("users", []), rule("groups", [])]);
    const porter = server.issueClient({ name: "porter" });
    while ((await ask(porter, U, "Impersonate-Group: devs")).code !== 200);
    await firstOf(({ request, code }) => request.user.name === "porter" && code === 200);
    events = [];
    expect((await ask(porter, U, ...many(2000))).code).toBe(200);
    expect((await firstEvent()).impersonated?.groups).toHaveLength(2001);
  });

  test("are none where one of them is not allowed", async () => {
    const heard = await ask(broker, U, "Impersonate-Group: devs", ...many(2000));
    expect(statusIn(heard)["message"]).toContain('groups "g0" is forbidden');
  });
});

test("releases before it know no UID, and leave nothing out in silence", async () => {
  const older = await startServer({ flags: { "emulated-release": "1.21" } });
  const send = (...headers: string[]) => sendHead(older, older.admin, GET, ["Host: a", ...headers]);
  const heard = await send(U, "Impersonate-Uid: 7");
  expect(heard.code).toBe(403);
  expect(statusIn(heard)["message"]).toBe("impersonate-uid: unknown impersonation header");
  expect(statusIn(await send(U))["message"]).toContain('User "jane" cannot list');
  await older.stop();
});
