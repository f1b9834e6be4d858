import { expect, test } from "@jest/globals";
import { hostOf, type Lease, leaseState } from "./leases";

const lease = (spec: Lease["spec"], labels: Record<string, string> = {}): Lease => ({
  metadata: { name: "a", labels },
  ...(spec === undefined ? {} : { spec }),
});

test("a lease is held until its time is over", () => {
  const spec = { holderIdentity: "x", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.123456Z" };
  const renewed = Date.parse("2026-01-01T00:00:00Z");
  expect(leaseState(lease(spec), renewed + 15_000)).toBe("held");
  expect(leaseState(lease(spec), renewed + 16_000)).toBe("expired");
  expect(leaseState(lease({ ...spec, holderIdentity: "" }), renewed)).toBe("released");
  expect(leaseState(lease(undefined), renewed)).toBe("released");
});

test("the host of a replica is a label in either vocabulary", () => {
  expect(hostOf(lease({}, { "kubernetes.io/hostname": "m1" }))).toBe("m1");
  expect(hostOf(lease({}, { "orch.io/hostname": "m2" }))).toBe("m2");
  expect(hostOf(lease({}))).toBe("");
});
