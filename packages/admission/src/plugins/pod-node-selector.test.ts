import { describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { fakeDependencies, requestOf } from "../testing/admission-request";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { storedObjects } from "../testing/stored-objects";
import { podNodeSelector } from "./pod-node-selector";

const shop = (selector?: string): JsonObject => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: {
    name: "shop",
    ...(selector !== undefined && { annotations: { "scheduler.alpha.orch.io/node-selector": selector } }),
  },
});
const configured = (selectors: JsonObject): JsonValue => ({ podNodeSelectorPluginConfig: selectors });
const podOn = (nodeSelector?: JsonObject): JsonObject => podOf(nodeSelector && { nodeSelector });

const CONFLICT = 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector';
const NOT_ALLOWED = 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist';
const NO_SELECTOR = '403 pods "p" is forbidden: annotation scheduler.alpha.orch.io/node-selector of the namespace: ';

type Row = [
  what: string,
  said: { readonly namespace?: string; readonly configuration?: JsonObject },
  own: JsonObject | undefined,
  after: JsonObject | string | undefined,
];

const ROWS: readonly Row[] = [
  ["nothing is said", {}, undefined, undefined],
  ["nothing is said, and the pod chooses", {}, { a: "x" }, { a: "x" }],
  ["the namespace chooses", { namespace: "a=b" }, undefined, { a: "b" }],
  ["the namespace chooses twice", { namespace: "a=b,c=d" }, undefined, { a: "b", c: "d" }],
  ["the namespace writes it with blanks", { namespace: " a = b , c=d " }, undefined, { a: "b", c: "d" }],
  ["the namespace chooses an empty value", { namespace: "a=" }, undefined, { a: "" }],
  ["the namespace says one thing twice", { namespace: "a=b,a=c" }, undefined, { a: "c" }],
  ["the namespace chooses nothing", { namespace: "" }, { z: "1" }, { z: "1" }],
  ["both choose something else", { namespace: "a=b" }, { z: "1" }, { a: "b", z: "1" }],
  ["both choose the same", { namespace: "a=b" }, { a: "b" }, { a: "b" }],
  ["both choose differently", { namespace: "a=b" }, { a: "c" }, `403 ${CONFLICT}`],
  ["both choose differently, beside others", { namespace: "x=y,a=b" }, { q: "r", a: "" }, `403 ${CONFLICT}`],
  ["the cluster chooses", { configuration: { clusterDefaultNodeSelector: "a=b" } }, undefined, { a: "b" }],
  [
    "the cluster and the pod choose differently",
    { configuration: { clusterDefaultNodeSelector: "a=b" } },
    { a: "c" },
    `403 ${CONFLICT}`,
  ],
  [
    "the namespace chooses instead of the cluster",
    { namespace: "c=d", configuration: { clusterDefaultNodeSelector: "a=b" } },
    undefined,
    { c: "d" },
  ],
  [
    "the namespace wants none of the cluster's",
    { namespace: "", configuration: { clusterDefaultNodeSelector: "a=b" } },
    undefined,
    undefined,
  ],
  ["the cluster chooses nothing", { configuration: { clusterDefaultNodeSelector: "" } }, { z: "1" }, { z: "1" }],
  ["the cluster allows what the pod chooses", { configuration: { shop: "a=b,c=d" } }, { a: "b" }, { a: "b" }],
  ["the cluster allows another value", { configuration: { shop: "a=b" } }, { a: "c" }, `403 ${NOT_ALLOWED}`],
  ["the cluster allows other labels", { configuration: { shop: "a=b" } }, { z: "1" }, `403 ${NOT_ALLOWED}`],
  ["the cluster allows some of it", { configuration: { shop: "a=b" } }, { a: "b", z: "1" }, `403 ${NOT_ALLOWED}`],
  ["the cluster allows what the pod leaves out", { configuration: { shop: "a=b" } }, undefined, undefined],
  [
    "the cluster allows the namespace's choice",
    { namespace: "a=b", configuration: { shop: "a=b" } },
    undefined,
    { a: "b" },
  ],
  [
    "the cluster does not allow the namespace's choice",
    { namespace: "a=c", configuration: { shop: "a=b" } },
    undefined,
    `403 ${NOT_ALLOWED}`,
  ],
  [
    "the cluster does not allow its own choice",
    { configuration: { clusterDefaultNodeSelector: "x=y", shop: "a=b" } },
    undefined,
    `403 ${NOT_ALLOWED}`,
  ],
  ["an empty list allows all", { configuration: { shop: "" } }, { z: "1" }, { z: "1" }],
  ["another namespace is bounded", { configuration: { old: "a=b" } }, { z: "1" }, { z: "1" }],
  ["the annotation is no selector", { namespace: "a" }, undefined, `${NO_SELECTOR}invalid selector: [a]`],
  ["the annotation compares twice", { namespace: "a=b=c" }, undefined, `${NO_SELECTOR}invalid selector: [a b c]`],
  ["the annotation compares otherwise", { namespace: "a==b" }, undefined, `${NO_SELECTOR}invalid selector: [a  b]`],
  ["the annotation ends with a comma", { namespace: "a=b," }, undefined, `${NO_SELECTOR}invalid selector: []`],
];

