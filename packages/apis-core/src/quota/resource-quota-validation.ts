// Validation of resource quotas. Source: pkg/apis/core/validation/validation.go.

import {
  fields,
  isExact,
  isQuotaResource,
  type Place,
  quotaResourceName,
  type Report,
  type ResourceList,
  type Rule,
  resourceQuantity,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const amounts: Rule<ResourceList> = (list, at, report) => {
  for (const name in list) {
    const place = at.key(name);
    quotaResourceName(name, place, report);
    resourceQuantity(name, list[name] as string, place, report);
  }
};

const PODS = ["pods"];
const PODS_AND_COMPUTE = [...PODS, "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/** Resources that each scope can limit. */
const MEASURED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["BestEffort", new Set(PODS)],
  ["NotBestEffort", new Set(PODS_AND_COMPUTE)],
  ["Terminating", new Set(PODS_AND_COMPUTE)],
  ["NotTerminating", new Set(PODS_AND_COMPUTE)],
  ["PriorityClass", new Set(PODS_AND_COMPUTE)],
  ["CrossNamespacePodAffinity", new Set(PODS_AND_COMPUTE)],
  ["VolumeAttributesClass", new Set(["persistentvolumeclaims", "requests.storage"])],
]);

/** Scopes whose names are selected by values. */
const WITH_VALUES: ReadonlySet<string> = new Set(["PriorityClass", "VolumeAttributesClass"]);

/** Returns whether the features that are on define a scope. */
const isKnown = (name: string, { features }: Report): boolean =>
  name !== "VolumeAttributesClass" || features.isOn("VolumeAttributesClass");

const OPPOSITES = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** Checks scopes. @param at path of each scope's name */
function scopeErrors(
  scopes: readonly { readonly name: string; readonly at: Place }[],
  hard: ResourceList,
  list: Place,
  report: Report,
): void {
  const resources = Object.keys(hard).filter(isQuotaResource);
  // Exact errors of a selector about a resource are those of the list of expressions.
  const hasSelector = isExact(report) && scopes.some(({ at }) => at !== list);
  const unmeasured = new Map<string, readonly string[]>();
  for (const { name, at } of scopes) {
    const measured = isKnown(name, report) ? MEASURED.get(name) : undefined;
    if (measured === undefined) {
      report.invalid(at, name, "unsupported scope");
      continue;
    }
    let wrong = unmeasured.get(name);
    if (wrong === undefined) {
      wrong = resources.filter((resource) => !measured.has(resource));
      unmeasured.set(name, wrong);
    }
    for (const resource of wrong) {
      if (report.isFull) break;
      if (hasSelector) report.invalid(list, name, "unsupported scope applied to resource");
      else report.invalid(at, name, `unsupported scope applied to resource ${resource}`);
    }
  }
  const names = scopes.map(({ name }) => name);
  for (const [one, other] of OPPOSITES) {
    if (names.includes(one) && names.includes(other)) report.invalid(list, names, "conflicting scopes");
  }
}

const scopesFit: Rule<coreV1.ResourceQuotaSpec> = ({ scopes = [], hard = {} }, at, report) => {
  const list = at.field("scopes");
  scopeErrors(
    scopes.map((name) => ({ name, at: list })),
    hard,
    list,
    report,
  );
};

const scopeSelectorFits: Rule<coreV1.ResourceQuotaSpec> = ({ scopeSelector, hard = {} }, at, report) => {
  const expressions = scopeSelector?.matchExpressions ?? [];
  const list = at.field("scopeSelector").field("matchExpressions");
  // Since 1.27, errors are at the list.
  const placeOf = (position: number): Place => (report.features.since("1.27") ? list : list.item(position));
  const scopes = expressions.map(({ scopeName }, position) => ({
    name: scopeName,
    at: placeOf(position).field("scopeName"),
  }));
  scopeErrors(scopes, hard, list, report);
  for (const [position, expression] of expressions.entries()) selection(expression, placeOf(position), report);
};

function selection(
  { scopeName, operator, values = [] }: coreV1.ScopedResourceSelectorRequirement,
  at: Place,
  report: Report,
): void {
  const isKnownName = MEASURED.has(scopeName) || !isExact(report);
  if (!WITH_VALUES.has(scopeName) && isKnownName && operator !== "Exists") {
    report.invalid(at.field("operator"), operator, "must be 'Exists' when the scope has no values to choose from");
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        report.required(at.field("values"), "must be at least one value when `operator` is 'In' or 'NotIn'");
      }
      return;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        report.invalid(at.field("values"), values, "must be no value when `operator` is 'Exists' or 'DoesNotExist'");
      }
      return;
    default: // what a client wrote, which the type cannot know
      if (WITH_VALUES.has(scopeName) || isExact(report))
        report.invalid(at.field("operator"), operator, "not a valid selector operator");
  }
}

const quotaSpec = fields<coreV1.ResourceQuotaSpec>({ hard: amounts });

export const resourceQuotaErrors = validator<coreV1.ResourceQuota>(({ spec = {} }, at, report) => {
  const place = at.field("spec");
  quotaSpec(spec, place, report);
  scopesFit(spec, place, report);
  scopeSelectorFits(spec, place, report);
});

export const resourceQuotaUpdateErrors = updateValidator<coreV1.ResourceQuota>((next, old, at, report) => {
  const [after, before] = [next, old].map(({ spec }) => [...new Set(spec?.scopes ?? [])].sort().join());
  if (after !== before) report.immutable(at.field("spec").field("scopes"), next.spec?.scopes ?? []);
});

const quotaStatus = fields<coreV1.ResourceQuotaStatus>({ hard: amounts, used: amounts });

export const resourceQuotaStatusErrors = updateValidator<coreV1.ResourceQuota>(({ status = {} }, _old, at, report) =>
  quotaStatus(status, at.field("status"), report),
);
