// Validation of nodes. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  each,
  exactly,
  fields,
  isExact,
  labelValue,
  onlyExactly,
  type Place,
  parseCidr,
  qualifiedName,
  type Report,
  type ResourceList,
  type Rule,
  required,
  resourceQuantity,
  unchanged,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { familyOf } from "@orch/machinery";
import { type coreV1, isObject } from "@orch/schema";
import { isListOfObjects } from "../pods/pod-annotations-validation";
import { taintEffect } from "../pods/tolerations-validation";

const taints: Rule<readonly coreV1.Taint[]> = all(
  each(
    fields<coreV1.Taint>({
      key: absentAs("", qualifiedName),
      value: labelValue,
      effect: required(taintEffect),
    }),
  ),
  unique(({ key, effect }) => `${key}:${effect}`, { shows: (taint) => taint }),
);

const amounts: Rule<ResourceList> = (list, at, report) => {
  const exact = isExact(report);
  for (const name in list) {
    resourceQuantity(name, list[name] as string, exact ? at.field(name) : at.key(name), report);
  }
};

/** Returns the pod CIDRs of the node. The single field is the first of the list. */
function podBlocks({ podCIDR = "", podCIDRs = [] }: coreV1.NodeSpec): readonly string[] {
  return podCIDR !== "" && podCIDRs[0] !== podCIDR ? [podCIDR] : podCIDRs;
}

const blocks: Rule<coreV1.NodeSpec> = (spec, at, report) => {
  const place = at.field("podCIDRs");
  const list = podBlocks(spec);
  const seen = new Set<string>();
  list.forEach((text, position) => {
    if (parseCidr(text) === undefined) report.invalid(place.item(position), text, "must be a valid CIDR");
    if (seen.has(text) && !isExact(report)) report.duplicate(place.item(position), text);
    seen.add(text);
  });
  if (isExact(report)) return dualStack(list, place, report);
  const families = list.flatMap((text) => familyOf(text.slice(0, text.indexOf("/"))) ?? []);
  if (list.length > 2 || new Set(families).size < families.length) {
    report.invalid(place, list, "may specify no more than one CIDR for each IP family");
  }
};

/** Requires a pair of blocks of both families. */
function dualStack(list: readonly string[], at: Place, report: Report): void {
  if (list.length < 2) return;
  const flaw = list.findIndex((text) => parseCidr(text) === undefined);
  if (flaw >= 0) report.internal(at, `invalid pod CIDR [${flaw}]: ${list[flaw]} is no CIDR`);
  const families = new Set(list.map((text) => familyOf(text.slice(0, text.indexOf("/")))));
  if (flaw >= 0 || families.size < 2 || list.length > 2) {
    report.invalid(at, list, "may specify no more than one CIDR for each IP family");
  }
}

const annotations: Rule<coreV1.Node> = ({ metadata }, at, report) => {
  const { schedulerAlphaTaints, schedulerAlphaPreferAvoidPods } = report.vocabulary.annotations;
  const place = at.field("metadata").field("annotations");
  const given = metadata?.annotations ?? {};
  jsonAt(given, schedulerAlphaTaints, place, report, isListOfObjects);
  jsonAt(given, schedulerAlphaPreferAvoidPods, place, report, isPodsToAvoid);
};

function jsonAt(
  given: Readonly<Record<string, string>>,
  name: string,
  at: Place,
  report: Report,
  fits: (value: unknown) => boolean,
): void {
  const text = given[name];
  if (text === undefined || text === "") return;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (fits(parsed)) return;
  const detail = "must be JSON of the form that the annotation's reader knows";
  if (isExact(report) && name === report.vocabulary.annotations.schedulerAlphaPreferAvoidPods) {
    report.invalid(at.field("AvoidPods"), name, detail);
  } else report.invalid(at.key(name), text, detail);
}

function isPodsToAvoid(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { preferAvoidPods = [] } = value as { preferAvoidPods?: unknown };
  return isListOfObjects(preferAvoidPods);
}

