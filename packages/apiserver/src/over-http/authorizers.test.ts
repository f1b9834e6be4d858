// Authorization modes beyond the server's own objects, over a real server: policy files, webhooks over TLS, and the
// configuration file with several authorizers.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { SILENT } from "@orch/observability";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { type AccessWebhook, accessWebhook } from "../testing/access-webhook";
import { type Answer, ApiClient, CONFIG_MAPS } from "../testing/api-client";

const REVIEWS = "/apis/authorization.orch.io/v1";
const folder = mkdtempSync(join(tmpdir(), "authorizers-"));
let files = 0;
const running: { readonly server: RunningServer; readonly clients: ApiClient[] }[] = [];

afterEach(async () => {
  for (const { server, clients } of running.splice(0)) {
    for (const client of clients) client.close();
    await server.stop();
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Replaces a file atomically. */
function write(text: string, path = join(folder, `file-${files++}`)): string {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

async function start(flags: NonNullable<StartOptions["flags"]>) {
  const server = await startServer({ flags });
  const clients: ApiClient[] = [];
  running.push({ server, clients });
  const client = (name?: string, ...groups: string[]) => {
    const made = new ApiClient(server, name === undefined ? undefined : server.issueClient({ name, groups }));
    clients.push(made);
    return made;
  };
  const admin = new ApiClient(server, server.admin);
  clients.push(admin);
  return { server, client, admin };
}

async function until(ask: () => Promise<Answer>, holds: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Resolves when a metric has reached a value; scrapes may be one second old. */
async function untilCounted(admin: ApiClient, line: string, least: number): Promise<void> {
  for (;;) {
    const { text } = await admin.get("/metrics");
    const value =
      text
        .split("\n")
        .find((each) => each.startsWith(`${line} `))
        ?.split(" ")[1] ?? 0;
    if (Number(value) >= least) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("policy files", () => {
  const line = (spec: object) =>
    `${JSON.stringify({ apiVersion: "abac.authorization.orch.io/v1beta1", kind: "Policy", spec })}\n`;
  const rules = line({ user: "*", apiGroup: "authorization.orch.io", resource: "selfsubjectrulesreviews" });
  const reader = line({ user: "jane", namespace: "default", resource: "configmaps", apiGroup: "", readonly: true });

  test("allow what their lines do, and are in force as soon as they change, unless they are wrong", async () => {
    const path = write(reader + rules);
    const { client, admin } = await start({ "authorization-mode": ["ABAC"], "authorization-policy-file": path });
    const jane = client("jane");
    expect((await jane.get(CONFIG_MAPS)).code).toBe(200);
    const refused = await jane.post(CONFIG_MAPS, { metadata: { name: "x" } });
    expect([refused.code, refused.json.message]).toEqual([
      403,
      'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default": No policy matched.',
    ]);
    expect((await client().get(CONFIG_MAPS)).code).toBe(403);

    write("nonsense\n", path);
    const failed = 'apiserver_configuration_reloads_total{option="authorization-policy-file",result="failure"}';
    await untilCounted(admin, failed, 1);
    expect((await jane.get(CONFIG_MAPS)).code).toBe(200);

    write(reader.replace("true", "false") + rules, path);
    await until(
      () => jane.post(CONFIG_MAPS, { metadata: { name: "x" } }),
      ({ code }) => code === 201,
    );
    await untilCounted(admin, 'apiserver_authorization_decisions_total{type="ABAC",name="abac",decision="allowed"}', 3);
    const listed = await jane.post(`${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace: "default" } });
    expect(listed.json.status).toMatchObject({
      resourceRules: [{ verbs: ["*"], apiGroups: [""], resources: ["configmaps"] }],
      incomplete: false,
    });
  });

  test.each<[string, NonNullable<StartOptions["flags"]>, RegExp]>([
    [
      "that are wrong",
      { "authorization-mode": ["ABAC"], "authorization-policy-file": write("{}\n{]") },
      /--authorization-policy-file: error reading policy file .*, line 2: \{\]: /,
    ],
    [
      "that are not there",
      { "authorization-mode": ["ABAC"], "authorization-policy-file": join(folder, "none") },
      /--authorization-policy-file: ENOENT/,
    ],
    ["that nobody names", { "authorization-mode": ["ABAC"] }, /ABAC requires --authorization-policy-file/],
    [
      "without their mode",
      { "authorization-policy-file": write("{}") },
      /--authorization-policy-file requires --authorization-mode=ABAC/,
    ],
    [
      "of webhooks that nobody names",
      { "authorization-mode": ["Webhook"] },
      /requires --authorization-webhook-config-file/,
    ],
  ])("%s stop the start", async (_what, flags, message) => {
    await expect(startServer({ flags })).rejects.toThrow(message);
  });
});

describe("a webhook", () => {
  let webhook: AccessWebhook;
  beforeAll(async () => {
    webhook = await accessWebhook();
  });
  afterEach(() => {
    webhook.asked.length = 0;
  });
  afterAll(() => webhook.close());

  const flagsOf = (more: NonNullable<StartOptions["flags"]> = {}): NonNullable<StartOptions["flags"]> => ({
    "authorization-mode": ["Webhook", "RBAC"],
    "authorization-webhook-config-file": write(webhook.configuration()),
    "authorization-webhook-version": "v1",
    ...more,
  });

  test("decides before those who come after it, is asked once, and its reason is told", async () => {
    webhook.answer = ({ user, resourceAttributes }) =>
      user === "jane"
        ? { allowed: resourceAttributes?.["verb"] === "list", reason: "a reader" }
        : { allowed: false, denied: user === "banned", reason: "go away" };
    const { client, admin } = await start(flagsOf());
    const jane = client("jane");
    for (let times = 0; times < 3; times += 1) expect((await jane.get(CONFIG_MAPS)).code).toBe(200);
    expect(webhook.asked.filter(({ spec }) => spec.user === "jane")).toEqual([
      {
        apiVersion: "authorization.orch.io/v1",
        kind: "SubjectAccessReview",
        metadata: {},
        spec: {
          resourceAttributes: { namespace: "default", verb: "list", version: "v1", resource: "configmaps" },
          ...{ user: "jane", groups: ["system:authenticated"] },
        },
        status: { allowed: false },
      },
    ]);
    expect((await jane.get(`${CONFIG_MAPS}/x`)).json.message).toMatch(/in the namespace "default": a reader$/);
    // The binding of the discovery role would allow the request.
    const banned = await client("banned").get("/version");
    expect([banned.code, banned.json.message]).toEqual([
      403,
      'forbidden: User "banned" cannot get path "/version": go away',
    ]);
    expect((await client("ann").get("/version")).code).toBe(200);
    const review = { spec: { user: "banned", resourceAttributes: { verb: "get", resource: "pods" } } };
    const reviewed = await admin.post(`${REVIEWS}/subjectaccessreviews`, review);
    expect(reviewed.json.status).toEqual({ allowed: false, denied: true, reason: "go away" });
    const rules = await jane.post(`${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace: "default" } });
    expect(rules.json.status).toMatchObject({
      incomplete: true,
      evaluationError: "webhook authorizer does not support user rule resolution",
    });
  });

  test.each<[string, AccessWebhook["answer"], RegExp]>([
    ["answers garbage", (_spec, response) => void response.end("<html>"), /it is not JSON$/],
    [
      "answers more than it may",
      (_spec, response) => void response.end("x".repeat(3 * 1024 * 1024)),
      /more than 524288 bytes$/,
    ],
    ["answers without an end", (_spec, response) => endless(response), /more than 524288 bytes$/],
    [
      "leads elsewhere",
      (_spec, response) => void response.writeHead(302, { location: "https://127.0.0.1:1/" }).end(),
      /the server|302/i,
    ],
    ["says that it may not be asked", (_spec, response) => void response.writeHead(403).end("no"), /./],
  ])("that %s is a failure, which whoever may anyway does not notice", async (_what, answer, why) => {
    webhook.answer = answer;
    const { client, admin } = await start(flagsOf());
    expect((await client("ann").get("/version")).code).toBe(200);
    const jane = client("jane");
    const failed = await jane.get(CONFIG_MAPS);
    expect([failed.code, failed.headers["content-type"], failed.headers["x-content-type-options"]]).toEqual([
      500,
      "text/plain; charset=utf-8",
      "nosniff",
    ]);
    expect(failed.text).toMatch(/^Internal Server Error: "\/api\/v1\/namespaces\/default\/configmaps": /);
    const question = { spec: { user: "jane", resourceAttributes: { verb: "get", resource: "pods" } } };
    const reviewed = await admin.post(`${REVIEWS}/subjectaccessreviews`, question);
    expect(reviewed.json.status).toMatchObject({ allowed: false, evaluationError: expect.stringMatching(why) });
    const calls = 'apiserver_authorization_webhook_evaluations_total{name="default",result="error"}';
    await untilCounted(admin, calls, 1);
    await untilCounted(admin, 'authorization_attempts_total{result="error"}', 1);
  });

  test("a hanging webhook does not delay requests that do not need it", async () => {
    webhook.answer = () => undefined;
    const { client, admin } = await start(flagsOf());
    const waiting = client("jane").get(CONFIG_MAPS);
    waiting.catch(() => {});
    while (webhook.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let times = 0; times < 20; times += 1) expect((await admin.get(CONFIG_MAPS)).code).toBe(200);
  });

  test("is found again where its configuration has changed", async () => {
    const other = await accessWebhook(() => ({ allowed: true }));
    webhook.answer = () => ({ allowed: false });
    const path = write(webhook.configuration());
    const flags = flagsOf({
      "authorization-webhook-config-file": path,
      "authorization-webhook-cache-unauthorized-ttl": 0,
    });
    const { client } = await start(flags);
    const jane = client("jane");
    expect((await jane.get(CONFIG_MAPS)).code).toBe(403);
    write(other.configuration(), path);
    await until(
      () => jane.get(CONFIG_MAPS),
      ({ code }) => code === 200,
    );
    await other.close();
  });
});

const endless = (response: NodeJS.WritableStream): undefined => {
  const more = () => {
    while (response.writable && response.write("y".repeat(65_536)));
  };
  response.on("drain", more);
  response.on("error", () => {});
  more();
  return undefined;
};

describe("--authorization-config", () => {
  const configuration = (authorizers: readonly object[]) =>
    JSON.stringify({ apiVersion: "apiserver.config.orch.io/v1", kind: "AuthorizationConfiguration", authorizers });
  const webhookOf = (name: string, kubeConfigFile: string, more: object = {}) => ({
    type: "Webhook",
    name,
    webhook: {
      ...{ timeout: "3s", authorizedTTL: "30s", unauthorizedTTL: "30s", subjectAccessReviewVersion: "v1" },
      ...{ failurePolicy: "Deny", connectionInfo: { type: "KubeConfigFile", kubeConfigFile } },
      ...more,
    },
  });

  test("asks several webhooks in its order, where their conditions hold, and is in force as soon as it changes", async () => {
    const first = await accessWebhook(({ user }) => ({ allowed: user === "jane", denied: user === "banned" }));
    const second = await accessWebhook(() => ({ allowed: true }));
    const [one, two] = [first, second].map((webhook) => write(webhook.configuration())) as [string, string];
    const conditions = {
      matchConditionSubjectAccessReviewVersion: "v1",
      matchConditions: [
        { expression: "has(request.resourceAttributes)" },
        { expression: "request.resourceAttributes.resource == 'configmaps' && !('ops' in request.groups)" },
      ],
    };
    const path = write(
      configuration([
        webhookOf("first", one, conditions),
        { type: "RBAC", name: "rbac" },
        webhookOf("second", two, {
          ...conditions,
          matchConditions: [{ expression: "request.user == 'late'" }],
        }),
      ]),
    );
    const { client, admin } = await start({ "authorization-config": path });
    expect((await client("jane").get(CONFIG_MAPS)).code).toBe(200);
    expect((await client("banned").get(CONFIG_MAPS)).code).toBe(403);
    expect((await client("late").get(CONFIG_MAPS)).code).toBe(200);
    const askedFirst = first.asked.length;
    expect((await client("jane").get("/version")).code).toBe(200);
    expect((await client("jane").get("/api/v1/namespaces/default/secrets")).code).toBe(403);
    expect((await client("banned", "ops").get(CONFIG_MAPS)).code).toBe(403);
    expect(first.asked.length).toBe(askedFirst);
    expect(second.asked.map(({ spec }) => spec.user)).toEqual(["late"]);
    const of = '{type="Webhook",name="first"';
    await untilCounted(admin, `apiserver_authorization_decisions_total${of},decision="allowed"}`, 1);
    await untilCounted(admin, `apiserver_authorization_decisions_total${of},decision="denied"}`, 1);
    await untilCounted(admin, `apiserver_authorization_match_condition_exclusions_total${of}}`, 3);

    write(configuration([{ type: "RBAC", name: "rbac", webhook: {} }]), path);
    const failed = 'apiserver_configuration_reloads_total{option="authorization-config",result="failure"}';
    await untilCounted(admin, failed, 1);
    expect((await client("jane").get(CONFIG_MAPS)).code).toBe(200);
    write(configuration([{ type: "RBAC", name: "rbac" }]), path);
    const jane = client("jane");
    await until(
      () => jane.get(CONFIG_MAPS),
      ({ code }) => code === 403,
    );
    await Promise.all([first.close(), second.close()]);
  });

  test("may bring node agents in while the server runs: they have what was there before", async () => {
    const roles = { type: "RBAC", name: "rbac" };
    const path = write(configuration([roles]));
    const { client, admin } = await start({ "authorization-config": path });
    const secrets = "/api/v1/namespaces/default/secrets";
    await admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    await admin.post(secrets, { metadata: { name: "password" } });
    const volumes = [{ name: "v", secret: { secretName: "password" } }];
    const spec = { nodeName: "n1", containers: [{ name: "c", image: "c" }], volumes };
    expect((await admin.post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec })).code).toBe(201);
    const node = client("system:node:n1", "system:nodes");
    expect((await node.get(`${secrets}/password`)).code).toBe(403);
    write(configuration([{ type: "Node", name: "node" }, roles]), path);
    await until(
      () => node.get(`${secrets}/password`),
      ({ code }) => code === 200,
    );
  });

  test("with conditions that cannot say, refuses or goes on as its failure policy says", async () => {
    const webhook = await accessWebhook(() => ({ allowed: true }));
    const path = write(webhook.configuration());
    const cannotSay = {
      matchConditionSubjectAccessReviewVersion: "v1",
      matchConditions: [{ expression: "request.nonResourceAttributes.path == '/x'" }],
    };
    for (const [failurePolicy, code] of [
      ["Deny", 500],
      ["NoOpinion", 200],
    ] as const) {
      const text = configuration([
        webhookOf("one", path, { ...cannotSay, failurePolicy }),
        { type: "AlwaysAllow", name: "all" },
      ]);
      const { client, admin } = await start({ "authorization-config": write(text) });
      expect((await client("jane").get(CONFIG_MAPS)).code).toBe(code);
      const errors = 'apiserver_authorization_match_condition_evaluation_errors_total{type="Webhook",name="one"}';
      await untilCounted(admin, errors, 1);
      // Anonymous users are not authenticated when no authorizer would restrict them.
      expect((await client().get(CONFIG_MAPS)).code).toBe(401);
    }
    expect(webhook.asked).toEqual([]);
    await webhook.close();
  });

  test("excludes the options that it takes the place of, and wrong files stop the start", async () => {
    const path = write(configuration([{ type: "RBAC", name: "rbac" }]));
    await expect(
      startServer({ flags: { "authorization-config": path, "authorization-mode": ["RBAC"] } }),
    ).rejects.toThrow("--authorization-config and --authorization-mode are mutually exclusive");
    const nodes = write(configuration([{ type: "ABAC", name: "abac" }]));
    await expect(startServer({ flags: { "authorization-config": nodes } })).rejects.toThrow(
      "--authorization-config: authorizers[0].type: ABAC requires --authorization-policy-file",
    );
    const large = write(" ".repeat(3 * 1024 * 1024));
    await expect(startServer({ flags: { "authorization-config": large } })).rejects.toThrow(
      "--authorization-config: it has 3145728 bytes; at most 131072 are allowed",
    );
  });
});

test.each([
  ["0.0.0.0", "AlwaysAllow", 1],
  ["127.0.0.1", "AlwaysAllow", 0],
  ["0.0.0.0", "RBAC", 0],
])("on %s, %s gives %i warnings of an open door", async (address, mode, count) => {
  const warn = jest.fn<(text: string) => void>();
  const flags = { "bind-address": address, "authorization-mode": [mode] };
  const server = await startServer({ flags, logger: { ...SILENT, warn } });
  await server.stop();
  const told = warn.mock.calls.filter(([text]) => text.includes("accepts connections from other machines"));
  expect(told).toHaveLength(count);
});

describe("selectors of requests", () => {
  const PODS = "/api/v1/namespaces/default/pods";
  const FIELDS = { requirements: [{ key: "spec.nodeName", operator: "In", values: ["n1"] }] };
  const LABELS = { requirements: [{ key: "app", operator: "Exists" }] };
  let hook: AccessWebhook;

  beforeAll(async () => {
    hook = await accessWebhook(() => ({ allowed: true }));
  });
  afterAll(() => hook.close());

  async function askedAt(release: string, gate?: boolean) {
    const path = write(hook.configuration());
    const gates = gate === undefined ? {} : { "feature-gates": { AuthorizeWithSelectors: gate } };
    const flags = { "authorization-mode": ["Webhook"], "authorization-webhook-config-file": path, ...gates };
    const { client } = await start({ ...flags, "emulated-release": release });
    hook.asked.length = 0;
    const jane = client("jane");
    await jane.get(`${PODS}?fieldSelector=spec.nodeName%3Dn1&labelSelector=app`);
    await jane.get(`${PODS}/p?fieldSelector=spec.nodeName%3Dn1`);
    await jane.get(`${PODS}?fieldSelector=wrong`);
    await jane.delete(`${PODS}?labelSelector=app`);
    await jane.get("/api/v1/watch/namespaces/default/pods?labelSelector=app&timeoutSeconds=1");
    const errors: unknown[] = [];
    const review = async (...[fieldSelector, labelSelector]: object[]) => {
      const attributes = { verb: "list", resource: "pods", fieldSelector, labelSelector };
      const { json } = await jane.post(`${REVIEWS}/subjectaccessreviews`, {
        spec: { user: "x", resourceAttributes: attributes },
      });
      errors.push((json.status as { evaluationError?: string } | undefined)?.evaluationError);
    };
    await review({ rawSelector: "spec.nodeName=n1" }, LABELS);
    const [exists, later] = [LABELS.requirements[0], { key: "a", operator: "Later", values: ["b"] }];
    await review({ requirements: [exists, later] }, { requirements: [exists, later] });
    await review({ rawSelector: "wrong" }, { rawSelector: "a=b=c" });
    const asked = hook.asked
      .map(({ spec }) => spec.resourceAttributes as Readonly<Record<string, unknown>> | undefined)
      .filter((attributes) => attributes?.["resource"] === "pods")
      .map((attributes) => [attributes?.["verb"], attributes?.["fieldSelector"], attributes?.["labelSelector"]]);
    return { asked, errors };
  }

  test.each<[string, boolean | undefined]>([
    ["1.36", undefined],
    ["1.32", undefined],
    ["1.31", true],
  ])("reach authorization webhooks at %s with the gate %s", async (release, gate) => {
    const { asked, errors } = await askedAt(release, gate);
    expect(asked).toEqual([
      ["list", FIELDS, LABELS],
      ["get", undefined, undefined],
      ["list", undefined, undefined],
      ["deletecollection", undefined, LABELS],
      ["watch", undefined, undefined],
      ["list", FIELDS, LABELS],
      ["list", undefined, LABELS],
      // The last review equals the invalid list but for its user.
      ["list", undefined, undefined],
    ]);
    const at = "spec.resourceAttributes";
    expect(errors).toEqual([
      undefined,
      `${at}.fieldSelector ignored due to parse error; ${at}.labelSelector partially ignored due to parse error`,
      `${at}.fieldSelector ignored due to parse error; ${at}.labelSelector ignored due to parse error`,
    ]);
  });

  test.each<[string, boolean | undefined]>([
    ["1.30", undefined],
    ["1.31", undefined],
    ["1.32", false],
  ])("do not reach authorization webhooks at %s with the gate %s", async (release, gate) => {
    const { asked, errors } = await askedAt(release, gate);
    expect(asked.flatMap(([, fields, labels]) => [fields, labels]).filter((each) => each !== undefined)).toEqual([]);
    expect(errors).toEqual([undefined, undefined, undefined]);
  });

  test("decide in conditions of webhooks", async () => {
    const kubeConfigFile = write(hook.configuration());
    const matchConditions = [
      { expression: "has(request.resourceAttributes) && has(request.resourceAttributes.labelSelector)" },
      {
        expression:
          "request.resourceAttributes.labelSelector.requirements.all(r, r.key == 'app' && size(r.values) < 2)",
      },
    ];
    const webhook = {
      ...{ timeout: "3s", authorizedTTL: "30s", unauthorizedTTL: "30s", subjectAccessReviewVersion: "v1" },
      ...{ failurePolicy: "Deny", connectionInfo: { type: "KubeConfigFile", kubeConfigFile } },
      ...{ matchConditionSubjectAccessReviewVersion: "v1", matchConditions },
    };
    const path = write(
      JSON.stringify({
        ...{ apiVersion: "apiserver.config.orch.io/v1", kind: "AuthorizationConfiguration" },
        authorizers: [{ type: "Webhook", name: "hook", webhook }],
      }),
    );
    const { client } = await start({ "authorization-config": path, "emulated-release": "1.36" });
    const jane = client("jane");
    const codes: number[] = [];
    for (const selector of ["app", "app=x", "app in (x,y)", "other", ""]) {
      codes.push((await jane.get(`${PODS}?labelSelector=${encodeURIComponent(selector)}`)).code);
    }
    expect(codes).toEqual([200, 200, 403, 403, 403]);
  });
});
