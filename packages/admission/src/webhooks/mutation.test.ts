// Patches of webhooks in sequence, and reinvocation. Source: Kubernetes documentation, "Dynamic Admission Control",
// "Reinvocation policy".
import { describe, expect, test } from "@jest/globals";
import type { MutableAdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { PluginFactory } from "../contract/plugin";
import {
  ALLOWED,
  type AskedOf,
  askedOf,
  type FakeAnswer,
  type FakeBehaviour,
  fakeWebhooks,
  mutating,
  pass,
  validating,
  type WebhookParts,
  webhook,
} from "../testing/fake-webhooks";

const patch = (...operations: readonly object[]): FakeAnswer => ({
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  patchType: "JSONPatch",
});
const add = (path: string, value: unknown) => ({ op: "add", path, value });

async function through(says: FakeBehaviour, asked: AskedOf = {}, parts: WebhookParts = {}) {
  const fake = fakeWebhooks([mutating("c", webhook("w.example.com", parts))], says);
  const { request, annotations } = askedOf(asked);
  let refused: unknown;
  try {
    await pass(fake.chain(), request);
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    refused = { code, message };
  }
  return { object: request.object, refused, annotations, ...fake };
}

describe("a patch", () => {
  const map = (parts: object): JsonObject => ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a", namespace: "shop" },
    ...parts,
  });
  test.each<[string, FakeAnswer, JsonObject]>([
    ["adds", patch(add("/data", { x: "1" })), map({ data: { x: "1" } })],
    [
      "has several steps",
      patch(add("/data", {}), add("/data/x", "1"), add("/data/y", "2")),
      map({ data: { x: "1", y: "2" } }),
    ],
    ["removes what it has added", patch(add("/data", { x: "1" }), { op: "remove", path: "/data/x" }), map({})],
    [
      "tests what there is",
      patch({ op: "test", path: "/metadata/name", value: "a" }, add("/data", { x: "1" })),
      map({ data: { x: "1" } }),
    ],
    [
      "copies",
      patch({ op: "copy", from: "/metadata/name", path: "/metadata/generateName" }),
      map({ metadata: { name: "a", generateName: "a", namespace: "shop" } }),
    ],
    [
      "sets what is absent",
      patch({ op: "test", path: "/data", value: null }, { op: "replace", path: "/data", value: { x: "1" } }),
      map({ data: { x: "1" } }),
    ],
    [
      "counts from the end of a list",
      patch(
        add("/metadata/finalizers", ["a/a", "a/b", "a/c"]),
        { op: "test", path: "/metadata/finalizers/-1", value: "a/c" },
        { op: "remove", path: "/metadata/finalizers/-2" },
        { op: "replace", path: "/metadata/finalizers/-1", value: "a/d" },
        add("/metadata/finalizers/-1", "a/e"),
      ),
      map({ metadata: { name: "a", namespace: "shop", finalizers: ["a/a", "a/d", "a/e"] } }),
    ],
    ["says nothing", patch(), map({})],
    ["changes nothing", patch({ op: "replace", path: "/metadata/name", value: "a" }), map({})],
    ["adds what the kind has not", patch(add("/color", "red")), map({})],
  ])("that %s", async (_what, answer, expected) => {
    expect((await through(() => answer)).object).toEqual(expected);
  });

  test.each<[string, FakeAnswer, string]>([
    [
      "a place that is not there",
      patch({ op: "remove", path: "/data/x" }),
      'the webhook\'s patch cannot be applied: operation 0 (remove at "/data/x") does not apply',
    ],
    [
      "a test that fails",
      patch(add("/data", {}), { op: "test", path: "/metadata/name", value: "b" }),
      'the webhook\'s patch cannot be applied: operation 1 (test at "/metadata/name") does not apply',
    ],
    [
      "another kind",
      patch({ op: "replace", path: "/kind", value: "Pod" }),
      "the webhook's patch changes the object's kind or apiVersion, which must stay ConfigMap of v1",
    ],
    ["no object", patch(add("", 7)), "the result of the webhook's patch is not a valid ConfigMap"],
    [
      "values of the wrong type",
      patch(add("/data", 7)),
      "the result of the webhook's patch is not a valid ConfigMap: data: expected an object, found number 7",
    ],
  ])("a patch for %s is an internal error", async (_what, answer, message) => {
    for (const failurePolicy of ["Fail", "Ignore"]) {
      const { refused } = await through(() => answer, {}, { failurePolicy });
      expect(refused).toEqual({ code: 500, message: `Internal error occurred: ${message}` });
    }
  });

  test("a patch for a deletion is an internal error", async () => {
    const { refused } = await through(() => patch(add("/data", {})), { operation: "DELETE" });
    expect(refused).toEqual({
      code: 500,
      message:
        'Internal error occurred: admission webhook "w.example.com" attempted to modify the object, which is not supported for this operation',
    });
    expect((await through(() => patch(), { operation: "DELETE" })).refused).toBeUndefined();
  });

  test("leaves an object with its defaults", async () => {
    const container = { name: "c", image: "i" };
    const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", namespace: "shop" }, spec: { containers: [] } };
    const { object } = await through(() => patch(add("/spec/containers/-", container)), {
      plural: "pods",
      object: pod,
    });
    expect(object).toMatchObject({
      spec: { restartPolicy: "Always", containers: [{ ...container, imagePullPolicy: "Always" }] },
    });
  });

  test("a patch of connect options is applied", async () => {
    const options = { kind: "PodExecOptions", apiVersion: "v1", command: ["ls"] };
    const { object } = await through(() => patch(add("/container", "c")), {
      operation: "CONNECT",
      plural: "pods",
      subresource: "exec",
      kind: { apiVersion: "v1", kind: "PodExecOptions" },
      object: options,
    });
    expect(object).toMatchObject({ container: "c", command: ["ls"] });
  });

  test("is made in the version that the webhook sees, and seen in their own by those after it", async () => {
    const rule = (version: string) => ({
      rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: [version], resources: ["*"], scope: "*" }],
    });
    const zones: unknown[] = [];
    const fake = fakeWebhooks(
      [
        mutating(
          "c",
          webhook("a.example.com", rule("v1beta1")),
          webhook("b.example.com", rule("v1")),
          webhook("c.example.com", rule("v1beta1")),
        ),
      ],
      ({ request: { object } }, name) => {
        zones.push([object.apiVersion, object.endpoints[0].zone ?? object.endpoints[0].topology]);
        const topology = { op: "replace", path: "/endpoints/0/topology/topology.orch.io~1zone", value: "z2" };
        return name === "a.example.com" ? patch(topology) : ALLOWED;
      },
    );
    const slice = {
      kind: "EndpointSlice",
      apiVersion: "discovery.orch.io/v1",
      metadata: { name: "a", namespace: "shop" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], zone: "z1" }],
    };
    const { request } = askedOf({ plural: "endpointslices", group: "discovery.orch.io", version: "v1", object: slice });
    await pass(fake.chain(), request);
    expect(zones).toEqual([
      ["discovery.orch.io/v1beta1", { "topology.orch.io/zone": "z1" }],
      ["discovery.orch.io/v1", "z2"],
      ["discovery.orch.io/v1beta1", { "topology.orch.io/zone": "z2" }],
    ]);
    expect(request.object).toMatchObject({
      apiVersion: request.definition.storage.apiVersion,
      endpoints: [{ zone: "z2" }],
    });
  });
});

