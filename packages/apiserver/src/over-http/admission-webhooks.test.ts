// Admission webhooks called by a real server over real TLS, for requests of every kind.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type AdmissionWebhook, admissionWebhook, type Review } from "../testing/admission-webhook";
import { type Answer, type ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

let admin: ApiClient;
let hook: AdmissionWebhook;
useServer((running) => {
  admin = running.admin;
});

const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const REGISTRATION = "/apis/admissionregistration.orch.io/v1";
const KINDS = { mutating: "MutatingWebhookConfiguration", validating: "ValidatingWebhookConfiguration" } as const;
type Type = keyof typeof KINDS;
const pathOf = (type: Type) => `${REGISTRATION}/${KINDS[type].toLowerCase()}s`;

const rule = (parts: object = {}) => ({
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*/*"],
  scope: "Namespaced",
  ...parts,
});

/** A webhook for all objects in the namespace `default`. */
const webhook = (name: string, parts: object = {}) => ({
  name: `${name}.example.com`,
  rules: [rule()],
  clientConfig: hook.clientConfig(`/${name}`),
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  namespaceSelector: { matchLabels: { "orch.io/metadata.name": "default" } },
  ...parts,
});

async function configure(type: Type, ...webhooks: readonly object[]): Promise<void> {
  const body = {
    kind: KINDS[type],
    apiVersion: "admissionregistration.orch.io/v1",
    metadata: { name: "test" },
    webhooks,
  };
  expect(await admin.post(pathOf(type), body)).toMatchObject({ code: 201 });
}

beforeAll(async () => {
  hook = await admissionWebhook();
});
afterAll(() => hook.close());
beforeEach(() => {
  hook.answer = () => ({});
  hook.redirect = () => undefined;
  hook.asked.length = 0;
});
afterEach(async () => {
  for (const type of ["mutating", "validating"] as const) await admin.ask("DELETE", `${pathOf(type)}/test`);
});

const map = (name: string, more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more });
const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });
const typed = (type: string, body: object) => ({ body: JSON.stringify(body), headers: { "content-type": type } });
const MERGE = "application/merge-patch+json";
const patch = (...operations: readonly object[]) => ({
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  patchType: "JSONPatch",
});
const requests = (): readonly Review[] => hook.asked.map(({ review }) => review.request);
const gvk = (group: string, version: string, kind: string) => ({ group, version, kind });

