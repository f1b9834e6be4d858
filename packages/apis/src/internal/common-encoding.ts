// The status of a StorageVersion that follows from its list of API servers. Source:
// staging/src/k8s.io/apiserver/pkg/storageversion/updater.go.
import type { internalV1alpha1 } from "@orch/schema";

type Status = internalV1alpha1.StorageVersionStatus;
type Condition = internalV1alpha1.StorageVersionCondition;

const ALL_EQUAL = "AllEncodingVersionsEqual";

/**
 * Returns the status with the version that all servers encode objects in, and its condition.
 * @param present status whose condition keeps its time of transition where nothing changes
 * @param servers the new list
 * @param at `now`: RFC 3339 with whole seconds
 */
export function withCommonEncoding(
  present: Status,
  servers: NonNullable<Status["storageVersions"]>,
  { now, generation }: { readonly now: string; readonly generation: number },
): Status {
  const [first] = servers;
  const agreed = servers.every(({ encodingVersion }) => encodingVersion === first?.encodingVersion);
  const common = agreed ? first?.encodingVersion : undefined;
  const { conditions = [], commonEncodingVersion: before } = present;
  const former = conditions.find(({ type }) => type === ALL_EQUAL);
  const status = common === undefined ? "False" : "True";
  const isMoved = before !== undefined && common !== undefined && before !== common;
  const condition: Condition = {
    type: ALL_EQUAL,
    status,
    ...(generation > 0 && { observedGeneration: generation }),
    lastTransitionTime: former?.status === status && !isMoved ? (former.lastTransitionTime ?? now) : now,
    reason: common === undefined ? "CommonEncodingVersionUnset" : "CommonEncodingVersionSet",
    message: common === undefined ? "Common encoding version unset" : "Common encoding version set",
  };
  const others = conditions.filter(({ type }) => type !== ALL_EQUAL);
  return {
    storageVersions: [...servers],
    ...(common !== undefined && { commonEncodingVersion: common }),
    conditions: [...others, condition],
  };
}
