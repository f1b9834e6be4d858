import { describe, expect, test } from "@jest/globals";
import type { AdmissionRequest } from "@orch/machinery";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import { fakeDependencies, type RequestParts, requestOf } from "../../testing/admission-request";
import { type Answer, chainWith } from "../../testing/answered";
import { eventRateLimit } from "./plugin";
import { TokenBuckets } from "./token-buckets";

const HEAD = { apiVersion: "eventratelimit.admission.orch.io/v1alpha1", kind: "Configuration" };

interface Limit {
  readonly type: string;
  readonly qps?: number;
  readonly burst: number;
  readonly cacheSize?: number;
}

const configured = (...limits: readonly Limit[]): JsonValue =>
  ({ ...HEAD, limits: limits.map((limit) => ({ qps: 1, ...limit })) }) as unknown as JsonValue;

/** Creates a chain with a manual clock. */
function chain(...limits: readonly Limit[]) {
  let nowMs = 1_000_000;
  const dependencies = { allowances: new TokenBuckets({ elapsed: () => nowMs }) };
  const { ask } = chainWith({
    plugins: [eventRateLimit],
    dependencies,
    configurations: { EventRateLimit: configured(...limits) },
  });
  return {
    ask: async (parts: RequestParts): Promise<string> =>
      textOf(await ask({ plural: "events", object: event({}), ...parts })),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

/** Returns the message of the refusal, or "" when the event is allowed. */
function textOf(answer: Answer): string {
  if ("object" in answer) return "";
  expect(answer.refused.code).toBe(429);
  const [, text] = /^Too many requests: (.*)$/.exec(answer.refused.message) ?? [];
  return text ?? answer.refused.message;
}

const event = (parts: JsonObject): JsonObject => ({
  metadata: { name: "e" },
  source: { component: "c", host: "h" },
  involvedObject: { kind: "Pod", namespace: "shop", name: "p", uid: "u", apiVersion: "v1" },
  ...parts,
});

const over = (type: string, key: string): string => `limit reached on type ${type} for key ${key}`;

describe("a limit", () => {
  test.each<[string, Limit, readonly RequestParts[], readonly string[]]>([
    [
      "of the server counts all events",
      { type: "Server", burst: 2 },
      [{ namespace: "a" }, { namespace: "b" }, { namespace: "c" }],
      ["", "", over("Server", "")],
    ],
    [
      "of one at once lets one pass",
      { type: "Server", burst: 1 },
      [{}, {}, {}],
      ["", over("Server", ""), over("Server", "")],
    ],
    [
      "of a namespace counts its events",
      { type: "Namespace", burst: 1 },
      [{ namespace: "a" }, { namespace: "b" }, { namespace: "a" }, { namespace: "b" }],
      ["", "", over("Namespace", "a"), over("Namespace", "b")],
    ],
    [
      "of a user counts theirs",
      { type: "User", burst: 1 },
      [
        { user: { name: "ann", groups: [] } },
        { user: { name: "bob", groups: [] } },
        { user: { name: "ann", groups: ["x"] } },
      ],
      ["", "", over("User", "ann")],
    ],
    [
      "of a source and an object counts what the one says of the other",
      { type: "SourceAndObject", burst: 1 },
      [{}, {}],
      ["", over("SourceAndObject", "chPodshoppuv1")],
    ],
    [
      "tells sources apart by their component",
      { type: "SourceAndObject", burst: 1 },
      [{}, { object: event({ source: { component: "d", host: "h" } }) }],
      ["", ""],
    ],
    [
      "tells sources apart by their host",
      { type: "SourceAndObject", burst: 1 },
      [{}, { object: event({ source: { component: "c", host: "i" } }) }],
      ["", ""],
    ],
    [
      "tells objects apart by their name",
      { type: "SourceAndObject", burst: 1 },
      [
        {},
        {
          object: event({ involvedObject: { kind: "Pod", namespace: "shop", name: "q", uid: "u", apiVersion: "v1" } }),
        },
      ],
      ["", ""],
    ],
    [
      "tells objects apart by their uid",
      { type: "SourceAndObject", burst: 1 },
      [
        {},
        {
          object: event({ involvedObject: { kind: "Pod", namespace: "shop", name: "p", uid: "w", apiVersion: "v1" } }),
        },
      ],
      ["", ""],
    ],
    [
      "does not tell them apart by their field or revision",
      { type: "SourceAndObject", burst: 1 },
      [
        {},
        {
          object: event({
            involvedObject: {
              kind: "Pod",
              namespace: "shop",
              name: "p",
              uid: "u",
              apiVersion: "v1",
              resourceVersion: "7",
              fieldPath: "spec",
            },
          }),
        },
      ],
      ["", over("SourceAndObject", "chPodshoppuv1")],
    ],
    [
      "counts events that say nothing of either",
      { type: "SourceAndObject", burst: 1 },
      [{ object: {} }, { object: { source: {} } }],
      ["", over("SourceAndObject", "")],
    ],
    [
      "counts updates",
      { type: "Server", burst: 1 },
      [
        { operation: "UPDATE", oldObject: event({}) },
        { operation: "UPDATE", oldObject: event({}) },
      ],
      ["", over("Server", "")],
    ],
    ["counts parts of events", { type: "Server", burst: 1 }, [{ subresource: "status" }, {}], ["", over("Server", "")]],
    [
      "does not count deletions",
      { type: "Server", burst: 1 },
      [{ operation: "DELETE", object: undefined }, {}],
      ["", ""],
    ],
    ["does not count dry runs", { type: "Server", burst: 1 }, [{ dryRun: true }, { dryRun: true }, {}], ["", "", ""]],
    [
      "lets dry runs pass when it is reached",
      { type: "Server", burst: 1 },
      [{}, { dryRun: true }, {}],
      ["", "", over("Server", "")],
    ],
    [
      "does not count the newer kind",
      { type: "Server", burst: 1 },
      [{ kind: { group: "events.orch.io", version: "v1", kind: "Event" } }, {}],
      ["", ""],
    ],
    ["does not count other objects", { type: "Server", burst: 1 }, [{ plural: "configmaps" }, {}], ["", ""]],
    [
      "does not count events of another group",
      { type: "Server", burst: 1 },
      [{ group: "stable.example.com" }, {}],
      ["", ""],
    ],
    [
      "of more keys than it keeps forgets the one that was used longest ago",
      { type: "Namespace", burst: 1, cacheSize: 2 },
      ["a", "b", "a", "c", "a", "b"].map((namespace) => ({ namespace })),
      ["", "", over("Namespace", "a"), "", over("Namespace", "a"), ""],
    ],
  ])("%s", async (_what, limit, requests, texts) => {
    const { ask } = chain(limit);
    const answers: string[] = [];
    for (const parts of requests) answers.push(await ask(parts));
    expect(answers).toEqual(texts);
  });

  test.each<[number, number, number, string]>([
    [1, 999, 1, over("Server", "")],
    [1, 1000, 1, ""],
    [5, 200, 1, ""],
    [5, 199, 1, over("Server", "")],
    [1, 60_000, 3, over("Server", "")],
    [1, -60_000, 1, over("Server", "")],
  ])("with %d events per second, after %d ms and %d more events", async (qps, ms, events, text) => {
    const { ask, pass } = chain({ type: "Server", qps, burst: 2 });
    for (let asked = 0; asked < 2; asked += 1) expect(await ask({})).toBe("");
    expect(await ask({})).not.toBe("");
    pass(ms);
    const answers: string[] = [];
    for (let asked = 0; asked < events; asked += 1) answers.push(await ask({}));
    expect(answers.at(-1)).toBe(text);
  });
});

test("every limit counts, whatever the others say, and all that are reached are told", async () => {
  const { ask } = chain({ type: "Server", burst: 3 }, { type: "Namespace", burst: 1 }, { type: "User", burst: 2 });
  const [namespace, user] = [over("Namespace", "shop"), over("User", "ann")];
  expect(await ask({})).toBe("");
  expect(await ask({})).toBe(namespace);
  expect(await ask({})).toBe(`[${namespace}, ${user}]`);
  expect(await ask({})).toBe(`[${over("Server", "")}, ${namespace}, ${user}]`);
});

test("tries of one write count once", async () => {
  const configuration = configured({ type: "Server", burst: 2 });
  const made = eventRateLimit.make(fakeDependencies(), configuration);
  const write = (uid: string, attempt: number) =>
    made.validate?.({
      ...requestOf({ plural: "events", object: event({}) }),
      uid,
      attempt,
    } as unknown as AdmissionRequest);
  for (const attempt of [1, 2, 3, 4]) write("u-1", attempt);
  write("u-2", 1);
  expect(() => write("u-3", 1)).toThrow(/limit reached on type Server/);
});

test("an event of megabytes is told, and kept, by its beginning", async () => {
  const { ask } = chain({ type: "SourceAndObject", burst: 1 });
  const large = (end: string) => ({ object: event({ source: { component: "x".repeat(3_000_000) + end } }) });
  expect(await ask(large("a"))).toBe("");
  expect(await ask(large("b"))).toBe("");
  const text = await ask(large("a"));
  expect(text).toMatch(/^limit reached on type SourceAndObject for key x+$/);
  expect(text.length).toBeLessThan(600);
});

test("ten thousand namespaces leave as many as there is room for", async () => {
  const { ask } = chain({ type: "Namespace", burst: 1 });
  for (let number = 0; number < 10_000; number += 1) await ask({ namespace: `n${number}` });
  expect(await ask({ namespace: "n9999" })).toBe(over("Namespace", "n9999"));
  expect(await ask({ namespace: "n5904" })).toBe(over("Namespace", "n5904"));
  expect(await ask({ namespace: "n5000" })).toBe("");
});

test("switched off, nothing is counted", async () => {
  const { ask } = chainWith({ plugins: [] });
  for (let asked = 0; asked < 20; asked += 1)
    expect(await ask({ plural: "events", object: event({}) })).toMatchObject({ object: {} });
});

describe("a configuration", () => {
  const make = (configuration: JsonValue | undefined, vocabulary = vocabularyOf("orch")) =>
    eventRateLimit.make({ ...fakeDependencies(), vocabulary }, configuration);
  const limits = (...items: JsonValue[]): JsonValue => ({ ...HEAD, limits: items });
  const good: JsonObject = { type: "User", qps: 1, burst: 1 };

  test.each<[string, JsonValue | undefined, string]>([
    ["that is not there", undefined, "limits: Invalid value: []: must not be empty"],
    ["without limits", { ...HEAD }, "limits: Invalid value: []: must not be empty"],
    ["with an empty list", limits(), "limits: Invalid value: []: must not be empty"],
    ["with null", { ...HEAD, limits: null }, "limits: Invalid value: []: must not be empty"],
    [
      "with a list that is none",
      { ...HEAD, limits: {} },
      "[limits: Invalid value: must be a list, limits: Invalid value: []: must not be empty]",
    ],
    [
      "of another kind",
      { ...HEAD, kind: "Limits", limits: [good] },
      'kind: Unsupported value: "Limits": supported values: "Configuration"',
    ],
    [
      "of another version",
      { ...HEAD, apiVersion: "v1", limits: [good] },
      'apiVersion: Unsupported value: "v1": supported values: "eventratelimit.admission.orch.io/v1alpha1"',
    ],
    ["with an unknown field", { ...HEAD, limits: [good], more: 1 }, "more: unknown field"],
    ["with an unknown field of a limit", limits({ ...good, qpm: 1 }), "limits[0].qpm: unknown field"],
    [
      "with an unknown type",
      limits({ ...good, type: "All" }),
      'limits[0].type: Unsupported value: "All": supported values: "Server", "Namespace", "User", "SourceAndObject"',
    ],
    [
      "without a type",
      limits({ qps: 1, burst: 1 }),
      'limits[0].type: Unsupported value: "": supported values: "Server", "Namespace", "User", "SourceAndObject"',
    ],
    ["without a rate", limits({ type: "User", burst: 1 }), "limits[0].qps: Invalid value: 0: must be positive"],
    ["with a negative rate", limits({ ...good, qps: -1 }), "limits[0].qps: Invalid value: -1: must be positive"],
    [
      "with a rate in parts",
      limits(good, { ...good, qps: 1.5 }),
      "[limits[1].qps: Invalid value: must be an integer, limits[1].qps: Invalid value: 0: must be positive]",
    ],
    ["without a burst", limits({ type: "User", qps: 1 }), "limits[0].burst: Invalid value: 0: must be positive"],
    [
      "with a negative size",
      limits({ ...good, cacheSize: -1 }),
      "limits[0].cacheSize: Invalid value: -1: must not be negative",
    ],
    [
      "with several mistakes",
      limits({ type: "Foo", qps: 0, burst: -1, cacheSize: -1 }),
      '[limits[0].type: Unsupported value: "Foo": supported values: "Server", "Namespace", "User", "SourceAndObject", limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
    ],
  ])("%s is refused", (_what, configuration, message) => {
    expect(() => make(configuration)).toThrow(new Error(message));
  });

  test.each<[string, JsonValue]>([
    ["of one limit", limits(good)],
    ["whose size is 0", limits({ ...good, cacheSize: 0 })],
    ["of the server, whose size means nothing", limits({ type: "Server", qps: 1, burst: 1, cacheSize: -1 })],
    ["of all types", limits(...["Server", "Namespace", "User", "SourceAndObject"].map((type) => ({ ...good, type })))],
    ["of two limits of one type", limits(good, good)],
  ])("%s is taken", (_what, configuration) => {
    expect(() => make(configuration)).not.toThrow();
  });

  test("has the Kubernetes name in the Kubernetes vocabulary", () => {
    const field = { ...HEAD, apiVersion: "eventratelimit.admission.k8s.io/v1alpha1", limits: [good] };
    expect(() => make(field, vocabularyOf("kubernetes"))).not.toThrow();
    expect(() => make(field)).toThrow(/apiVersion: Unsupported value/);
  });
});
