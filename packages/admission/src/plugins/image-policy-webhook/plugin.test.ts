import { describe, expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import type { RemoteServices } from "../../contract/dependencies";
import { fakeDependencies, type RequestParts, requestOf } from "../../testing/admission-request";
import { type Answer, chainWith } from "../../testing/answered";
import { imagePolicyWebhook } from "./plugin";

const POLICY: JsonObject = { kubeConfigFile: "/backend.yaml" };

interface Backend {
  readonly remotes: RemoteServices;
  readonly asked: JsonObject[];
  /** Response of the backend; an Error when it fails. */
  answer: JsonValue | Error;
}

function backend(answer: JsonValue | Error = { status: { allowed: true } }): Backend {
  const made: Backend = {
    asked: [],
    answer,
    remotes: {
      open(file) {
        expect(file).toBe("/backend.yaml");
        return {
          async ask(body, signal) {
            expect(signal).toBe(NEVER_ENDS);
            made.asked.push(JSON.parse(body) as JsonObject);
            if (made.answer instanceof Error) throw made.answer;
            return typeof made.answer === "string" ? made.answer : JSON.stringify(made.answer);
          },
        };
      },
    },
  };
  return made;
}

function chain(of: Backend, policy: JsonObject = {}) {
  let nowMs = 1_000_000;
  const { ask } = chainWith({
    plugins: [imagePolicyWebhook],
    dependencies: { remotes: of.remotes, clock: { now: () => 0, elapsed: () => nowMs } },
    configurations: { ImagePolicyWebhook: { imagePolicy: { ...POLICY, ...policy } } },
  });
  return {
    ask: (parts: RequestParts = {}) => ask({ plural: "pods", object: pod("i"), ...parts }),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

const pod = (...images: readonly string[]): JsonObject => ({
  metadata: { name: "a" },
  spec: { containers: images.map((image) => ({ name: image, image })) },
});

const PASSES: Answer = { object: pod("i") };
const refused = (text: string): Answer => ({ refused: { code: 403, message: `pods "a" is forbidden: ${text}` } });
const unusable = (why: string): Answer => refused(`the answer of the image policy backend is invalid: ${why}`);
const REJECTED = refused("one or more images rejected by webhook backend");

describe("the answer of the backend", () => {
  test.each<[string, JsonValue | Error, Answer]>([
    ["that they are allowed", { status: { allowed: true } }, PASSES],
    ["that they are allowed, and why", { status: { allowed: true, reason: "fine" } }, PASSES],
    [
      "so in the review's own kind",
      { apiVersion: "imagepolicy.orch.io/v1alpha1", kind: "ImageReview", status: { allowed: true } },
      PASSES,
    ],
    ["that they are not", { status: { allowed: false } }, REJECTED],
    [
      "that they are not, and why",
      { status: { allowed: false, reason: "too old" } },
      refused("image policy webhook backend denied one or more images: too old"),
    ],
    ["nothing of it", { status: {} }, REJECTED],
    ["nothing", {}, REJECTED],
    ["null", { status: null }, REJECTED],
    [
      "so in another kind",
      { apiVersion: "v1", kind: "Pod", status: { allowed: true } },
      unusable("its apiVersion is not imagepolicy.orch.io/v1alpha1"),
    ],
    [
      "so in another version",
      { apiVersion: "imagepolicy.orch.io/v1", kind: "ImageReview", status: { allowed: true } },
      unusable("its apiVersion is not imagepolicy.orch.io/v1alpha1"),
    ],
    [
      "so in another kind of the group",
      { apiVersion: "imagepolicy.orch.io/v1alpha1", kind: "PodReview", status: { allowed: true } },
      unusable("its kind is not ImageReview"),
    ],
    [
      "so in the Kubernetes vocabulary",
      { apiVersion: "imagepolicy.k8s.io/v1alpha1", kind: "ImageReview", status: { allowed: true } },
      unusable("its apiVersion is not imagepolicy.orch.io/v1alpha1"),
    ],
    ["no JSON", "<html>", unusable("it is not JSON")],
    ["an empty text", "", unusable("it is not JSON")],
    ["a list", [], unusable("it is not a JSON object")],
    ["a status that is a text", { status: "allowed" }, unusable("its status is not an object")],
    ["yes", { status: { allowed: "yes" } }, unusable("its status.allowed must be true or false")],
    [
      "a reason that is a number",
      { status: { allowed: false, reason: 5 } },
      unusable("its status.reason is not a string"),
    ],
    [
      "annotations that are a list",
      { status: { allowed: true, auditAnnotations: [] } },
      unusable("its status.auditAnnotations is not a map of strings"),
    ],
    [
      "annotations of numbers",
      { status: { allowed: true, auditAnnotations: { a: 1 } } },
      unusable("its status.auditAnnotations is not a map of strings"),
    ],
    [
      "annotations of megabytes",
      { status: { allowed: true, auditAnnotations: { a: "x".repeat(100_000) } } },
      unusable("its status.auditAnnotations are too long"),
    ],
    ["nothing, for it is away", new Error("it is away"), refused("it is away")],
  ])("%s", async (_what, answer, expected) => {
    expect(await chain(backend(answer)).ask()).toEqual(expected);
  });

  test.each<[string, JsonValue | Error]>([
    ["it is away", new Error("it is away")],
    ["it says no JSON", "<html>"],
    ["it speaks of another kind", { apiVersion: "v1", kind: "Pod", status: { allowed: true } }],
  ])("where %s, is what the policy says", async (_what, answer) => {
    expect(await chain(backend(answer), { defaultAllow: true }).ask()).toEqual(PASSES);
    expect(await chain(backend(answer), { defaultAllow: false }).ask()).not.toEqual(PASSES);
  });

  test("and a refusal is one, whatever the policy says", async () => {
    expect(await chain(backend({ status: { allowed: false } }), { defaultAllow: true }).ask()).toEqual(REJECTED);
  });

  test("a reason of megabytes is truncated", async () => {
    const answer = await chain(backend({ status: { allowed: false, reason: "x".repeat(400_000) } })).ask();
    expect("refused" in answer && answer.refused.message.length).toBeLessThan(11_000);
  });
});

describe("the backend is asked", () => {
  const spec = (...images: string[]): JsonObject => ({
    containers: images.map((image) => ({ image })),
    namespace: "shop",
  });
  const review = (of: JsonObject) => [{ apiVersion: "imagepolicy.orch.io/v1alpha1", kind: "ImageReview", spec: of }];
  const annotated = (annotations: JsonObject): JsonObject => ({ ...pod("i"), metadata: { name: "a", annotations } });

  test.each<[string, RequestParts, readonly JsonObject[]]>([
    ["about a pod's images", { object: pod("i", "j", "i") }, review(spec("i", "j", "i"))],
    [
      "about those of its init containers after them",
      { object: { metadata: { name: "a" }, spec: { initContainers: [{ image: "j" }], containers: [{ image: "i" }] } } },
      review(spec("i", "j")),
    ],
    [
      "about a container without an image",
      { object: { metadata: { name: "a" }, spec: { containers: [{ name: "c" }] } } },
      review({ containers: [{}], namespace: "shop" }),
    ],
    ["about a pod without containers", { object: { metadata: { name: "a" } } }, review({ namespace: "shop" })],
    ["in the pod's namespace", { namespace: "old" }, review({ containers: [{ image: "i" }], namespace: "old" })],
    [
      "with annotations for it",
      { object: annotated({ "my.image-policy.orch.io/ticket": "7", "image-policy.orch.io/x": "8", other: "9" }) },
      review({ ...spec("i"), annotations: { "my.image-policy.orch.io/ticket": "7" } }),
    ],
    [
      "without annotations of the Kubernetes vocabulary",
      { object: annotated({ "my.image-policy.k8s.io/ticket": "7" }) },
      review(spec("i")),
    ],
    ["about an update", { operation: "UPDATE", oldObject: pod("i") }, review(spec("i"))],
    ["in a dry run", { dryRun: true }, review(spec("i"))],
    ["not about a pod's status", { operation: "UPDATE", oldObject: pod("i"), subresource: "status" }, []],
    ["not about a binding", { subresource: "binding" }, []],
    ["not about a deletion", { operation: "DELETE", object: undefined, oldObject: pod("i") }, []],
    ["not about a connection", { operation: "CONNECT", subresource: "exec" }, []],
    ["not about other objects", { plural: "podtemplates" }, []],
    ["not about pods of another group", { group: "metrics.example.com" }, []],
  ])("%s", async (_what, parts, asked) => {
    const of = backend();
    await chain(of).ask(parts);
    expect(of.asked).toEqual(asked);
  });

  test("in the Kubernetes vocabulary", async () => {
    const of = backend({ apiVersion: "imagepolicy.k8s.io/v1alpha1", kind: "ImageReview", status: { allowed: true } });
    const dependencies = { remotes: of.remotes, vocabulary: vocabularyOf("kubernetes") };
    const configurations = { ImagePolicyWebhook: { imagePolicy: POLICY } };
    const { ask } = chainWith({ plugins: [imagePolicyWebhook], dependencies, configurations });
    const object = annotated({ "my.image-policy.k8s.io/ticket": "7" });
    expect(await ask({ plural: "pods", object })).toEqual({ object });
    expect(of.asked).toEqual([
      {
        apiVersion: "imagepolicy.k8s.io/v1alpha1",
        kind: "ImageReview",
        spec: { ...spec("i"), annotations: { "my.image-policy.k8s.io/ticket": "7" } },
      },
    ]);
  });

  test("the backend is not called when the plugin is disabled", async () => {
    expect(await chainWith({ plugins: [] }).ask({ plural: "pods", object: pod("i") })).toEqual(PASSES);
  });
});

describe("an answer is remembered", () => {
  test.each<[string, JsonObject, boolean, number, number]>([
    ["that allows, almost 5 minutes", {}, true, 299_999, 1],
    ["that allows, not 5 minutes", {}, true, 300_000, 2],
    ["that refuses, almost 30 seconds", {}, false, 29_999, 1],
    ["that refuses, not 30 seconds", {}, false, 30_000, 2],
    ["that allows, as long as is said", { allowTTL: 7 }, true, 6999, 1],
    ["that allows, no longer than is said", { allowTTL: 7 }, true, 7000, 2],
    ["that refuses, as long as is said", { denyTTL: 7 }, false, 6999, 1],
    ["that refuses, no longer than is said", { denyTTL: 7 }, false, 7000, 2],
    ["that allows, not at all where that is said", { allowTTL: -1 }, true, 0, 2],
    ["that refuses, not at all where that is said", { denyTTL: -1 }, false, 0, 2],
  ])("%s", async (_what, policy, allowed, ms, times) => {
    const of = backend({ status: { allowed } });
    const { ask, pass } = chain(of, policy);
    const first = await ask();
    pass(ms);
    expect(await ask()).toEqual(first);
    expect(of.asked).toHaveLength(times);
  });

  test("an answer is cached for the same question only", async () => {
    const of = backend();
    const { ask } = chain(of);
    for (const parts of [{}, {}, { namespace: "old" }, { object: pod("j") }, { object: pod("i", "j") }])
      await ask(parts);
    expect(of.asked).toHaveLength(4);
  });

  test("only where there is one", async () => {
    const of = backend(new Error("it is away"));
    const { ask } = chain(of);
    await ask();
    of.answer = { status: { allowed: true } };
    expect(await ask()).toEqual(PASSES);
  });

  test("among a thousand others, and no longer among ten thousand", async () => {
    const of = backend();
    const { ask } = chain(of);
    for (let number = 0; number < 10_000; number += 1) await ask({ object: pod(`i${number}`) });
    await ask({ object: pod("i9000") });
    expect(of.asked).toHaveLength(10_000);
    await ask({ object: pod("i8000") });
    expect(of.asked).toHaveLength(10_001);
  });

  test("an answer for a pod of thousands of containers is cached", async () => {
    const of = backend();
    const { ask } = chain(of);
    const large = (last: string) => ({
      object: pod(...Array.from({ length: 5000 }, (_, index) => `image-${index}`), last),
    });
    for (const last of ["a", "a", "b"]) await ask(large(last));
    expect(of.asked).toHaveLength(2);
  });
});

describe("the audit hears", () => {
  async function noted(answer: JsonValue | Error, policy: JsonObject = {}): Promise<Readonly<Record<string, string>>> {
    const notes: Record<string, string> = {};
    const { remotes } = backend(answer);
    const made = imagePolicyWebhook.make({ ...fakeDependencies(), remotes }, { imagePolicy: { ...POLICY, ...policy } });
    const request = requestOf({ plural: "pods", object: pod("i") });
    const told = Object.assign(request, {
      annotate(key: string, value: string) {
        notes[key] = value;
      },
    });
    await Promise.resolve(made.validate?.(told)).catch(() => {});
    return notes;
  }

  const PREFIX = "imagepolicywebhook.image-policy.orch.io/";
  const told = { a: "1", "b-c": "2" };
  const kept = { [`${PREFIX}a`]: "1", [`${PREFIX}b-c`]: "2" };

  test.each<[string, JsonValue | Error, JsonObject, Readonly<Record<string, string>>]>([
    ["what the backend tells it of what it allows", { status: { allowed: true, auditAnnotations: told } }, {}, kept],
    ["what the backend tells it of what it refuses", { status: { allowed: false, auditAnnotations: told } }, {}, kept],
    ["that nobody was asked", new Error("away"), { defaultAllow: true }, { [`${PREFIX}failed-open`]: "true" }],
    ["nothing of what is refused", new Error("away"), {}, {}],
    ["nothing where there is nothing to tell", { status: { allowed: true } }, {}, {}],
  ])("%s", async (_what, answer, policy, notes) => {
    expect(await noted(answer, policy)).toEqual(notes);
  });
});

describe("a configuration", () => {
  const make = (configuration: JsonValue | undefined) =>
    imagePolicyWebhook.make({ ...fakeDependencies(), remotes: backend().remotes }, configuration);
  const policy = (parts: JsonObject): JsonValue => ({ imagePolicy: { ...POLICY, ...parts } });

  test.each<[string, JsonValue | undefined, string]>([
    ["that is not there", undefined, "imagePolicy: Required value"],
    ["that is empty", {}, "imagePolicy: Required value"],
    ["that is the other plugin's", { podNodeSelectorPluginConfig: {} }, "imagePolicy: Required value"],
    ["of another type", { imagePolicy: "x" }, "imagePolicy: Invalid value: must be an object"],
    ["that says nothing", { imagePolicy: {} }, "imagePolicy.kubeConfigFile: Required value"],
    [
      "whose file is a number",
      { imagePolicy: { kubeConfigFile: 5 } },
      "[imagePolicy.kubeConfigFile: Invalid value: must be a string, imagePolicy.kubeConfigFile: Required value]",
    ],
    ["with an unknown field", policy({ denyttl: 5 }), "imagePolicy.denyttl: unknown field"],
    ["with an unknown field beside the policy", { imagePolicy: POLICY, policy: {} }, "policy: unknown field"],
    [
      "that remembers too long",
      policy({ allowTTL: 1801 }),
      "imagePolicy.allowTTL: Invalid value: 1801: valid value is between 1s and 30m0s, got 30m1s",
    ],
    [
      "that remembers refusals too long",
      policy({ denyTTL: 5000 }),
      "imagePolicy.denyTTL: Invalid value: 5000: valid value is between 1s and 30m0s, got 1h23m20s",
    ],
    [
      "that remembers less than nothing",
      policy({ allowTTL: -2 }),
      "imagePolicy.allowTTL: Invalid value: -2: valid value is between 1s and 30m0s, got -2s",
    ],
    [
      "that waits too long",
      policy({ retryBackoff: 300_001 }),
      "imagePolicy.retryBackoff: Invalid value: 300001: valid value is between 1ns and 5m0s, got 5m0.001s",
    ],
    [
      "that waits less than nothing",
      policy({ retryBackoff: -2 }),
      "imagePolicy.retryBackoff: Invalid value: -2: valid value is between 1ns and 5m0s, got -2ms",
    ],
    ["whose time is a text", policy({ allowTTL: "5s" }), "imagePolicy.allowTTL: Invalid value: must be an integer"],
    [
      "whose default is a text",
      policy({ defaultAllow: "no" }),
      "imagePolicy.defaultAllow: Invalid value: must be true or false",
    ],
    [
      "with several mistakes",
      policy({ allowTTL: -2, denyTTL: -3 }),
      "[imagePolicy.allowTTL: Invalid value: -2: valid value is between 1s and 30m0s, got -2s, imagePolicy.denyTTL: Invalid value: -3: valid value is between 1s and 30m0s, got -3s]",
    ],
  ])("%s is refused", (_what, configuration, message) => {
    expect(() => make(configuration)).toThrow(new Error(message));
  });

  test.each<[string, JsonObject]>([
    ["with the least", {}],
    ["with nulls", { allowTTL: null, denyTTL: null, retryBackoff: null, defaultAllow: null }],
    ["with zeros", { allowTTL: 0, denyTTL: 0, retryBackoff: 0 }],
    ["with nothing remembered", { allowTTL: -1, denyTTL: -1, retryBackoff: -1 }],
    ["at the lower bounds", { allowTTL: 1, denyTTL: 1, retryBackoff: 1 }],
    ["at the upper bounds", { allowTTL: 1800, denyTTL: 1800, retryBackoff: 300_000 }],
  ])("%s is taken", (_what, parts) => {
    expect(() => make(policy(parts))).not.toThrow();
  });

  test.each<[JsonObject, number]>([
    [{}, 500],
    [{ retryBackoff: 7 }, 7],
    [{ retryBackoff: -1 }, 0],
  ])("%j waits %d ms before another try", (parts, backoffMs) => {
    const opened: unknown[] = [];
    const remotes: RemoteServices = {
      open(file, options) {
        opened.push(file, options);
        return { ask: async () => "" };
      },
    };
    imagePolicyWebhook.make({ ...fakeDependencies(), remotes }, policy(parts));
    expect(opened).toEqual(["/backend.yaml", { what: "backend for image policies", backoffMs }]);
  });

  test("a configuration with an unusable file is rejected", () => {
    const remotes: RemoteServices = {
      open() {
        throw new Error("/backend.yaml: no such file");
      },
    };
    expect(() => imagePolicyWebhook.make({ ...fakeDependencies(), remotes }, policy({}))).toThrow(
      "/backend.yaml: no such file",
    );
  });
});
