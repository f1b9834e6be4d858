// Order of API groups and of their versions in discovery, and the storage version hash. Source:
// cmd/kube-apiserver/app/aggregator.go, `apiVersionPriorities`.
import { createHash } from "node:crypto";
import { compareVersionPriority, type ServedVersion } from "@orch/machinery";
import { groupName, type Vocabulary } from "@orch/schema";

/** Priorities keyed by group id; the higher comes first. */
const PRIORITY = {
  core: 18000,
  apiregistration: 18000,
  apps: 17800,
  events: 17750,
  authentication: 17700,
  authorization: 17600,
  autoscaling: 17500,
  batch: 17400,
  certificates: 17300,
  networking: 17200,
  extensions: 17150,
  policy: 17100,
  rbac: 17000,
  storage: 16800,
  apiextensions: 16700,
  admissionregistration: 16700,
  scheduling: 16600,
  coordination: 16500,
  node: 16300,
  discovery: 16200,
  flowcontrol: 16100,
  internal: 16000,
  resource: 16200,
  storagemigration: 15800,
} as const satisfies Readonly<Record<string, number>>;

/** Priority of groups that are defined at run time. */
const OTHER_GROUPS = 1000;

/**
 * Returns the priority of a group.
 * @param group the published name, "" for core
 * @returns 1000 for a group that is not built in
 */
export function groupPriority(vocabulary: Vocabulary, group: string): number {
  return priorities(vocabulary).get(group) ?? OTHER_GROUPS;
}

/** Compares published group names in the order of discovery. */
export function compareGroups(vocabulary: Vocabulary, one: string, other: string): number {
  return groupPriority(vocabulary, other) - groupPriority(vocabulary, one) || (one < other ? -1 : Number(one > other));
}

const AUTOSCALING_ORDER = ["v2", "v1", "v2beta1", "v2beta2"];

/**
 * Orders a group's versions, the preferred one first.
 * @param isNew whether a version is served for the first time; such a version is not preferred yet. Source: Kubernetes
 * documentation, "Kubernetes Deprecation Policy", rule 4b
 */
export function orderVersions(
  group: string,
  versions: readonly string[],
  isNew: (version: string) => boolean = () => false,
): string[] {
  // Kubernetes prefers the older beta of autoscaling over the newer one.
  const ordered =
    group === "autoscaling"
      ? AUTOSCALING_ORDER.filter((each) => versions.includes(each))
      : [...versions].sort(compareVersionPriority);
  const preferred = ordered.find((each) => !isNew(each)) ?? ordered[0];
  return ordered.sort((one, other) => Number(other === preferred) - Number(one === preferred));
}

const known = new WeakMap<Vocabulary, ReadonlyMap<string, number>>();

function priorities(vocabulary: Vocabulary): ReadonlyMap<string, number> {
  const made = known.get(vocabulary);
  if (made !== undefined) return made;
  const map = new Map(Object.entries(PRIORITY).map(([id, priority]) => [groupName(vocabulary, id), priority]));
  known.set(vocabulary, map);
  return map;
}

/**
 * Returns the storage version hash in discovery, by which migrators detect a change of the storage version: standard
 * base64 of the first 8 bytes of SHA-256 over `group/version/kind`. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export function storageVersionHash(storage: Pick<ServedVersion, "group" | "version" | "kind">): string {
  const digest = createHash("sha256").update(`${storage.group}/${storage.version}/${storage.kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}