describe("one after the other", () => {
  test("they see what those before them have made, by configuration and place", async () => {
    const names = ["a.example.com", "b.example.com", "c.example.com"];
    const fake = fakeWebhooks(
      [mutating("z", webhook("c.example.com")), mutating("y", webhook("a.example.com"), webhook("b.example.com"))],
      ({ request: { object } }, name) => patch(add("/data", { ...object.data, [name]: String(fake.asked.length) })),
    );
    const { request } = askedOf();
    await pass(fake.chain(), request);
    expect(fake.asked.map((each) => each.webhook)).toEqual(names);
    expect(request.object?.["data"]).toEqual({ "a.example.com": "1", "b.example.com": "2", "c.example.com": "3" });
  });

  test("the result of one webhook decides whether the next is called", async () => {
    const selects = { objectSelector: { matchLabels: { a: "b" } } };
    const conditional = { matchConditions: [{ name: "c", expression: "has(object.data) && object.data.x == '1'" }] };
    const fake = fakeWebhooks(
      [
        mutating(
          "c",
          webhook("early.example.com", selects),
          webhook("too-early.example.com", conditional),
          webhook("maker.example.com"),
          webhook("late.example.com", selects),
          webhook("conditional.example.com", conditional),
        ),
      ],
      (_review, name) =>
        name === "maker.example.com" ? patch(add("/metadata/labels", { a: "b" }), add("/data", { x: "1" })) : ALLOWED,
    );
    await pass(fake.chain(), askedOf().request);
    expect(fake.asked.map((each) => each.webhook)).toEqual([
      "maker.example.com",
      "late.example.com",
      "conditional.example.com",
    ]);
  });

  test("a refusal ends it", async () => {
    const fake = fakeWebhooks([mutating("c", webhook("a.example.com"), webhook("b.example.com"))], () => ({
      allowed: false,
    }));
    await expect(pass(fake.chain(), askedOf().request)).rejects.toMatchObject({ code: 400 });
    expect(fake.asked).toHaveLength(1);
  });

  test("those who judge see what all have made of it", async () => {
    const fake = fakeWebhooks(
      [mutating("c", webhook("a.example.com")), validating("c", webhook("v.example.com"))],
      (_review, name) => (name === "a.example.com" ? patch(add("/data", { x: "1" })) : ALLOWED),
    );
    await pass(fake.chain(), askedOf().request);
    expect(fake.asked[1]?.review.request.object.data).toEqual({ x: "1" });
  });
});

