// Decisions about the pods of a node that is drained. Source: kubectl/pkg/drain/filters.go.
import { metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";

export interface DrainRules {
  readonly force: boolean;
  readonly ignoreDaemonsets: boolean;
  readonly deleteEmptydirData: boolean;
}

/** `skip`: the pod stays; `refuse`: the node is not drained, for the reason. */
export type DrainVerdict =
  | { readonly kind: "evict"; readonly warning?: string }
  | { readonly kind: "skip"; readonly warning?: string }
  | { readonly kind: "refuse"; readonly reason: string };

export function drainVerdict(pod: JsonObject, rules: DrainRules, names: Vocabulary): DrainVerdict {
  const { annotations = {}, ownerReferences = [], deletionTimestamp } = metaOf(pod);
  if (annotations[names.annotations.configMirror] !== undefined) return { kind: "skip" };
  const { phase } = (pod["status"] ?? {}) as { readonly phase?: string };
  const isFinished = phase === "Succeeded" || phase === "Failed";
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner?.kind === "DaemonSet" && !isFinished) {
    return rules.ignoreDaemonsets
      ? { kind: "skip", warning: "ignoring DaemonSet-managed Pods" }
      : { kind: "refuse", reason: "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)" };
  }
  if (isFinished || deletionTimestamp) return { kind: "evict" };
  const { volumes = [] } = (pod["spec"] ?? {}) as { readonly volumes?: readonly JsonObject[] };
  const hasLocalData = volumes.some(({ emptyDir }) => emptyDir !== undefined && emptyDir !== null);
  if (hasLocalData && !rules.deleteEmptydirData) {
    return { kind: "refuse", reason: "cannot delete Pods with local storage (use --delete-emptydir-data to override)" };
  }
  if (owner === undefined) {
    return rules.force
      ? { kind: "evict", warning: "deleting Pods that declare no controller" }
      : { kind: "refuse", reason: "cannot delete Pods that declare no controller (use --force to override)" };
  }
  return { kind: "evict" };
}
