import { expect, test } from "@jest/globals";
import type { resourceV1 } from "@orch/schema";
import { evictingTaints, evictionMsOf } from "./eviction-times";

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
])("a pod %s", (_, tolerations, expected) => expect(evictionMsOf(result(tolerations), [taint])).toBe(expected));

test("only NoExecute taints of the newest generation of a pool count", () => {
  const slice = (generation: number, taints: readonly object[]) =>
    ({
      spec: { driver: "d", pool: { name: "p", generation, resourceSliceCount: 1 }, devices: [{ name: "gpu", taints }] },
    }) as unknown as resourceV1.ResourceSlice;
  const warning = { ...taint, effect: "NoSchedule" };
  expect(evictingTaints(result(), [slice(1, [taint]), slice(2, [warning])])).toEqual([]);
  expect(evictingTaints(result(), [slice(1, []), slice(2, [warning, taint])])).toEqual([taint]);
  expect(evictingTaints({ ...result(), device: "other" }, [slice(1, [taint])])).toEqual([]);
  expect(evictingTaints(result(), [])).toEqual([]);
});
