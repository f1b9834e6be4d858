import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ObjectReader } from "../contract/dependencies";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { storedObjects } from "../testing/stored-objects";
import { priority } from "./priority";

const GROUP = "scheduling.orch.io";
const classOf = (name: string, value: number, more: JsonObject = {}): JsonObject => ({
  kind: "PriorityClass",
  apiVersion: `${GROUP}/v1`,
  metadata: { name },
  value,
  ...more,
});

const HIGH = classOf("high", 1000, { preemptionPolicy: "PreemptLowerPriority" });
const CALM = classOf("calm", 5, { preemptionPolicy: "Never" });
const BARE = classOf("bare", 7);
const DEFAULT = classOf("usual", 50, { globalDefault: true, preemptionPolicy: "Never" });

const with_ = (...classes: readonly JsonObject[]) => ({ dependencies: storedObjects(classes) });
const MANY = with_(HIGH, CALM, BARE, classOf("negative", -3, { preemptionPolicy: "PreemptLowerPriority" }));
const options = (isOn: boolean) => ({
  notReadyTolerationSeconds: 300,
  unreachableTolerationSeconds: 300,
  isOn: () => isOn,
});

const value = (given: number, computed: number): string =>
  `the integer value of priority (${given}) must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`;
const policy = (given: string, computed: string): string =>
  `the string value of PreemptionPolicy (${given}) must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`;

type Row = [spec: JsonObject, after: JsonObject | string];

