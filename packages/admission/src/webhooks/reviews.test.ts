// Content of AdmissionReview requests. Source: Kubernetes documentation, "Dynamic Admission Control", "Request".
import { describe, expect, test } from "@jest/globals";
import type { AdmissionOptions } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import {
  type AskedOf,
  askedOf,
  builtIn,
  fakeWebhooks,
  mutating,
  pass,
  type Review,
  validating,
  type WebhookParts,
  webhook,
} from "../testing/fake-webhooks";

async function told(
  asked: AskedOf = {},
  parts: WebhookParts = {},
  kind: "mutating" | "validating" = "validating",
  release = "1.24",
): Promise<Review> {
  const fake = fakeWebhooks([{ mutating, validating }[kind]("c", webhook("w.example.com", parts))], undefined, {
    release,
  });
  await pass(fake.chain(), askedOf(asked).request);
  expect(fake.asked).toHaveLength(1);
  return fake.asked[0]?.review;
}

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const map = (name = "a"): JsonObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "shop" },
});

test("a creation, whole", async () => {
  const user = { name: "ann", uid: "7", groups: ["g"], extra: { scopes: ["x", "y"] } };
  expect(await told({ user })).toEqual({
    kind: "AdmissionReview",
    apiVersion: "admission.orch.io/v1",
    request: {
      uid: expect.stringMatching(UID),
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      requestResource: { group: "", version: "v1", resource: "configmaps" },
      name: "a",
      namespace: "shop",
      operation: "CREATE",
      userInfo: { username: "ann", uid: "7", groups: ["g"], extra: { scopes: ["x", "y"] } },
      object: map(),
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.orch.io/v1" },
    },
  });
});

describe("an object whose bytes are written already is told by them", () => {
  const shown = async (plural: string, apiVersion: string) => {
    const [group = "", version = ""] = apiVersion.split("/");
    const rules = [{ operations: ["*"], apiGroups: [group], apiVersions: [version], resources: [plural] }];
    const fake = fakeWebhooks([validating("c", webhook("w.example.com", { rules }))]);
    const { request } = askedOf({ plural, group, version: apiVersion });
    const text = { kind: "Written", apiVersion: "batch/v1", metadata: { name: "a" } };
    request.stored = { version: request.definition.storage, bytes: () => Buffer.from(JSON.stringify(text)) };
    await pass(fake.chain(), request);
    return fake.asked[0]?.review.request.object;
  };

  test("the written bytes are used for their version only", async () => {
    const { storage } = builtIn("cronjobs", "batch");
    const others = ["batch/v1", "batch/v1beta1"].filter((each) => each !== storage.apiVersion);
    expect(await shown("cronjobs", storage.apiVersion)).toMatchObject({ kind: "Written" });
    for (const other of others) expect(await shown("cronjobs", other)).toMatchObject({ kind: "CronJob" });
  });
});

test("each call has a uid of its own", async () => {
  const fake = fakeWebhooks([validating("c", webhook("a.example.com"), webhook("b.example.com"))]);
  await pass(fake.chain(), askedOf().request);
  const [one, other] = fake.asked.map(({ review }) => review.request.uid);
  expect(one).not.toBe(other);
});

describe("the version of the review", () => {
  test.each<[readonly string[], string, string]>([
    [["v1", "v1beta1"], "1.24", "v1"],
    [["v1beta1", "v1"], "1.24", "v1beta1"],
    [["v2", "v1"], "1.24", "v1"],
    [["v1beta1"], "1.24", "v1beta1"],
    [["v1", "v1beta1"], "1.15", "v1beta1"],
  ])("%j in %s is %s", async (admissionReviewVersions, release, expected) => {
    const { apiVersion } = await told({}, { admissionReviewVersions }, "validating", release);
    expect(apiVersion).toBe(`admission.orch.io/${expected}`);
  });
});

const created = (parts: object): AdmissionOptions =>
  ({ kind: "CreateOptions", fieldManager: "", fieldValidation: "Warn", ...parts }) as AdmissionOptions;
