// Object count quotas, for most resources including custom ones. Source: Kubernetes documentation, "Resource Quotas",
// "Object Count Quota".
import type { GroupResource } from "@orch/machinery";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { ONE, type Usage } from "./usage";

/** Core resources that quotas also count by their bare names. */
const BARE: ReadonlySet<string> = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"]);

const PREFIX = "count/";

const countName = ({ group, resource }: GroupResource): string =>
  group === "" ? `${PREFIX}${resource}` : `${PREFIX}${resource}.${group}`;

export function countEvaluator(resource: GroupResource): QuotaEvaluator {
  const names = [countName(resource)];
  if (resource.group === "" && BARE.has(resource.resource)) names.push(resource.resource);
  const usage: Usage = new Map(names.map((name) => [name, ONE]));
  return {
    resource,
    chargesUpdates: false,
    knows: (name) => names.includes(name),
    usage: () => usage,
    readsMetadataAlone: true,
    essence: (object) => ({ metadata: countedMeta(object) }),
  };
}

/** Returns the resource that a name counts; undefined for other names. The resource need not exist. */
export function countedBy(name: string): GroupResource | undefined {
  if (BARE.has(name)) return { group: "", resource: name };
  if (!name.startsWith(PREFIX)) return undefined;
  const [resource = "", ...group] = name.slice(PREFIX.length).split(".");
  return { group: group.join("."), resource };
}
