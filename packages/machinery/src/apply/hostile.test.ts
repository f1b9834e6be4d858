// Worst-case inputs of each function: the cost of each must grow at most about linearly with the size of the input.
import { describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { type Growing, growthOf, LINEAR_MAX } from "@orch/testing";
import { StatusError } from "../errors/status-error";
import { ManagerSession } from "./testing/manager-session";
import { list, map, NUMBER, objectWith, struct, TEXT, versionsOf } from "./testing/sample-types";

const SPEC = struct({
  labels: map(TEXT),
  tags: list(TEXT, "set"),
  ports: list(struct({ port: NUMBER, name: TEXT }), "map", ["port"]),
  names: list(struct({ name: TEXT, free: list(struct({})) }), "map", ["name"]),
});
const VERSIONS = versionsOf({ v1: objectWith(SPEC) });

const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const members = (count: number, value: (index: number) => JsonValue, prefix = "k"): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${(index * 7919) % count}`, value(index)]));
const ports = (count: number, name = "a"): JsonValue => times(count, (index) => ({ port: index, name }));
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

interface Step {
  readonly manager: string;
  readonly spec: JsonObject;
  readonly entries?: JsonValue;
}

/** Measures the last step, after those before it. */
const applied = (make: (size: number) => readonly Step[], force = true): Growing => {
  return (size) => {
    const session = new ManagerSession(VERSIONS);
    const steps = make(size);
    for (const { manager, spec } of steps.slice(0, -1)) session.apply(manager, { metadata: { name: "o" }, spec });
    const { object } = session;
    const last = steps.at(-1) as Step;
    return () => {
      session.object = object;
      return refused(() => session.apply(last.manager, { metadata: { name: "o" }, spec: last.spec }, { force }));
    };
  };
};

const updated = (make: (size: number) => readonly Step[]): Growing => {
  return (size) => {
    const session = new ManagerSession(VERSIONS);
    const [first, last] = make(size) as [Step, Step];
    session.update(first.manager, (object) => Object.assign(object, { spec: first.spec }));
    const { object } = session;
    return () => {
      session.object = object;
      session.update(last.manager, (next) => {
        Object.assign(next, { spec: last.spec });
        if (last.entries !== undefined) (next["metadata"] as JsonObject)["managedFields"] = last.entries;
      });
    };
  };
};

const entry = (manager: string, fieldsV1: JsonValue, operation = "Update"): JsonObject => ({
  manager,
  operation,
  apiVersion: "v1",
  time: "2024-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
});

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "entries of many updaters": [
    400,
    updated((size) => [
      { manager: "a", spec: { labels: members(size, () => "v") } },
      {
        manager: "b",
        spec: { labels: members(size, () => "v") },
        entries: times(size, (index) => entry(`m${index}`, { "f:spec": { "f:labels": { [`f:k${index}`]: {} } } })),
      },
    ]),
  ],
  "entries of many appliers": [
    400,
    updated((size) => [
      { manager: "a", spec: {} },
      {
        manager: "b",
        spec: {},
        entries: times(size, (index) => entry(`m${index}`, { "f:spec": { [`f:x${index}`]: {} } }, "Apply")),
      },
    ]),
  ],
  "fields in no order": [
    2000,
    updated((size) => [
      { manager: "a", spec: {} },
      {
        manager: "b",
        spec: { ports: ports(size) },
        entries: [
          entry("m", {
            "f:spec": { "f:ports": Object.fromEntries(times(size, (index) => [`k:{"port":${size - index}}`, {}])) },
          }),
        ],
      },
    ]),
  ],
  "elements that hold deep values": [
    10_000,
    updated((size) => [
      { manager: "a", spec: {} },
      { manager: "b", spec: {}, entries: [entry("m", { "f:tags": { [`v:${"[".repeat(size)}`]: {} } })] },
    ]),
  ],
  "a list written back to front": [
    1000,
    updated((size) => [
      { manager: "a", spec: { ports: ports(size) } },
      { manager: "b", spec: { ports: reversed(ports(size, "b")) } },
    ]),
  ],
  "a list with the same key many times": [
    1000,
    updated((size) => [
      { manager: "a", spec: { ports: ports(size) } },
      { manager: "b", spec: { ports: times(size, () => ({ port: 1 })) } },
    ]),
  ],
  "a map of many keys": [
    1000,
    applied((size) => [
      { manager: "a", spec: { labels: members(size, () => "1") } },
      { manager: "b", spec: { labels: members(size, () => "2") } },
    ]),
  ],
  "a list applied back to front": [
    500,
    applied((size) => [
      { manager: "a", spec: { ports: ports(size) } },
      { manager: "b", spec: { ports: reversed(ports(size, "b")) } },
    ]),
  ],
  "a set applied back to front": [
    1000,
    applied((size) => [
      { manager: "a", spec: { tags: times(size, (index) => `t${index}`) } },
      { manager: "b", spec: { tags: times(size, (index) => `t${size - index}`) } },
    ]),
  ],
  "new items between those that are there": [
    500,
    applied((size) => [
      { manager: "a", spec: { ports: ports(size) } },
      { manager: "b", spec: { ports: times(size, (index) => ({ port: index / 2 })) } },
    ]),
  ],
  "all that was applied is withdrawn": [
    500,
    applied((size) => [
      { manager: "a", spec: { ports: ports(size), labels: members(size, () => "1") } },
      { manager: "a", spec: {} },
    ]),
  ],
  "a conflict at each field": [
    1000,
    applied(
      (size) => [
        { manager: "a", spec: { labels: members(size, () => "1") } },
        { manager: "b", spec: { labels: members(size, () => "2") } },
      ],
      false,
    ),
  ],
  "the same item many times": [1000, applied((size) => [{ manager: "a", spec: { tags: times(size, () => "t") } }])],
  "a fault at each item under a long key": [
    5000,
    applied((size) => [
      { manager: "a", spec: { names: [{ name: "n".repeat(size), free: times(1000, () => ({ x: 1 })) }] } },
    ]),
  ],
  "members that are not in the schema": [1000, applied((size) => [{ manager: "a", spec: members(size, () => 1) }])],
};

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});

test("at most a thousand conflicts are reported", () => {
  const session = new ManagerSession(VERSIONS);
  session.apply("a", { metadata: { name: "o" }, spec: { labels: members(3000, () => "1", "x".repeat(200)) } });
  const spec = { labels: members(3000, () => "2", "x".repeat(200)) };
  const error = refused(() => session.apply("b", { metadata: { name: "o" }, spec }));
  expect((error as StatusError).message).toContain("Apply failed with 3000 conflicts");
  expect((error as StatusError).details?.causes).toHaveLength(1000);
});
