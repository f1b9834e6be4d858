// Validation of scheduling gates. While a pod has gates, its node selector and node affinity may be narrowed. Source:
// KEP-3521, "Pod Scheduling Readiness"; KEP-3838, "Pod Mutable Scheduling Directives".

import { type Place, qualifiedName, type Report, type Rule, unchanged } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const GATE = "PodSchedulingReadiness";

export const schedulingGates: Rule<coreV1.PodSpec> = ({ schedulingGates: gates = [] }, at, report) => {
  if (gates.length === 0 || !report.features.isOn(GATE)) return;
  const seen = new Set<string>();
  gates.forEach(({ name = "" }, position) => {
    const place = at.field("schedulingGates").item(position);
    qualifiedName(name, place, report);
    if (seen.has(name)) report.duplicate(place, name);
    seen.add(name);
  });
};

/** Requires that a new pod with gates has no node. */
export const ungatedNode: Rule<coreV1.PodSpec> = ({ nodeName, schedulingGates: gates = [] }, at, report) => {
  if (!nodeName || gates.length === 0 || !report.features.isOn(GATE)) return;
  report.forbidden(at.field("nodeName"), "cannot be set until all schedulingGates have been cleared");
};

interface Specs {
  readonly next: coreV1.PodSpec;
  readonly old: coreV1.PodSpec;
}

/** Reports gates that the stored pod does not have. */
export function onlyFewerGates({ next, old }: Specs, at: Place, report: Report): void {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  (next.schedulingGates ?? []).forEach(({ name }, position) => {
    if (known.has(name)) return;
    const place = at.field("schedulingGates").item(position).field("name");
    report.forbidden(place, `only deletion is allowed, but found new scheduling gate '${name}'`);
  });
}

/**
 * Validates changes of the node selector and of the node affinity of a gated pod.
 * @returns the new spec with the stored values of both, for the comparison of the rest
 */
export function narrowedDirectives(specs: Specs, at: Place, report: Report): coreV1.PodSpec {
  const { next, old } = specs;
  if ((old.schedulingGates ?? []).length === 0 || !report.features.isOn(GATE)) return next;
  nodeSelector(specs, at.field("nodeSelector"), report);
  nodeAffinity(specs, at.field("affinity").field("nodeAffinity"), report);
  const { nodeSelector: _, affinity, ...rest } = next;
  const before = old.affinity;
  return {
    ...rest,
    ...(old.nodeSelector === undefined ? {} : { nodeSelector: old.nodeSelector }),
    ...withAffinity(affinity, before),
  };
}

function withAffinity(next: coreV1.Affinity | undefined, old: coreV1.Affinity | undefined) {
  const { nodeAffinity: _, ...others } = next ?? {};
  const nodeAffinity = old?.nodeAffinity;
  const affinity: coreV1.Affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  return Object.keys(affinity).length === 0 && old === undefined ? {} : { affinity };
}

function nodeSelector({ next, old }: Specs, at: Place, report: Report): void {
  const after = next.nodeSelector ?? {};
  if (Object.entries(old.nodeSelector ?? {}).every(([key, value]) => after[key] === value)) return;
  report.invalid(at, after, "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
}

function nodeAffinity({ next, old }: Specs, at: Place, report: Report): void {
  if (unchanged(next.affinity?.nodeAffinity, old.affinity?.nodeAffinity)) return;
  const before = requiredTerms(old.affinity);
  if (before.length === 0) return;
  const after = requiredTerms(next.affinity);
  const place = at.field("requiredDuringSchedulingIgnoredDuringExecution").field("nodeSelectorTerms");
  if (after.length !== before.length) {
    report.invalid(place, after, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  before.forEach((term, position) => {
    const same = after[position] ?? {};
    if (isNarrowed(same, term)) return;
    report.invalid(place.item(position), same, "only additions are allowed (no mutations or deletions)");
  });
}

const requiredTerms = (affinity: coreV1.Affinity | undefined): readonly coreV1.NodeSelectorTerm[] =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];

/** Returns whether the new term selects fewer nodes. An empty term selects none, and stays empty. */
function isNarrowed(next: coreV1.NodeSelectorTerm, old: coreV1.NodeSelectorTerm): boolean {
  const { matchExpressions = [], matchFields = [] } = old;
  if (matchExpressions.length + matchFields.length === 0) return unchanged(next, old);
  return extended(next.matchExpressions, matchExpressions) && extended(next.matchFields, matchFields);
}

type Requirements = readonly coreV1.NodeSelectorRequirement[] | undefined;

/** Returns whether the new requirements begin with the old ones. */
const extended = (next: Requirements = [], old: Requirements = []): boolean =>
  old.every((requirement, position) => unchanged(next[position], requirement));
