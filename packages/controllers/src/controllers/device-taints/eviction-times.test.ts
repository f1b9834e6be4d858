import { expect, test } from "@jest/globals";
import type { resourceV1 } from "@orch/schema";
import { earliestOf, evictingTaintOf, evictingTaints, evictionOf, selects, type TaintRule } from "./eviction-times";

const ADDED = "2030-01-01T00:00:00Z";
const ADDED_MS = Date.parse(ADDED);
const result = (tolerations: readonly object[] = []) =>
  ({
    request: "r",
    driver: "d",
    pool: "p",
    device: "gpu",
    tolerations,
  }) as unknown as resourceV1.DeviceRequestAllocationResult;
const taint = { key: "broken", value: "yes", effect: "NoExecute", timeAdded: ADDED } as const;
const all = { operator: "Exists", effect: "NoExecute" };

test.each<[string, readonly object[], number | undefined]>([
  ["leaves when the taint is added", [], ADDED_MS],
  ["stays when it tolerates all taints", [all], undefined],
  ["stays when it tolerates the value", [{ key: "broken", value: "yes", effect: "NoExecute" }], undefined],
  ["leaves when it tolerates another value", [{ key: "broken", value: "no", effect: "NoExecute" }], ADDED_MS],
  ["leaves when it tolerates another key", [{ ...all, key: "x" }], ADDED_MS],
  ["leaves when it tolerates another effect", [{ ...all, effect: "NoSchedule" }], ADDED_MS],
  ["leaves after the time that it tolerates", [{ ...all, tolerationSeconds: 60 }], ADDED_MS + 60_000],
  [
    "leaves after the shortest of several times",
    [
      { ...all, tolerationSeconds: 60 },
      { ...all, tolerationSeconds: -5 },
    ],
    ADDED_MS,
  ],
  ["stays when one of several tolerations has no end", [{ ...all, tolerationSeconds: 60 }, all], undefined],
])("a pod %s", (_, tolerations, expected) => {
  expect(evictionOf(result(tolerations), [{ taint }])?.atMs).toBe(expected);
});

test("only NoExecute taints of the newest generation of a pool count", () => {
  const slice = (generation: number, taints: readonly object[]) =>
    ({
      spec: { driver: "d", pool: { name: "p", generation, resourceSliceCount: 1 }, devices: [{ name: "gpu", taints }] },
    }) as unknown as resourceV1.ResourceSlice;
  const warning = { ...taint, effect: "NoSchedule" };
  expect(evictingTaints(result(), [slice(1, [taint]), slice(2, [warning])])).toEqual([]);
  expect(evictingTaints(result(), [slice(1, []), slice(2, [warning, taint])])).toEqual([{ taint }]);
  expect(evictingTaints({ ...result(), device: "other" }, [slice(1, [taint])])).toEqual([]);
  expect(evictingTaints(result(), [])).toEqual([]);
});

const rule = (deviceSelector: object | undefined, effect = "NoExecute"): TaintRule =>
  ({ metadata: { name: "r" }, spec: { deviceSelector, taint: { ...taint, effect } } }) as unknown as TaintRule;

test.each<[string, object | undefined, boolean]>([
  ["without a selector selects no device", undefined, false],
  ["with an empty selector selects every device", {}, true],
  ["of the driver selects it", { driver: "d" }, true],
  ["of driver, pool and name selects it", { driver: "d", pool: "p", device: "gpu" }, true],
  ["of another driver does not select it", { driver: "x" }, false],
  ["of another pool does not select it", { driver: "d", pool: "x" }, false],
  ["of another device does not select it", { driver: "d", pool: "p", device: "x" }, false],
])("a rule %s", (_, deviceSelector, expected) => expect(selects(rule(deviceSelector), result())).toBe(expected));

test("the departure names the rules that are a reason, and has the earliest time", () => {
  const tolerated = { key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 };
  const own = evictingTaintOf(rule({}));
  const later = evictionOf(result([tolerated]), own ? [own] : []);
  expect([later?.atMs, later?.rules.size]).toEqual([ADDED_MS + 60_000, 1]);
  const sooner = evictionOf(result(), [{ taint }]);
  const both = earliestOf([later, sooner].flatMap((each) => each ?? []));
  expect([both?.atMs, both?.rules.size]).toEqual([ADDED_MS, 1]);
  expect(evictionOf(result([all]), own ? [own] : [])).toBeUndefined();
  expect(evictingTaintOf(rule({}, "NoSchedule"))).toBeUndefined();
  expect(earliestOf([])).toBeUndefined();
});