const configSource =
  (inStatus: boolean): Rule<coreV1.NodeConfigSource> =>
  ({ configMap }, at, report) => {
    if (configMap === undefined) return report.invalid(at, {}, "exactly one reference subfield must be non-nil");
    const place = at.field("configMap");
    for (const name of ["namespace", "name", "kubeletConfigKey"] as const) {
      if (!configMap[name]) report.required(place.field(name));
    }
    for (const name of ["uid", "resourceVersion"] as const) {
      const isSet = (configMap[name] ?? "") !== "";
      if (inStatus && !isSet) report.required(place.field(name), `${name} must be set in status`);
      if (!inStatus && isSet) report.forbidden(place.field(name), `${name} must not be set in spec`);
    }
  };

const reported = configSource(true);

const FEATURE_NAME = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z0-9]+)*$/;
const FEATURE_NAME_MAX = 253;

/** Requires sorted names, each once. Source: KEP-5328, "Node Declared Features". */
const declaredFeatures: Rule<readonly string[]> = (names, at, report) => {
  if (!report.features.isOn("NodeDeclaredFeatures")) return;
  names.forEach((name, position) => {
    const place = at.item(position);
    if (name.length > FEATURE_NAME_MAX || !FEATURE_NAME.test(name)) {
      const rule = `at most ${FEATURE_NAME_MAX} characters, beginning with an upper-case letter`;
      report.invalid(place, name, `a feature name has alphanumeric segments separated by '/', ${rule}`);
    }
    const before = names[position - 1];
    if (before === name) report.duplicate(place, name);
    else if (before !== undefined && before > name) report.invalid(place, name, "list must be sorted alphabetically");
  });
};

/** Checks the taints at the path of metadata, where kube-apiserver reports their errors. */
const taintsOfNode: Rule<coreV1.Node> = onlyExactly(({ spec }, at, report) => {
  if (spec?.taints !== undefined) taints(spec.taints, at.field("metadata").field("taints"), report);
});

const node = all(
  annotations,
  taintsOfNode,
  fields<coreV1.Node>({
    spec: all(
      fields<coreV1.NodeSpec>({ taints: exactly(() => undefined, taints), configSource: configSource(false) }),
      blocks,
    ),
    status: fields<coreV1.NodeStatus>({ capacity: amounts, allocatable: amounts, declaredFeatures }),
  }),
);

export const nodeErrors = validator(node);

const addresses = unique<coreV1.NodeAddress>(({ type, address }) => `${type} ${address}`, { shows: (each) => each });

const nodeStatus = fields<coreV1.Node>({
  status: fields<coreV1.NodeStatus>({
    capacity: amounts,
    allocatable: amounts,
    addresses,
    declaredFeatures,
    config: fields<coreV1.NodeConfigStatus>({ assigned: reported, active: reported, lastKnownGood: reported }),
  }),
});

export const nodeStatusErrors = updateValidator<coreV1.Node>((next, _old, at, report) => nodeStatus(next, at, report));

export const nodeUpdateErrors = updateValidator<coreV1.Node>((next, old, at, report) => {
  const place = at.field("spec");
  const after = next.spec ?? {};
  const before = old.spec ?? {};
  const held = podBlocks(before);
  if (held.length > 0 && !unchanged(podBlocks(after), held)) {
    report.forbidden(place.field("podCIDRs"), 'node updates may not change podCIDR except from "" to valid');
  }
  if (isExact(report)) {
    if ((after.externalID ?? "") !== (before.externalID ?? "")) {
      report.forbidden(place.field("externalID"), "may not be updated");
    }
  } else if (!unchanged(withoutChangeable(after), withoutChangeable(before))) {
    report.forbidden(
      at,
      "node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)",
    );
  }
});

function withoutChangeable(spec: coreV1.NodeSpec): object {
  const { podCIDR, podCIDRs, providerID, taints, unschedulable, configSource, ...rest } = spec;
  return rest;
}
