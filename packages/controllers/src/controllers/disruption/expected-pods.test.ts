import { describe, expect, test } from "@jest/globals";
import type { OwnerReference } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { reachablePod } from "../../framework/cached-parts";
import { BudgetSelectors } from "./budget-pods";
import type { Budget } from "./budget-status";
import { countsOtherwise } from "./counted-pod";
import { expectedPods, type Scale } from "./expected-pods";

const ownedBy = (uid: string, controller = true): OwnerReference => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: `set-${uid}`,
  uid,
  controller,
});
const pod = (name: string, ...ownerReferences: readonly OwnerReference[]): coreV1.Pod =>
  ({ metadata: { name, namespace: "shop", ownerReferences } }) as unknown as coreV1.Pod;

function scales(known: Readonly<Record<string, Scale>>) {
  const asked: string[] = [];
  const of = async ({ uid = "" }: OwnerReference, namespace: string) => {
    asked.push(`${namespace}/${uid}`);
    return known[uid];
  };
  return { asked, of };
}

describe("how many pods there should be", () => {
  const strict = { leavesOutUnmanaged: false };
  const a: Scale = { uid: "deployment-a", replicas: 5 };
  const b: Scale = { uid: "b", replicas: 2 };

  test("is the sum of what their controllers want, each asked once", async () => {
    const known = scales({ a, b });
    const all = [pod("1", ownedBy("a")), pod("2", ownedBy("a")), pod("3", ownedBy("x", false), ownedBy("b"))];
    expect(await expectedPods(all, known, strict)).toEqual({ count: 7, unmanaged: [] });
    expect(known.asked).toEqual(["shop/a", "shop/b"]);
  });

  test("counts what two of them are made for once", async () => {
    const known = scales({ old: a, new: a });
    expect(await expectedPods([pod("1", ownedBy("old")), pod("2", ownedBy("new"))], known, strict)).toMatchObject({
      count: 5,
    });
  });

  test("is nothing without pods", async () => {
    expect(await expectedPods([], scales({}), strict)).toEqual({ count: 0, unmanaged: [] });
  });

  test("is not known where a pod has no controller, or leaves that pod out", async () => {
    const all = [pod("1", ownedBy("a")), pod("2"), pod("3", ownedBy("a", false))];
    await expect(expectedPods(all, scales({ a }), strict)).rejects.toMatchObject({
      reason: "NoControllerRef",
      message: "the pod 2 has no controller",
    });
    expect(await expectedPods(all, scales({ a }), { leavesOutUnmanaged: true })).toEqual({
      count: 5,
      unmanaged: ["2", "3"],
    });
  });

  test("is not known where the controller is gone", async () => {
    await expect(expectedPods([pod("1", ownedBy("a"))], scales({}), strict)).rejects.toMatchObject({
      reason: "NoControllers",
      message: 'the controller of the pod 1, ReplicaSet "set-a", does not exist',
    });
  });
});

describe("the pods of a budget", () => {
  const labelled = (labels?: Readonly<Record<string, string>>) =>
    ({ metadata: { name: "p", ...(labels && { labels }) } }) as coreV1.Pod;
  const selecting = (selector?: object) => ({ spec: selector === undefined ? {} : { selector } }) as Budget;
  test.each<[string, object | undefined, readonly [v1: boolean, v1beta1: boolean]]>([
    ["those that match its selector", { matchLabels: { app: "web" } }, [true, true]],
    ["by all that it asks", { matchLabels: { app: "web", tier: "back" } }, [false, false]],
    ["by expressions", { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] }, [true, true]],
    ["everything or nothing, where it asks for nothing", {}, [true, false]],
    ["nothing without one", undefined, [false, false]],
  ])("%s", (_what, selector, expected) => {
    const chosen = ["v1", "v1beta1"].map((version) =>
      new BudgetSelectors(version).of(selecting(selector))(labelled({ app: "web" })),
    );
    expect(chosen).toEqual(expected);
  });

  test("pods without labels count too", () => {
    expect(new BudgetSelectors("v1").of(selecting({}))(labelled())).toBe(true);
  });
});

describe("a pod", () => {
  const whole = {
    metadata: {
      name: "p",
      namespace: "shop",
      uid: "u",
      resourceVersion: "7",
      labels: { app: "web" },
      annotations: { a: "b" },
      ownerReferences: [ownedBy("x", false), ownedBy("a")],
    },
    spec: { containers: [{ name: "c", image: "i" }] },
    status: {
      phase: "Running",
      conditions: [
        { type: "Initialized", status: "True" },
        { type: "Ready", status: "True" },
      ],
    },
  } as unknown as coreV1.Pod;

  test.each<[string, (pod: coreV1.Pod) => object, boolean]>([
    ["nothing that counts", (of) => ({ ...of, metadata: { ...of.metadata, resourceVersion: "8" } }), false],
    ["readiness", (of) => ({ ...of, status: {} }), true],
    ["labels", (of) => ({ ...of, metadata: { ...of.metadata, labels: {} } }), true],
    ["its end", (of) => ({ ...of, metadata: { ...of.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } }), true],
    ["its controller", (of) => ({ ...of, metadata: { ...of.metadata, ownerReferences: [] } }), true],
    ["itself", (of) => ({ ...of, metadata: { ...of.metadata, uid: "v" } }), true],
  ])("counts otherwise when it changes %s", (_what, change, expected) => {
    const before = reachablePod(whole);
    expect(countsOtherwise(before, change(before) as coreV1.Pod)).toBe(expected);
  });
});