describe("asked again", () => {
  type Change = "once" | "always" | "never";
  type Hook = readonly [name: string, policy: "Never" | "IfNeeded", changes: Change];

  async function rounds(hooks: readonly Hook[], ...others: readonly PluginFactory[]) {
    const all = hooks.map(([name, reinvocationPolicy]) => webhook(`${name}.example.com`, { reinvocationPolicy }));
    const seen = new Map<string, number>();
    const fake = fakeWebhooks([mutating("c", ...all)], ({ request: { object } }, full) => {
      const name = full.split(".")[0] as string;
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      const change = hooks.find((each) => each[0] === name)?.[2];
      if (change === "never" || (change === "once" && times > 1)) return ALLOWED;
      return patch(add("/data", { ...object.data, [`${name}${times}`]: "x" }));
    });
    const { request, annotations } = askedOf();
    await pass(fake.chain(...others), request);
    return { asked: fake.asked.map((each) => each.webhook.split(".")[0]).join(" "), request, annotations };
  }

  test.each<[string, readonly Hook[], string]>([
    [
      "nobody, where nobody changes anything",
      [
        ["a", "IfNeeded", "never"],
        ["b", "IfNeeded", "never"],
      ],
      "a b",
    ],
    [
      "nobody who does not want it",
      [
        ["a", "Never", "never"],
        ["b", "Never", "once"],
      ],
      "a b",
    ],
    ["nobody for a change of its own", [["a", "IfNeeded", "once"]], "a"],
    [
      "nobody for an earlier change",
      [
        ["a", "Never", "once"],
        ["b", "IfNeeded", "never"],
      ],
      "a b",
    ],
    [
      "who has not seen a later change",
      [
        ["a", "IfNeeded", "never"],
        ["b", "Never", "once"],
      ],
      "a b a",
    ],
    [
      "who changed before, for a later change",
      [
        ["a", "IfNeeded", "once"],
        ["b", "Never", "once"],
      ],
      "a b a",
    ],
    [
      "all who have not seen the last change",
      [
        ["a", "IfNeeded", "never"],
        ["b", "IfNeeded", "never"],
        ["c", "Never", "once"],
      ],
      "a b c a b",
    ],
    [
      "three in a row that each change it once",
      [
        ["a", "IfNeeded", "once"],
        ["b", "IfNeeded", "once"],
        ["c", "IfNeeded", "once"],
      ],
      "a b c a b",
    ],
    [
      "three in a row that change it always: those behind a change of the second round, too, and nobody a third time",
      [
        ["a", "IfNeeded", "always"],
        ["b", "IfNeeded", "always"],
        ["c", "IfNeeded", "always"],
      ],
      "a b c a b c",
    ],
    [
      "only those between, where the first does not want it",
      [
        ["a", "Never", "once"],
        ["b", "IfNeeded", "never"],
        ["c", "Never", "once"],
      ],
      "a b c b",
    ],
    [
      "not those who have seen the last change",
      [
        ["a", "IfNeeded", "never"],
        ["b", "Never", "once"],
        ["c", "IfNeeded", "never"],
      ],
      "a b c a",
    ],
  ])("is %s", async (_what, hooks, expected) => expect((await rounds(hooks)).asked).toBe(expected));

  test("those behind a change of the second round, where they have not seen it", async () => {
    const hooks: readonly Hook[] = [
      ["a", "IfNeeded", "always"],
      ["b", "Never", "once"],
      ["c", "IfNeeded", "never"],
    ];
    const { asked, annotations } = await rounds(hooks);
    expect(asked).toBe("a b c a c");
    expect([...annotations.keys()].filter((key) => key.startsWith("mutation"))).toEqual(
      ["0_index_0", "0_index_1", "0_index_2", "1_index_0", "1_index_2"].map(
        (place) => `mutation.webhook.admission.orch.io/round_${place}`,
      ),
    );
  });

  const plugin = (name: string, change: (request: MutableAdmissionRequest, round: number) => void): PluginFactory => ({
    name,
    make: () => ({
      on: [{ operations: ["CREATE"] }],
      mutate: (request, { number }) => change(request, number),
    }),
  });
  const note = (request: MutableAdmissionRequest, name: string): void => {
    request.object = { ...request.object, data: { ...(request.object?.["data"] as JsonObject), [name]: "y" } };
  };

  test("are those who have not seen what plugins made in the second round", async () => {
    const inSecond = plugin("InSecond", (request, round) => {
      if (round === 1) note(request, "plugin");
    });
    const hooks: readonly Hook[] = [
      ["a", "Never", "once"],
      ["b", "IfNeeded", "never"],
    ];
    expect((await rounds(hooks, inSecond)).asked).toBe("a b b");
  });

  test("a change of plugins in the same round causes no reinvocation", async () => {
    const always = plugin("Always", (request) => note(request, "plugin"));
    expect((await rounds([["a", "IfNeeded", "never"]], always)).asked).toBe("a");
  });

  test("a webhook that was not called in the first round is not reinvoked", async () => {
    const fake = fakeWebhooks(
      [
        mutating(
          "c",
          webhook("a.example.com", { objectSelector: { matchLabels: { a: "b" } }, reinvocationPolicy: "IfNeeded" }),
          webhook("b.example.com"),
        ),
      ],
      (_review, name) => (name === "b.example.com" ? patch(add("/metadata/labels", { a: "b" })) : ALLOWED),
    );
    await pass(fake.chain(), askedOf().request);
    expect(fake.asked.map((each) => each.webhook)).toEqual(["b.example.com"]);
  });

  test("webhooks of equal names are distinguished by their position", async () => {
    let calls = 0;
    const again = { reinvocationPolicy: "IfNeeded" };
    const fake = fakeWebhooks([mutating("c", webhook("a.example.com", again), webhook("a.example.com"))], () => {
      calls += 1;
      return calls === 2 ? patch(add("/data", { x: "1" })) : ALLOWED;
    });
    await pass(fake.chain(), askedOf().request);
    expect(calls).toBe(3);
  });
});