const deleted = (parts: object): AdmissionOptions => ({ kind: "DeleteOptions", ...parts }) as AdmissionOptions;

describe("the options", () => {
  test.each<[string, AskedOf, object | null]>([
    ["of a creation", {}, { kind: "CreateOptions" }],
    [
      "of a creation with a manager",
      { options: created({ fieldManager: "me" }) },
      { kind: "CreateOptions", fieldManager: "me" },
    ],
    [
      "of a strict creation",
      { options: created({ fieldValidation: "Strict" }) },
      { kind: "CreateOptions", fieldValidation: "Strict" },
    ],
    ["of a dry run", { dryRun: true }, { kind: "CreateOptions", dryRun: ["All"] }],
    ["of an update", { operation: "UPDATE" }, { kind: "UpdateOptions" }],
    ["of a deletion", { operation: "DELETE" }, { kind: "DeleteOptions" }],
    [
      "of a deletion with a time of grace",
      { operation: "DELETE", options: deleted({ gracePeriodSeconds: 0 }) },
      { kind: "DeleteOptions", gracePeriodSeconds: 0 },
    ],
    [
      "of a deletion with a policy",
      { operation: "DELETE", options: deleted({ propagation: { kind: "policy", policy: "Orphan" } }) },
      { kind: "DeleteOptions", propagationPolicy: "Orphan" },
    ],
    [
      "of a deletion as it used to be",
      { operation: "DELETE", options: deleted({ propagation: { kind: "orphanDependents", orphan: false } }) },
      { kind: "DeleteOptions", orphanDependents: false },
    ],
    [
      "of a deletion with preconditions",
      { operation: "DELETE", options: deleted({ preconditions: { uid: "u" } }) },
      { kind: "DeleteOptions", preconditions: { uid: "u" } },
    ],
    [
      "of a deletion without any",
      { operation: "DELETE", options: deleted({ preconditions: {}, propagation: { kind: "default" } }) },
      { kind: "DeleteOptions" },
    ],
    [
      "of a deletion that is a dry run",
      { operation: "DELETE", dryRun: true },
      { kind: "DeleteOptions", dryRun: ["All"] },
    ],
  ])("%s", async (_what, asked, expected) => {
    const { request } = await told(asked);
    expect(request.options).toEqual({ apiVersion: "meta.orch.io/v1", ...expected });
    expect(request.dryRun).toBe(asked.dryRun === true);
  });

  test("how fields are checked is no option of older releases", async () => {
    const { request } = await told({ options: created({ fieldValidation: "Strict" }) }, {}, "validating", "1.20");
    expect(request.options).toEqual({ kind: "CreateOptions", apiVersion: "meta.orch.io/v1" });
  });
});

describe("the objects", () => {
  test.each<[string, AskedOf, unknown, unknown]>([
    ["of a creation", {}, map(), null],
    ["of an update", { operation: "UPDATE", oldObject: map("old") }, map(), map("old")],
    ["of a deletion", { operation: "DELETE" }, null, map()],
  ])("%s", async (_what, asked, object, oldObject) => {
    expect((await told(asked)).request).toMatchObject({ object, oldObject });
  });

  test("have all digits of their integers", async () => {
    const raw: string[] = [];
    const fake = fakeWebhooks([validating("c", webhook("w.example.com"))]);
    const { webhooks: caller } = fake.dependencies;
    const dependencies = {
      webhooks: {
        ...caller,
        call: (...asked: Parameters<NonNullable<typeof caller>["call"]>) => {
          raw.push(asked[1].toString());
          return (caller as NonNullable<typeof caller>).call(...asked);
        },
      },
    } as Partial<typeof fake.dependencies>;
    const again = fakeWebhooks([validating("c", webhook("w.example.com"))], undefined, dependencies);
    const pod = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "shop", generation: 9007199254740993n },
    } as never;
    await pass(again.chain(), askedOf({ plural: "pods", object: pod }).request);
    expect(raw[0]).toContain('"generation":9007199254740993');
  });

  test("in the version that the webhook asks for, beside the one that was sent", async () => {
    const rule = { operations: ["*"], apiGroups: ["batch"], apiVersions: ["v1beta1"], resources: ["*"], scope: "*" };
    const { request } = await told(
      { plural: "cronjobs", group: "batch", version: "v1", operation: "UPDATE" },
      { rules: [rule] },
    );
    const gvk = (version: string) => ({ group: "batch", version, kind: "CronJob" });
    const gvr = (version: string) => ({ group: "batch", version, resource: "cronjobs" });
    expect(request).toMatchObject({
      kind: gvk("v1beta1"),
      resource: gvr("v1beta1"),
      requestKind: gvk("v1"),
      requestResource: gvr("v1"),
      object: { apiVersion: "batch/v1beta1", kind: "CronJob" },
      oldObject: { apiVersion: "batch/v1beta1", kind: "CronJob" },
    });
  });
});