test.each(ROWS)("%s", async (_what, { namespace, configuration }, own, after) => {
  const setting = {
    dependencies: storedObjects([shop(namespace)]),
    ...(configuration && { configuration: configured(configuration) }),
  };
  const expected = typeof after === "string" ? after : podOn(after);
  expect(await outcomeOf(podNodeSelector, newPod(podOn(own)), setting)).toEqual(expected);
});

test.each([
  ["=b", 'invalid label key "": '],
  ["x y=z", 'invalid label key "x y": '],
  ["a=x y", 'invalid label value: "x y": at key: "a": '],
])("the annotation %j", async (selector, refusal) => {
  const outcome = await outcomeOf(podNodeSelector, newPod(podOf()), { dependencies: storedObjects([shop(selector)]) });
  expect(outcome).toContain(`${NO_SELECTOR}${refusal}`);
});

test("changes of later plugins are validated", async () => {
  const plugin = podNodeSelector.make(fakeDependencies(storedObjects([shop("a=b")])), configured({ shop: "a=b,c=d" }));
  const judged = async (nodeSelector: JsonObject) => plugin.validate?.(requestOf(newPod(podOn(nodeSelector))));
  await expect(judged({ c: "d" })).resolves.toBeUndefined();
  await expect(judged({ a: "c" })).rejects.toThrow(CONFLICT);
  await expect(judged({ e: "f" })).rejects.toThrow(NOT_ALLOWED);
});

test("a namespace that a cache has not heard of is asked of the store", async () => {
  const { objects, ...rest } = storedObjects([shop("a=b")]);
  const dependencies = { ...rest, objects: { ...objects, cached: () => undefined } };
  expect(await outcomeOf(podNodeSelector, newPod(podOf()), { dependencies })).toEqual(podOn({ a: "b" }));
});

test("there has to be a namespace", async () => {
  expect(await outcomeOf(podNodeSelector, newPod(podOf()))).toBe(
    "500 Internal error occurred: namespace shop does not exist",
  );
});

test.each([
  ["pods that are changed", changedPod(podOn({ a: "c" }), podOf())],
  ["parts of pods", newPod(podOn({ a: "c" }), { subresource: "binding" })],
  ["other kinds", { object: podOn({ a: "c" }) }],
])("%s are not looked at", async (_what, parts) => {
  expect(await outcomeOf(podNodeSelector, parts, { dependencies: storedObjects([shop("a=b")]) })).toEqual(parts.object);
});

test("nothing happens while it is off", async () => {
  const dependencies = storedObjects([shop("a=b")]);
  expect(await outcomeOf(undefined, newPod(podOn({ a: "c" })), { dependencies })).toEqual(podOn({ a: "c" }));
});

describe("the configuration", () => {
  test.each<JsonValue | undefined>([
    undefined,
    null,
    {},
    { podNodeSelectorPluginConfig: null },
    configured({}),
    configured({ shop: null }),
    configured({ shop: " a = b " }),
  ])("may be %j", (configuration) => {
    expect(() => podNodeSelector.make(fakeDependencies(), configuration)).not.toThrow();
  });

  test.each<[JsonValue, string]>([
    [
      configured({ clusterDefaultNodeSelector: "a" }),
      "podNodeSelectorPluginConfig.clusterDefaultNodeSelector: invalid selector: [a]",
    ],
    [configured({ shop: "x y=z" }), 'podNodeSelectorPluginConfig.shop: invalid label key "x y"'],
    [configured({ shop: 1 }), "podNodeSelectorPluginConfig.shop must be a selector"],
    [{ podNodeSelectorPluginConfig: [] }, "podNodeSelectorPluginConfig must map namespaces to selectors"],
    ["a=b", "must be an object"],
  ])("may not be %j", (configuration, text) => {
    expect(() => podNodeSelector.make(fakeDependencies(), configuration)).toThrow(text);
  });
});