describe("a review", () => {
  beforeEach(() => configure("validating", webhook("v")));

  test("a review of a creation contains the object as it will be stored", async () => {
    const { json } = await admin.post(`${CONFIG_MAPS}?fieldManager=me`, map("whole", { data: { x: "1" } }));
    const { metadata } = json;
    expect(requests()).toEqual([
      {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: gvk("", "v1", "ConfigMap"),
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: gvk("", "v1", "ConfigMap"),
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        name: "whole",
        namespace: "default",
        operation: "CREATE",
        userInfo: expect.objectContaining({ groups: expect.arrayContaining(["system:masters"]) }),
        object: {
          kind: "ConfigMap",
          apiVersion: "v1",
          data: { x: "1" },
          metadata: { ...metadata, resourceVersion: undefined },
        },
        oldObject: null,
        dryRun: false,
        options: { kind: "CreateOptions", apiVersion: "meta.orch.io/v1", fieldManager: "me" },
      },
    ]);
  });

  test("a review of an update or a deletion contains the old object", async () => {
    await admin.post(CONFIG_MAPS, map("changed", { data: { x: "1" } }));
    await admin.ask("PATCH", `${CONFIG_MAPS}/changed`, typed(MERGE, { data: { x: "2" } }));
    await admin.ask("DELETE", `${CONFIG_MAPS}/changed?gracePeriodSeconds=0`);
    const [, update, deletion] = requests();
    expect(update).toMatchObject({
      operation: "UPDATE",
      object: { data: { x: "2" } },
      oldObject: { data: { x: "1" } },
      options: { kind: "UpdateOptions" },
    });
    expect(deletion).toMatchObject({
      operation: "DELETE",
      name: "changed",
      object: null,
      oldObject: { data: { x: "2" } },
      options: { kind: "DeleteOptions", gracePeriodSeconds: 0 },
    });
  });

  test("a review contains the generated name", async () => {
    const { json } = await admin.post(CONFIG_MAPS, { metadata: { generateName: "made-" } });
    expect(requests()[0].name).toBe(json.metadata.name);
  });

  test("a review of a collection delete has no name", async () => {
    for (const name of ["one", "two"])
      await admin.post(CONFIG_MAPS, map(name, { metadata: { name, labels: { set: "s" } } }));
    hook.asked.length = 0;
    await admin.ask("DELETE", `${CONFIG_MAPS}?labelSelector=set%3Ds`);
    expect(
      requests()
        .map(({ name, oldObject }) => [name, oldObject.metadata.name])
        .sort(),
    ).toEqual([
      [undefined, "one"],
      [undefined, "two"],
    ]);
  });

  test("a review of a graceful deletion contains the grace period", async () => {
    await admin.post("/api/v1/nodes", { metadata: { name: "n0" } });
    const running = pod("running");
    await admin.post(PODS, { ...running, spec: { ...running.spec, nodeName: "n0" } });
    hook.asked.length = 0;
    await admin.ask("DELETE", `${PODS}/running`);
    expect(requests()[0].options).toMatchObject({ kind: "DeleteOptions", gracePeriodSeconds: 30 });
  });

  test("a review of a dry run sets dryRun", async () => {
    await admin.post(`${CONFIG_MAPS}?dryRun=All`, map("dry"));
    expect(requests()[0]).toMatchObject({ dryRun: true, options: { kind: "CreateOptions", dryRun: ["All"] } });
  });

  test("a review of a subresource has the kind of its body", async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    await admin.post("/api/v1/nodes", { metadata: { name: "n1" } });
    await admin.post(DEPLOYMENTS, { metadata: { name: "d" }, spec });
    for (const name of ["bound", "evicted"]) await admin.post(PODS, pod(name));
    hook.asked.length = 0;
    await admin.ask("PATCH", `${DEPLOYMENTS}/d/scale`, typed(MERGE, { spec: { replicas: 3 } }));
    await admin.ask("PATCH", `${DEPLOYMENTS}/d/status`, typed(MERGE, { status: { replicas: 2 } }));
    await admin.post(`${PODS}/bound/binding`, { metadata: { name: "bound" }, target: { kind: "Node", name: "n1" } });
    const eviction = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "evicted" } };
    await admin.post(`${PODS}/evicted/eviction`, eviction);
    await admin.post(`${PODS}/bound/exec?command=ls&command=-l&stdin=true&container=c`, {});
    await admin.post("/api/v1/namespaces/default/serviceaccounts/default/token", { spec: { audiences: ["a"] } });
    const told = requests().map(({ subResource, kind, operation, object, options }) => ({
      what: `${operation} ${subResource}`,
      kind,
      object: object?.kind,
      options: options?.kind,
    }));
    expect(told.slice(0, 5)).toEqual([
      { what: "UPDATE scale", kind: gvk("autoscaling", "v1", "Scale"), object: "Scale", options: "UpdateOptions" },
      { what: "UPDATE status", kind: gvk("apps", "v1", "Deployment"), object: "Deployment", options: "UpdateOptions" },
      { what: "CREATE binding", kind: gvk("", "v1", "Binding"), object: "Binding", options: "CreateOptions" },
      {
        what: "CREATE eviction",
        kind: gvk("policy", "v1beta1", "Eviction"),
        object: "Eviction",
        options: "CreateOptions",
      },
      ...[expect.anything() as never],
    ]);
    expect(requests().find(({ subResource }) => subResource === "exec")).toMatchObject({
      operation: "CONNECT",
      kind: gvk("", "v1", "PodExecOptions"),
      object: { kind: "PodExecOptions", apiVersion: "v1", command: ["ls", "-l"], stdin: true, container: "c" },
      options: null,
    });
    expect(requests().find(({ subResource }) => subResource === "token")).toMatchObject({
      kind: gvk("authentication.orch.io", "v1", "TokenRequest"),
      object: { spec: { audiences: ["a"] } },
    });
  });

  test("is asked for of questions that nothing stores", async () => {
    const spec = { resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } };
    await admin.post("/apis/authorization.orch.io/v1/namespaces/default/localsubjectaccessreviews", {
      metadata: { namespace: "default" },
      spec: { ...spec, user: "ann" },
    });
    expect(requests()[0]).toMatchObject({ kind: gvk("authorization.orch.io", "v1", "LocalSubjectAccessReview") });
  });

  test("has the version that a rule asks for, of resources that are served in several", async () => {
    await admin.ask("DELETE", `${pathOf("validating")}/test`);
    await configure(
      "validating",
      webhook("old", { rules: [rule({ apiGroups: ["batch"], apiVersions: ["v1beta1"] })] }),
    );
    const jobTemplate = {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    };
    await admin.post("/apis/batch/v1/namespaces/default/cronjobs", {
      metadata: { name: "c" },
      spec: { schedule: "* * * * *", jobTemplate },
    });
    expect(requests()).toMatchObject([
      {
        kind: gvk("batch", "v1beta1", "CronJob"),
        requestKind: gvk("batch", "v1", "CronJob"),
        object: { apiVersion: "batch/v1beta1", kind: "CronJob" },
      },
    ]);
  });
});