describe("sub-resources and their kinds", () => {
  const of = (apiVersion: string, kind: string) => ({
    kind: { apiVersion, kind },
    object: { apiVersion, kind, metadata: { name: "a" } },
  });
  test.each<[string, AskedOf, object]>([
    [
      "a status",
      { operation: "UPDATE", plural: "pods", subresource: "status" },
      { subResource: "status", kind: { group: "", version: "v1", kind: "Pod" } },
    ],
    [
      "a binding",
      { plural: "pods", subresource: "binding", ...of("v1", "Binding") },
      { subResource: "binding", kind: { group: "", version: "v1", kind: "Binding" } },
    ],
    [
      "an eviction",
      { plural: "pods", subresource: "eviction", ...of("policy/v1", "Eviction") },
      { subResource: "eviction", kind: { group: "policy", version: "v1", kind: "Eviction" } },
    ],
    [
      "an older eviction",
      { plural: "pods", subresource: "eviction", ...of("policy/v1beta1", "Eviction") },
      { subResource: "eviction", kind: { group: "policy", version: "v1beta1", kind: "Eviction" } },
    ],
    [
      "a scale",
      {
        operation: "UPDATE",
        plural: "deployments",
        group: "apps",
        subresource: "scale",
        ...of("autoscaling/v1", "Scale"),
      },
      { subResource: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" } },
    ],
    [
      "a token",
      { plural: "serviceaccounts", subresource: "token", ...of("authentication.orch.io/v1", "TokenRequest") },
      { subResource: "token", kind: { group: "authentication.orch.io", version: "v1", kind: "TokenRequest" } },
    ],
  ])("%s", async (_what, asked, expected) => {
    const { request } = await told(asked);
    expect(request).toMatchObject(expected);
    expect(request.requestSubResource).toBe(request.subResource);
    expect(request.requestKind).toEqual(request.kind);
    expect(request.object.kind).toBe(request.kind.kind);
  });

  test("a connection has options of its own kind in place of an object, and none of a write", async () => {
    const { request } = await told({
      operation: "CONNECT",
      plural: "pods",
      subresource: "exec",
      ...of("v1", "PodExecOptions"),
    });
    expect(request).toMatchObject({
      operation: "CONNECT",
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
      object: { kind: "PodExecOptions" },
      oldObject: null,
      options: null,
      dryRun: false,
    });
  });
});

describe("the name", () => {
  test.each<[string, AskedOf, "mutating" | "validating", string | undefined]>([
    ["of a creation", {}, "mutating", "a"],
    [
      "that is yet to be made",
      { name: "", object: { ...map(), metadata: { generateName: "a-" } } },
      "mutating",
      undefined,
    ],
    ["that has been made by the time it is judged", { name: "", object: map("a-x1") }, "validating", "a-x1"],
    ["of a deletion", { operation: "DELETE" }, "validating", "a"],
    ["of each of a collection that is deleted", { operation: "DELETE", pathName: "" }, "validating", undefined],
    ["of an update", { operation: "UPDATE" }, "mutating", "a"],
  ])("%s", async (_what, asked, kind, name) => {
    expect((await told(asked, {}, kind)).request.name).toBe(name);
  });

  test("the name of a namespace is also its namespace", async () => {
    const { request } = await told({ plural: "namespaces", name: "shop" });
    expect([request.name, request.namespace]).toEqual(["shop", "shop"]);
  });

  test("and what is of the cluster has no namespace", async () => {
    expect((await told({ plural: "nodes" })).request.namespace).toBeUndefined();
  });
});

test.each<[string, AskedOf["user"], object]>([
  ["only a name", { name: "ann", groups: [] }, { username: "ann" }],
  ["groups", { name: "ann", groups: ["a", "b"] }, { username: "ann", groups: ["a", "b"] }],
  ["nothing more", { name: "ann", groups: [], extra: {} }, { username: "ann" }],
])("a user with %s has no further members", async (_what, user, userInfo) => {
  expect((await told({ ...(user && { user }) })).request.userInfo).toEqual(userInfo);
});

describe("scales of the releases in which each group had one of its own", () => {
  const definition = builtIn("deployments", "apps", "1.15");
  const scale = (apiVersion: string, replicas: number, status: object): JsonObject =>
    ({
      kind: "Scale",
      apiVersion,
      metadata: { name: "a", namespace: "shop" },
      spec: { replicas },
      status,
    }) as JsonObject;
  const SHARED = (replicas: number) => scale("autoscaling/v1", replicas, { replicas: 1, selector: "app=web" });
  const FORMER = (apiVersion: string, replicas: number) =>
    scale(apiVersion, replicas, { replicas: 1, selector: { app: "web" }, targetSelector: "app=web" });
  const asking = (version: string, of: (replicas: number) => JsonObject): AskedOf => ({
    ...{ operation: "UPDATE", definition, version, subresource: "scale" },
    kind: { apiVersion: String(of(1)["apiVersion"]), kind: "Scale" },
    ...{ object: of(3), oldObject: of(1) },
  });
  const rules = (group: string, version: string) => ({
    rules: [{ operations: ["*"], apiGroups: [group], apiVersions: [version], resources: ["*/scale"], scope: "*" }],
  });
  const former = (apiVersion: string) => (replicas: number) => FORMER(apiVersion, replicas);
  test.each<[string, [string, string], (replicas: number) => JsonObject, string]>([
    ["extensions/v1beta1", ["apps", "v1"], SHARED, "autoscaling/v1"],
    ["extensions/v1beta1", ["apps", "v1beta2"], former("apps/v1beta2"), "apps/v1beta2"],
    ["apps/v1", ["extensions", "v1beta1"], former("extensions/v1beta1"), "extensions/v1beta1"],
    ["apps/v1beta1", ["apps", "v1beta2"], former("apps/v1beta2"), "apps/v1beta2"],
  ])(
    "sent in %s are shown to a rule for %j in its own, and come back as they were sent",
    async (sent, by, shown, of) => {
      const own = sent === "apps/v1" ? SHARED : former(sent);
      const patch = Buffer.from(JSON.stringify([{ op: "replace", path: "/spec/replicas", value: 5 }])).toString(
        "base64",
      );
      const fake = fakeWebhooks([mutating("c", webhook("w.example.com", rules(...by)))], () => ({
        patch,
        patchType: "JSONPatch",
      }));
      const { request } = askedOf(asking(sent, own));
      const passed = await pass(fake.chain(), request);
      const [group = "", version = ""] = of.split("/");
      expect(fake.asked.map(({ review }) => review.request)).toMatchObject([
        { kind: { group, version, kind: "Scale" }, subResource: "scale", object: shown(3), oldObject: shown(1) },
      ]);
      expect(passed).toEqual(own(5));
    },
  );
});
