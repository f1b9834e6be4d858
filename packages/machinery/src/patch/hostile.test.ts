// Worst-case inputs of each function: the cost of each must grow at most about linearly with the size of the input.
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, loadSchema, type StructType, vocabularyOf } from "@orch/schema";
import { type Growing, growthOf, LINEAR_MAX } from "@orch/testing";
import { StatusError } from "../errors/status-error";
import { toStatus } from "../errors/status-object";
import { applyJsonPatch } from "./json-patch";
import { readJsonPatch } from "./json-patch-operation";
import { applyMergePatch } from "./merge-patch";
import { applyStrategicMergePatch } from "./strategic-merge";

const DEPLOYMENT = loadSchema(vocabularyOf("orch")).type("apps/v1", "Deployment") as StructType;
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const members = (count: number, value: (index: number) => JsonValue, prefix = "k"): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${(index * 7919) % count}`, value(index)]));
const reversed = (value: JsonValue): JsonValue => [...(value as JsonValue[])].reverse();

/** Returns the error of a refused input as a result. */
function refused(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError || error instanceof SyntaxError) return error;
    throw error;
  }
}

const pod = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const strategic = (live: (size: number) => JsonObject, patch: (size: number) => JsonObject): Growing => {
  return (size) => {
    const [object, change] = [pod(live(size)), pod(patch(size))];
    return () => refused(() => applyStrategicMergePatch(DEPLOYMENT, object, change));
  };
};
const jsonPatch = (live: (size: number) => JsonValue, patch: (size: number) => JsonValue): Growing => {
  return (size) => {
    const [object, body] = [live(size), patch(size)];
    return () => refused(() => applyJsonPatch(object, readJsonPatch(body), { copyMaxBytes: Number.POSITIVE_INFINITY }));
  };
};
const containers = (count: number): JsonValue =>
  times(count, (index) => ({ name: `c${index}`, ports: [{ containerPort: index + 1 }] }));

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "items of a list, merged": [
    1000,
    strategic(
      (size) => ({ containers: containers(size) }),
      (size) => ({ containers: reversed(containers(size)) }),
    ),
  ],
  "new items of a list": [
    1000,
    strategic(
      (size) => ({ containers: containers(size) }),
      (size) => ({ containers: times(size, (index) => ({ name: `n${index}` })) }),
    ),
  ],
  "the same item many times, merged": [
    1000,
    strategic(
      (size) => ({ containers: containers(size) }),
      (size) => ({ containers: times(size, () => ({ name: "c1" })) }),
    ),
  ],
  "items to be deleted": [
    1000,
    strategic(
      (size) => ({ containers: containers(size) }),
      (size) => ({ containers: times(size, (index) => ({ name: `c${index}`, $patch: "delete" })) }),
    ),
  ],
  "the order of many items": [
    1000,
    strategic(
      (size) => ({ containers: containers(size) }),
      (size) => ({
        "$setElementOrder/containers": times(size, (index) => ({ name: `c${size - index - 1}` })),
        containers: reversed(containers(size)),
      }),
    ),
  ],
  "keys to be kept": [
    2000,
    strategic(
      (size) => ({ nodeSelector: members(size, () => "x") }),
      (size) => ({ nodeSelector: { ...members(size, () => "y"), $retainKeys: times(size, (index) => `k${index}`) } }),
    ),
  ],
  "values to be taken out of a list": [
    2000,
    (size) => {
      const finalizers = times(size, (index) => `x/${index}`);
      const live = { metadata: { finalizers } };
      const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": [...finalizers].reverse() } };
      return () => applyStrategicMergePatch(DEPLOYMENT, live, patch);
    },
  ],
  "members of a merge patch": [
    2000,
    (size) => {
      const [live, patch] = [members(size, () => ({ a: 1 })), members(size, (index) => (index % 2 ? null : { b: 1 }))];
      return () => applyMergePatch(live, patch);
    },
  ],
  "operations that add": [
    1000,
    jsonPatch(
      () => ({ list: [] }),
      (size) => times(size, (index) => ({ op: "add", path: "/list/-", value: index })),
    ),
  ],
  "operations at the front of a list": [
    1000,
    jsonPatch(
      (size) => ({ list: times(size, () => 0) }),
      (size) => times(size, (index) => ({ op: "add", path: "/list/0", value: index })),
    ),
  ],
  "tests of a large object": [
    1000,
    jsonPatch(
      (size) => ({ large: times(size, () => 0), a: 0 }),
      (size) => times(size, () => ({ op: "test", path: "/a", value: 0 })),
    ),
  ],
  "long paths": [
    1000,
    jsonPatch(
      () => ({ a: 1 }),
      (size) => [{ op: "test", path: "/~1".repeat(size), value: 0 }],
    ),
  ],
};

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});

test("an invalid JSON patch operation is rejected cheaply", () => {
  expect(
    JSON.stringify(toStatus(refused(() => readJsonPatch([{ op: "x".repeat(1_000_000), path: "" }])))).length,
  ).toBeLessThan(2000);
});