describe("objects of custom kinds", () => {
  beforeAll(async () => {
    const versions = [version("v1", { storage: true }), version("v2")];
    expect((await admin.post(DEFINITIONS, definition({ versions }))).code).toBe(201);
    await served(WIDGETS);
  });

  async function served(path: string): Promise<void> {
    while ((await admin.get(path)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  test("are shown in the version of the rule, and may be changed in it", async () => {
    await configure("mutating", webhook("m", { rules: [rule({ apiGroups: ["example.com"], apiVersions: ["v2"] })] }));
    hook.answer = () =>
      patch(
        { op: "add", path: "/spec", value: { size: 7 } },
        { op: "add", path: "/metadata/labels", value: { by: "m" } },
      );
    const { json } = await admin.post(WIDGETS, widget("shown"));
    expect(requests()[0]).toMatchObject({
      kind: gvk("example.com", "v2", "Widget"),
      requestKind: gvk("example.com", "v1", "Widget"),
      object: { apiVersion: "example.com/v2" },
    });
    expect(json).toMatchObject({ apiVersion: "example.com/v1", metadata: { labels: { by: "m" } } });
    const stored = await admin.get(`${WIDGETS.replace("/v1/", "/v2/")}/shown`);
    expect(stored.json).toMatchObject({ apiVersion: "example.com/v2", metadata: { labels: { by: "m" } } });
  });

  test("custom objects converted by a webhook are reviewed in the version of the rule", async () => {
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: hook.clientConfig("/convert"), conversionReviewVersions: ["v1"] },
    };
    const versions = [version("v1", { storage: true }), version("v2")];
    const names = { group: "convert.example.com", plural: "gadgets", kind: "Gadget" };
    expect((await admin.post(DEFINITIONS, definition({ ...names, versions, spec: { conversion } }))).code).toBe(201);
    const gadgets = "/apis/convert.example.com/v1/namespaces/default/gadgets";
    await served(gadgets);
    await configure("mutating", webhook("m", { rules: [rule({ apiGroups: [names.group], apiVersions: ["v2"] })] }));
    hook.answer = (request, path) => {
      if (path !== "/convert")
        return patch({ op: "replace", path: "/spec/bytes", value: request.object.spec.bytes + 1 });
      const to = request.desiredAPIVersion;
      const convertedObjects = request.objects.map(({ spec, ...rest }: Review) => ({
        ...rest,
        apiVersion: to,
        spec: to.endsWith("v2") ? { bytes: spec.size } : { size: spec.bytes },
      }));
      return { result: { status: "Success" }, convertedObjects };
    };
    const gadget = { apiVersion: "convert.example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: { size: 1 } };
    expect((await admin.post(gadgets, gadget)).json).toMatchObject({ spec: { size: 2 } });
    const changed = await admin.ask("PATCH", `${gadgets}/g`, typed(MERGE, { spec: { size: 5 } }));
    expect(changed.json).toMatchObject({ apiVersion: "convert.example.com/v1", spec: { size: 6 } });
    const reviews = hook.asked.filter(({ path }) => path === "/m").map(({ review }) => review.request);
    expect(reviews).toMatchObject([
      {
        requestKind: gvk(names.group, "v1", "Gadget"),
        object: { apiVersion: "convert.example.com/v2", spec: { bytes: 1 } },
      },
      { object: { spec: { bytes: 5 } }, oldObject: { apiVersion: "convert.example.com/v2", spec: { bytes: 2 } } },
    ]);
    await admin.ask("DELETE", `${DEFINITIONS}/gadgets.convert.example.com`);
  });

  test("are refused like any other", async () => {
    await configure("validating", webhook("v"));
    hook.answer = () => ({ allowed: false, status: { code: 409, reason: "Busy", message: "later" } });
    expect((await admin.post(WIDGETS, widget("refused"))).json).toMatchObject({
      code: 409,
      reason: "Busy",
      message: 'admission webhook "v.example.com" denied the request: later',
    });
  });
});

describe("the answer of a webhook", () => {
  test("changes what is stored", async () => {
    await configure("mutating", webhook("m"));
    hook.answer = () => patch({ op: "add", path: "/data", value: { by: "m" } });
    const { json } = await admin.post(CONFIG_MAPS, map("mutated"));
    expect(json.data).toEqual({ by: "m" });
    expect((await admin.get(`${CONFIG_MAPS}/mutated`)).json.data).toEqual({ by: "m" });
  });

  test("is told to the client as warnings, also where it refuses", async () => {
    await configure("validating", webhook("v"));
    hook.answer = () => ({ allowed: false, warnings: ["beware"], status: { message: "no" } });
    const answer = await admin.post(CONFIG_MAPS, map("warned"));
    expect(answer.code).toBe(400);
    expect(answer.headers["warning"]).toBe('299 - "beware"');
    expect(answer.json.reason).toBeUndefined();
  });

  test("may move nothing to where its user may not write", async () => {
    await configure("mutating", webhook("m"));
    hook.answer = ({ operation }) =>
      operation === "CREATE" ? patch({ op: "replace", path: "/metadata/namespace", value: "orch-system" }) : {};
    expect((await admin.post(CONFIG_MAPS, map("moved"))).json).toMatchObject({
      code: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
    });
    expect((await admin.get("/api/v1/namespaces/orch-system/configmaps/moved")).code).toBe(404);
  });

  test("has to be valid in the end", async () => {
    await configure("mutating", webhook("m"));
    hook.answer = () => patch({ op: "add", path: "/data", value: { "not/a key": "x" } });
    expect(await admin.post(CONFIG_MAPS, map("invalid"))).toMatchObject({ code: 422 });
  });

  test("mutating webhooks are called before validating ones, which receive the result", async () => {
    await configure("mutating", webhook("m", { reinvocationPolicy: "IfNeeded" }), webhook("n"));
    await configure("validating", webhook("v"));
    hook.answer = ({ object }, path) =>
      path === "/v" ? {} : patch({ op: "add", path: "/data", value: { ...object.data, [path.slice(1)]: "x" } });
    await admin.post(CONFIG_MAPS, map("ordered"));
    expect(hook.asked.map(({ path }) => path)).toEqual(["/m", "/n", "/m", "/v"]);
    expect(requests().at(-1).object.data).toEqual({ m: "x", n: "x" });
  });

  test("decides about connections, too", async () => {
    await admin.post(PODS, pod("closed"));
    await configure("validating", webhook("v", { rules: [rule({ operations: ["CONNECT"] })] }));
    hook.answer = () => ({ allowed: false, status: { message: "nobody gets in" } });
    const answer = await admin.post(`${PODS}/closed/exec?command=ls`, {});
    expect(answer.json).toMatchObject({
      code: 400,
      message: 'admission webhook "v.example.com" denied the request: nobody gets in',
    });
  });

  test("is told step by step to who asks for it", async () => {
    await configure("mutating", webhook("m"));
    await configure("validating", webhook("v"));
    hook.answer = (_request, path) => (path === "/m" ? patch({ op: "add", path: "/data", value: { by: "m" } }) : {});
    const { json } = await admin.post(`${CONFIG_MAPS}?dryRun=All&admission=explain`, map("explained"));
    expect(JSON.stringify(json)).toContain('"test/m.example.com"');
    expect(JSON.stringify(json)).toContain('"test/v.example.com"');
  });
});

describe("a webhook that cannot be reached", () => {
  const nowhere = { url: "https://127.0.0.1:1/" };
  const refusedBy =
    /^Internal error occurred: failed calling webhook "v\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:1\/\?timeout=\d+s": /;

  test("fails the request, or not, as its policy says", async () => {
    await configure("validating", webhook("v", { clientConfig: nowhere }));
    const strict = await admin.post(CONFIG_MAPS, map("strict"));
    expect(strict.json).toMatchObject({ code: 500, message: expect.stringMatching(refusedBy) });
    await admin.ask("DELETE", `${pathOf("validating")}/test`);
    await configure("validating", webhook("v", { clientConfig: nowhere, failurePolicy: "Ignore" }));
    expect((await admin.post(CONFIG_MAPS, map("lenient"))).code).toBe(201);
  });

  test("an unreachable webhook does not block changes of its configuration", async () => {
    await configure(
      "validating",
      webhook("v", { clientConfig: nowhere, namespaceSelector: {}, rules: [rule({ scope: "*" })] }),
    );
    const mended = await admin.ask("PATCH", `${pathOf("validating")}/test`, typed(MERGE, { webhooks: [] }));
    expect(mended.code).toBe(200);
    expect((await admin.post(CONFIG_MAPS, map("mended"))).code).toBe(201);
  });

  test("does not keep servers from holding their leases", async () => {
    await configure("validating", webhook("v", { clientConfig: nowhere, namespaceSelector: {} }));
    const lease = { kind: "Lease", apiVersion: "coordination.orch.io/v1", metadata: { name: "l" } };
    const leases = (namespace: string) => `/apis/coordination.orch.io/v1/namespaces/${namespace}/leases`;
    expect((await admin.post(leases("orch-system"), lease)).code).toBe(201);
    expect((await admin.post(leases("default"), lease)).code).toBe(500);
  });
});

test("a configuration is in force for the next request, and no more once it is gone", async () => {
  const create = (name: string): Promise<Answer> => admin.post(CONFIG_MAPS, map(name));
  hook.answer = () => ({ allowed: false });
  expect((await create("before")).code).toBe(201);
  await configure("validating", webhook("v"));
  await eventually(async () => expect((await create("during")).code).toBe(400));
  await admin.ask("PATCH", `${pathOf("validating")}/test`, typed(MERGE, { webhooks: [webhook("v", { rules: [] })] }));
  await eventually(async () => expect((await create("changed")).code).toBe(201));
  await admin.ask("DELETE", `${pathOf("validating")}/test`);
  await eventually(async () => expect((await create("after")).code).toBe(201));
});

describe("match conditions", () => {
  const conditions = (...expressions: readonly string[]) => ({
    matchConditions: expressions.map((expression, at) => ({ name: `c${at}`, expression })),
  });
  const refused = (parts: object) => {
    const metadata = { name: "refused" };
    return admin.post(pathOf("validating"), { metadata, webhooks: [webhook("v", parts)] });
  };

  test.each<[string, object, RegExp]>([
    [
      "do not compile",
      conditions("object.("),
      /webhooks\[0\]\.matchConditions\[0\]\.expression: Invalid value: "object\.\(": compilation failed/,
    ],
    [
      "are no truths",
      conditions("true", "'x'"),
      /webhooks\[0\]\.matchConditions\[1\]\.expression: Invalid value: "'x'": must evaluate to bool/,
    ],
    ["know no such variable", conditions("params == null"), /undeclared reference to 'params'/],
    ["say nothing", conditions(""), /webhooks\[0\]\.matchConditions\[0\]\.expression: Required value/],
    [
      "have one name",
      { matchConditions: [1, 2].map(() => ({ name: "c", expression: "true" })) },
      /webhooks\[0\]\.matchConditions\[1\]\.name: Duplicate value: "c"/,
    ],
    [
      "are too many",
      conditions(...Array.from({ length: 65 }, () => "true")),
      /webhooks\[0\]\.matchConditions: Too many: 65: must have at most 64 items/,
    ],
  ])("that %s are refused", async (_what, parts, why) => {
    expect((await refused(parts)).json).toMatchObject({ code: 422, message: expect.stringMatching(why) });
  });

  test("decide who is asked", async () => {
    await configure(
      "validating",
      webhook(
        "v",
        conditions("object.metadata.name != 'spared'", "authorizer.requestResource.check('create').allowed()"),
      ),
    );
    await admin.post(CONFIG_MAPS, map("spared"));
    await admin.post(CONFIG_MAPS, map("asked"));
    expect(requests().map(({ name }) => name)).toEqual(["asked"]);
  });
});

/** Waits until a change is in force. */
async function eventually(holds: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await holds();
    } catch (error) {
      if (tries === 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

test("large objects are shown by the thread that carries them out", async () => {
  await configure("mutating", webhook("m"));
  hook.answer = () => patch({ op: "add", path: "/data/by", value: "m" });
  const data = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`k${at}`, "v"]));
  const { code } = await admin.post(CONFIG_MAPS, map("large", { data }));
  expect(code).toBe(201);
  expect((await admin.get(`${CONFIG_MAPS}/large`)).json.data).toEqual({ ...data, by: "m" });
  expect(Object.keys(requests()[0].object.data)).toHaveLength(4000);
});

test("a patch that makes an object large is applied elsewhere", async () => {
  await configure("mutating", webhook("m"));
  const data = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`k${at}`, "v"]));
  hook.answer = () => patch({ op: "add", path: "/data", value: data });
  const { code } = await admin.post(CONFIG_MAPS, map("grown"));
  expect(code).toBe(201);
  expect((await admin.get(`${CONFIG_MAPS}/grown`)).json.data).toEqual(data);
});

