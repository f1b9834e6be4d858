import { describe, expect, test } from "@jest/globals";
import type { coreV1 } from "@orch/schema";
import { reachablePod } from "../../framework/cached-parts";
import { hasEnded, hasOnlyFinalizers, MissingNodes, neverScheduled, terminatedBeyond } from "./pods-to-remove";

interface Shape {
  readonly phase?: string;
  readonly nodeName?: string;
  readonly made?: string;
  readonly deleted?: true;
}

const pod = (name: string, { phase, nodeName, made, deleted }: Shape = {}): coreV1.Pod =>
  ({
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "7",
      labels: { a: "b" },
      creationTimestamp: `2030-01-01T00:00:${made ?? "00"}Z`,
      ...(deleted && { deletionTimestamp: "2030-01-01T01:00:00Z" }),
    },
    spec: { containers: [{ name: "c" }], ...(nodeName === undefined ? {} : { nodeName }) },
    status: { ...(phase === undefined ? {} : { phase }), podIP: "10.0.0.1" },
  }) as unknown as coreV1.Pod;

const namesOf = (pods: readonly coreV1.Pod[]) => pods.map(({ metadata }) => metadata?.name);

test.each([
  ["Succeeded", true],
  ["Failed", true],
  ["Pending", false],
  ["Running", false],
  ["Unknown", false],
  [undefined, false],
])("a pod whose phase is %s has ended: %s", (phase, expected) => {
  expect(hasEnded(pod("p", phase === undefined ? {} : { phase }))).toBe(expected);
});

describe("pods that have ended", () => {
  const ended = { phase: "Succeeded" };
  const pods = [
    pod("newest", { ...ended, made: "09" }),
    pod("b", { ...ended, made: "05" }),
    pod("a", { phase: "Failed", made: "05" }),
    pod("oldest", { ...ended, made: "01" }),
    pod("runs", { phase: "Running", made: "00" }),
  ];
  test.each<[string, number, string[]]>([
    ["stay while there are no more than may", 4, []],
    ["go beyond that, the oldest first, and by name where they are as old", 1, ["oldest", "a", "b"]],
    ["stay without a threshold", 0, []],
    ["stay below it", -1, []],
    ["stay where there are few", 100, []],
  ])("%s", (_what, keep, expected) => {
    expect(namesOf(terminatedBeyond(pods.map(reachablePod), keep))).toEqual(expected);
  });
});

test("pods that are deleted and have no node will not end by themselves", () => {
  const pods = [
    pod("waits"),
    pod("gone", { deleted: true }),
    pod("ends", { deleted: true, nodeName: "n" }),
    pod("runs", { nodeName: "n" }),
  ];
  expect(namesOf(neverScheduled(pods.map(reachablePod)))).toEqual(["gone"]);
});

test("a pod that is deleted for good is left to what holds it", () => {
  const going = pod("p", { deleted: true });
  const graced = (deletionGracePeriodSeconds: number) =>
    reachablePod({ ...going, metadata: { ...going.metadata, deletionGracePeriodSeconds } });
  expect([pod("p"), graced(30), graced(0)].map(hasOnlyFinalizers)).toEqual([false, false, true]);
});

describe("nodes that are missing", () => {
  const pods = [
    pod("one", { nodeName: "a" }),
    pod("two", { nodeName: "b" }),
    pod("none"),
    pod("more", { nodeName: "a" }),
  ];
  const look = (missing: MissingNodes, seconds: number, ...present: string[]) =>
    missing.look(pods, new Set(present), seconds * 1_000);

  test("are so for 40 seconds before they count", () => {
    const missing = new MissingNodes();
    expect([0, 20, 39].map((at) => look(missing, at, "b"))).toEqual([[], [], []]);
    expect(look(missing, 40, "b")).toEqual(["a"]);
    expect(look(missing, 60, "b")).toEqual(["a"]);
  });

  test("begin anew once they have been there, for whoever has seen them", () => {
    const missing = new MissingNodes();
    look(missing, 0);
    look(missing, 20, "a");
    expect(look(missing, 40)).toEqual(["b"]);
    missing.forget("b");
    expect(look(missing, 60)).toEqual([]);
    expect(look(missing, 80)).toEqual(["a"]);
    expect(look(missing, 100)).toEqual(["a", "b"]);
  });

  test("are forgotten with the last pod that was on them", () => {
    const missing = new MissingNodes();
    look(missing, 0);
    missing.look([], new Set(), 20_000);
    expect(look(missing, 50)).toEqual([]);
  });
});