const LOWER = "PreemptLowerPriority";
const WITHOUT_DEFAULT: readonly Row[] = [
  [{}, { priority: 0, preemptionPolicy: LOWER }],
  [{ priorityClassName: "" }, { priorityClassName: "", priority: 0, preemptionPolicy: LOWER }],
  [{ priority: 0 }, { priority: 0, preemptionPolicy: LOWER }],
  [{ priority: null }, { priority: 0, preemptionPolicy: LOWER }],
  [{ priority: 1 }, value(1, 0)],
  [{ priority: -1 }, value(-1, 0)],
  [{ preemptionPolicy: LOWER }, { priority: 0, preemptionPolicy: LOWER }],
  [{ preemptionPolicy: "Never" }, policy("Never", LOWER)],
  [{ priority: 1, preemptionPolicy: "Never" }, value(1, 0)],
  [{ priorityClassName: "high" }, { priorityClassName: "high", priority: 1000, preemptionPolicy: LOWER }],
  [
    { priorityClassName: "high", priority: 1000 },
    { priorityClassName: "high", priority: 1000, preemptionPolicy: LOWER },
  ],
  [{ priorityClassName: "high", priority: 0 }, value(0, 1000)],
  [{ priorityClassName: "high", priority: 999 }, value(999, 1000)],
  [{ priorityClassName: "high", preemptionPolicy: "Never" }, policy("Never", LOWER)],
  [
    { priorityClassName: "high", preemptionPolicy: LOWER },
    { priorityClassName: "high", priority: 1000, preemptionPolicy: LOWER },
  ],
  [{ priorityClassName: "calm" }, { priorityClassName: "calm", priority: 5, preemptionPolicy: "Never" }],
  [{ priorityClassName: "calm", preemptionPolicy: LOWER }, policy(LOWER, "Never")],
  [
    { priorityClassName: "calm", preemptionPolicy: "Never", priority: 5 },
    { priorityClassName: "calm", priority: 5, preemptionPolicy: "Never" },
  ],
  [{ priorityClassName: "bare" }, { priorityClassName: "bare", priority: 7 }],
  [
    { priorityClassName: "bare", preemptionPolicy: "Never" },
    { priorityClassName: "bare", priority: 7, preemptionPolicy: "Never" },
  ],
  [{ priorityClassName: "negative" }, { priorityClassName: "negative", priority: -3, preemptionPolicy: LOWER }],
  [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
  [{ priorityClassName: "none", priority: 0 }, "no PriorityClass with name none was found"],
];

const WITH_DEFAULT: readonly Row[] = [
  [{}, { priorityClassName: "usual", priority: 50, preemptionPolicy: "Never" }],
  [{ priorityClassName: "" }, { priorityClassName: "usual", priority: 50, preemptionPolicy: "Never" }],
  [{ priority: 50 }, { priorityClassName: "usual", priority: 50, preemptionPolicy: "Never" }],
  [{ priority: 0 }, value(0, 50)],
  [{ preemptionPolicy: LOWER }, policy(LOWER, "Never")],
  [{ priorityClassName: "high" }, { priorityClassName: "high", priority: 1000, preemptionPolicy: LOWER }],
  [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
];

const expected = (after: JsonObject | string) =>
  typeof after === "string" ? `403 pods "p" is forbidden: ${after}` : podOf(after);

test.each(WITHOUT_DEFAULT)("a new pod with %j, where no class is the default", async (spec, after) => {
  expect(await outcomeOf(priority, newPod(podOf(spec)), MANY)).toEqual(expected(after));
});

test.each(WITH_DEFAULT)("a new pod with %j, where a class is the default", async (spec, after) => {
  expect(await outcomeOf(priority, newPod(podOf(spec)), with_(HIGH, DEFAULT))).toEqual(expected(after));
});

test("the lowest of several default classes is used", async () => {
  const classes = [DEFAULT, classOf("low", -1, { globalDefault: true }), classOf("z", 3, { globalDefault: true })];
  const after = { priorityClassName: "low", priority: -1 };
  expect(await outcomeOf(priority, newPod(podOf()), with_(...classes))).toEqual(podOf(after));
});

test("a class that a cache has not heard of is asked of the store", async () => {
  const { objects, ...rest } = storedObjects([HIGH]);
  const behind: ObjectReader = {
    ...objects,
    lister: (resource) => ({ ...objects.lister(resource), find: () => undefined }),
  };
  const setting = { dependencies: { ...rest, objects: behind } };
  const after = { priorityClassName: "high", priority: 1000, preemptionPolicy: LOWER };
  expect(await outcomeOf(priority, newPod(podOf({ priorityClassName: "high" })), setting)).toEqual(podOf(after));
  expect(await outcomeOf(priority, newPod(podOf({ priorityClassName: "none" })), setting)).toMatch(
    /^403 .* name none was found$/,
  );
});

test("readers may answer later", async () => {
  const { objects, ...rest } = storedObjects([HIGH, DEFAULT]);
  const later: ObjectReader = {
    ...objects,
    lister: (resource) => {
      const now = objects.lister(resource);
      return { in: async (at) => now.in(at), all: async () => now.all(), find: async (at) => now.find(at) };
    },
  };
  const setting = { dependencies: { ...rest, objects: later } };
  for (const [spec, after] of WITH_DEFAULT) {
    expect(await outcomeOf(priority, newPod(podOf(spec)), setting)).toEqual(expected(after));
  }
});

test.each<Row>([
  [{}, { priority: 0 }],
  [{ preemptionPolicy: "Never" }, { priority: 0, preemptionPolicy: "Never" }],
  [{ priorityClassName: "calm" }, { priorityClassName: "calm", priority: 5 }],
])("a new pod with %j, where pods cannot forgo preemption", async (spec, after) => {
  const setting = { dependencies: { ...storedObjects([CALM]), options: options(false) } };
  expect(await outcomeOf(priority, newPod(podOf(spec)), setting)).toEqual(podOf(after as JsonObject));
});

test.each<[next: JsonObject, old: JsonObject, after: JsonObject]>([
  [{}, { priority: 5, preemptionPolicy: "Never" }, { priority: 5, preemptionPolicy: "Never" }],
  [
    { priority: null, preemptionPolicy: null },
    { priority: 0, preemptionPolicy: LOWER },
    { priority: 0, preemptionPolicy: LOWER },
  ],
  [{ priority: 6 }, { priority: 5, preemptionPolicy: "Never" }, { priority: 6, preemptionPolicy: "Never" }],
  [{ preemptionPolicy: LOWER }, { priority: 5, preemptionPolicy: "Never" }, { priority: 5, preemptionPolicy: LOWER }],
  [{}, {}, {}],
  [{ priorityClassName: "none" }, { priority: 5 }, { priorityClassName: "none", priority: 5 }],
])("a pod that has %j, and had %j", async (next, old, after) => {
  expect(await outcomeOf(priority, changedPod(podOf(next), podOf(old)), MANY)).toEqual(podOf(after));
});

test.each([
  ["in parts of pods", newPod(podOf(), { subresource: "binding" })],
  ["in other kinds", { object: podOf() }],
  ["in pods without a specification", newPod({ metadata: { name: "p" } })],
  ["when a pod is deleted", newPod(podOf(), { operation: "DELETE" })],
])("nothing changes %s", async (_what, parts) => {
  expect(await outcomeOf(priority, parts, MANY)).toEqual(parts.object);
});

test("nothing changes while it is off", async () => {
  expect(await outcomeOf(undefined, newPod(podOf({ priority: 3 })), MANY)).toEqual(podOf({ priority: 3 }));
});

describe("classes", () => {
  const taken =
    'priorityclasses.scheduling.orch.io "x" is forbidden: PriorityClass usual is already marked as default. Only one default can exist';
  const ofClass = (object: JsonObject) => ({
    group: GROUP,
    plural: "priorityclasses",
    namespace: "",
    name: "x",
    object,
  });
  const USUAL = { ...DEFAULT, description: "d" };

  test.each<
    [what: string, stored: readonly JsonObject[], object: JsonObject, operation: "CREATE" | "UPDATE", refused: boolean]
  >([
    ["the first default", [HIGH], classOf("x", 1, { globalDefault: true }), "CREATE", false],
    ["a second default", [DEFAULT], classOf("x", 1, { globalDefault: true }), "CREATE", true],
    ["another one beside the default", [DEFAULT], classOf("x", 1), "CREATE", false],
    ["one that says it is no default", [DEFAULT], classOf("x", 1, { globalDefault: false }), "CREATE", false],
    ["one that becomes the default", [HIGH], classOf("x", 1, { globalDefault: true }), "UPDATE", false],
    ["one that becomes a second default", [DEFAULT], classOf("x", 1, { globalDefault: true }), "UPDATE", true],
    ["a change of the default", [DEFAULT], USUAL, "UPDATE", false],
    ["the default, which is none any more", [DEFAULT], { ...DEFAULT, globalDefault: false }, "UPDATE", false],
    ["a change of another one", [DEFAULT], classOf("x", 1, { description: "d" }), "UPDATE", false],
  ])("%s", async (_what, stored, object, operation, refused) => {
    const outcome = await outcomeOf(priority, { ...ofClass(object), operation }, with_(...stored));
    expect(outcome).toEqual(refused ? `403 ${taken}` : object);
  });

  test("may all be defaults while it is off", async () => {
    const object = classOf("x", 1, { globalDefault: true });
    expect(await outcomeOf(undefined, ofClass(object), with_(DEFAULT))).toEqual(object);
  });
});