test("webhooks are counted in metrics", async () => {
  await configure("validating", webhook("counted"));
  hook.answer = () => ({ allowed: false, status: { code: 422 } });
  await admin.post(CONFIG_MAPS, map("counted"));
  // The served metrics may be one second old.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const { text } = await admin.get("/metrics");
  const labels = 'name="counted.example.com",type="validating",operation="CREATE"';
  expect(text).toContain(
    `apiserver_admission_webhook_rejection_count{${labels},error_type="no_error",rejection_code="422"} 1`,
  );
  expect(text).toContain(`apiserver_admission_webhook_request_total{${labels},rejected="true",code="422"} 1`);
  expect(text).toContain(`apiserver_admission_webhook_admission_duration_seconds_count{${labels},rejected="true"} 1`);
});

describe("a webhook that redirects", () => {
  // The server reports failures by events, which are not reviewed here.
  const rules = [rule({ resources: ["configmaps"] })];
  const paths = () => hook.asked.map(({ path }) => path);

  // Servers in Go redirect from //validate to /validate.
  test.each([
    ["a path", () => "/v"],
    ["a URL of its own address", () => hook.clientConfig("/v").url],
  ])("is called again at %s, with the same review", async (_what, location) => {
    await configure("validating", webhook("v", { rules, clientConfig: hook.clientConfig("//v") }));
    hook.redirect = (path) => (path === "//v" ? location() : undefined);
    hook.answer = () => ({ allowed: false, status: { message: "no" } });
    expect(await admin.post(CONFIG_MAPS, map("redirected"))).toMatchObject({ code: 400 });
    expect(paths()).toEqual(["//v", "/v"]);
    expect(requests()[1]).toEqual(requests()[0]);
  });

  test.each([
    ["another host", () => `https://localhost:${hook.port}/v`],
    ["a path with a host", () => `//localhost:${hook.port}/v`],
    ["another scheme", () => `http://127.0.0.1:${hook.port}/v`],
    ["no URL", () => "https://["],
  ])("is not called at %s", async (_what, location) => {
    await configure("validating", webhook("v", { rules }));
    hook.redirect = location;
    const { code, json } = await admin.post(CONFIG_MAPS, map("redirected"));
    expect([code, json.message]).toEqual([
      500,
      expect.stringContaining("the server responded with the status code 307"),
    ]);
    expect(paths()).toEqual(["/v"]);
  });

  test("without an end is called ten times more", async () => {
    await configure("validating", webhook("v", { rules }));
    hook.redirect = () => "/v";
    const answer = await admin.post(CONFIG_MAPS, map("redirected"));
    expect(answer).toMatchObject({ code: 500 });
    expect(paths()).toHaveLength(11);
  });
});
