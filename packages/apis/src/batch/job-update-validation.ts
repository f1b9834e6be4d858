// Validation of updates of jobs. The pod template of a suspended job without pods may change in part. Source: KEP-2926,
// "Mutable scheduling directives for suspended Jobs"; KEP-5440, "Mutable Job Pod Resource Updates";
// pkg/apis/batch/validation/validation.go.

import { type Features, immutable, type Place, type Report, unchanged, updateValidator } from "@orch/apis-model";
import type { batchV1, coreV1 } from "@orch/schema";

/** Fields that an update cannot change, beside the selector and the template. */
const FIXED = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const satisfies readonly (keyof batchV1.JobSpec)[];

export const validateJobUpdate = updateValidator<batchV1.Job>((next, old, at, report) => {
  const place = at.field("spec");
  completions(next.spec, old.spec, place, report);
  immutable(next.spec?.selector, old.spec?.selector, place.field("selector"), report);
  if (next.spec !== undefined && old.spec !== undefined) template(next.spec.template, old, place, report);
  if (!report.features.since("1.27")) return;
  for (const name of FIXED) immutable(next.spec?.[name], old.spec?.[name], place.field(name), report);
});

type Spec = batchV1.JobSpec | undefined;

/** An indexed job scales by completions and parallelism together. Source: KEP-3715, "Elastic Indexed Jobs". */
function completions(next: Spec, old: Spec, at: Place, report: Report): void {
  const place = at.field("completions");
  if (next?.completionMode !== "Indexed" || !report.features.since("1.27")) {
    immutable(next?.completions, old?.completions, place, report);
  } else if (next.completions !== undefined && next.completions !== old?.completions) {
    if (next.completions === next.parallelism) return;
    report.invalid(place, next.completions, "can only be modified in tandem with spec.parallelism");
  }
}

function template(next: coreV1.PodTemplateSpec, job: batchV1.Job, at: Place, report: Report): void {
  const old = job.spec?.template;
  if (unchanged(next, old) || old === undefined) return;
  const allowed = changeable(job, report.features);
  let expected = old;
  if (allowed.directives) expected = withDirectives(expected, next);
  if (allowed.resources) {
    // Kubernetes compares the spec of the pods alone.
    expected = withResources(expected, next);
    if (!unchanged(next.spec, expected.spec)) report.immutable(at.field("template").field("spec"), next.spec);
    return;
  }
  if (!unchanged(next, expected)) report.immutable(at.field("template"), next);
}

/** Returns the parts of the template that may change. */
function changeable({ spec, status = {} }: batchV1.Job, features: Features) {
  const nothing = { directives: false, resources: false };
  if (spec?.suspend !== true || !features.since("1.27")) return nothing;
  const neverStarted = status.startTime === undefined;
  const isSuspended = (status.conditions ?? []).some((each) => each.type === "Suspended" && each.status === "True");
  const withoutPods = (neverStarted || isSuspended) && (status.active ?? 0) === 0;
  return {
    directives: features.isOn("MutableSchedulingDirectivesForSuspendedJobs") ? withoutPods : neverStarted,
    resources: features.isOn("MutablePodResourcesForSuspendedJobs") && withoutPods,
  };
}

/** Returns the stored template with the scheduling directives of the new one. */
function withDirectives(old: coreV1.PodTemplateSpec, next: coreV1.PodTemplateSpec): coreV1.PodTemplateSpec {
  const { labels, annotations } = next.metadata ?? {};
  const { nodeSelector, tolerations, schedulingGates, affinity } = next.spec ?? {};
  const { nodeAffinity: _, ...others } = old.spec?.affinity ?? {};
  const nodeAffinity = affinity?.nodeAffinity;
  const merged = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  return clean({
    ...old,
    metadata: clean({ ...old.metadata, labels, annotations }),
    spec: clean({
      ...old.spec,
      nodeSelector,
      tolerations,
      schedulingGates,
      affinity: Object.keys(merged).length === 0 ? (affinity === undefined ? undefined : {}) : merged,
    }),
  });
}

function withResources(old: coreV1.PodTemplateSpec, next: coreV1.PodTemplateSpec): coreV1.PodTemplateSpec {
  const resized = (list: "containers" | "initContainers") => {
    const wanted = next.spec?.[list] ?? [];
    return old.spec?.[list]?.map((container, position) => {
      const { name, resources } = wanted[position] ?? {};
      return name === container.name ? clean({ ...container, resources }) : container;
    });
  };
  const lists = { containers: resized("containers"), initContainers: resized("initContainers") };
  return clean({ ...old, spec: clean({ ...old.spec, ...lists }) });
}

/** Removes the fields that are undefined. */
function clean<T>(object: object): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
