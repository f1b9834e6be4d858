import { expect, test } from "@jest/globals";
import { type resourceV1, vocabularyOf } from "@orch/schema";
import { claimCounts } from "./claim-counts";

const PREFIX = "resource.kubernetes.io";

interface Parts {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly adminAccess?: boolean;
  readonly status?: object;
}

const claim = ({ annotations = {}, adminAccess, status }: Parts = {}): resourceV1.ResourceClaim =>
  ({
    metadata: { annotations },
    spec: { devices: { requests: [{ name: "r", exactly: { ...(adminAccess !== undefined && { adminAccess }) } }] } },
    status,
  }) as unknown as resourceV1.ResourceClaim;

test("claims are counted by allocation, administrative access and source", () => {
  const made = { [`${PREFIX}/pod-claim-name`]: "gpu" };
  const extended = { [`${PREFIX}/extended-resource-claim`]: "true" };
  const claims = [
    ...[claim(), claim({ annotations: { [`${PREFIX}/pod-claim-name`]: "" } })],
    claim({ annotations: made, status: { allocation: {} } }),
    claim({ annotations: extended }),
    claim({ adminAccess: true, status: {} }),
  ];
  const plain = { allocated: false, adminAccess: false, source: "" };
  expect(claimCounts(claims, vocabularyOf("kubernetes"))).toEqual([
    { ...plain, claims: 2 },
    { ...plain, allocated: true, source: "resource_claim_template", claims: 1 },
    { ...plain, source: "extended_resource", claims: 1 },
    { ...plain, adminAccess: true, claims: 1 },
  ]);
});
