// Scale of the group versions that had their own before autoscaling/v1. Its status has the pod selector as a label map,
// too. Source: pkg/apis/autoscaling/types.go.

import { SCALE } from "@orch/apis-model";
import { type LabelRequirement, labelSelectorOfObject, labelSelectorText, parseLabelSelector } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { BodyVersion } from "./body-version";

/** Scale of an older group version, converted to and from autoscaling/v1. */
export class LegacyScale extends BodyVersion {
  readonly toHub = (object: JsonObject): JsonObject => {
    const { status, ...scale } = object;
    if (!isObject(status)) return scale;
    const { selector, targetSelector, ...counts } = status;
    const text = targetSelector || labelSelectorText(labelSelectorOfObject({ matchLabels: selector ?? {} }));
    return { ...scale, status: { ...counts, ...(text !== "" && { selector: text }) } };
  };

  readonly fromHub = (object: JsonObject): JsonObject => {
    const { status, ...scale } = object;
    const shown = isObject(status) ? { ...scale, status: withLabels(status) } : scale;
    const { group, version } = this;
    return this.type.decode({ ...shown, kind: SCALE.kind, apiVersion: `${group}/${version}` }).value;
  };
}

function withLabels({ selector = "", ...counts }: JsonObject): JsonObject {
  if (selector === "") return counts;
  const requirements = parseLabelSelector(String(selector))?.requirements ?? [];
  const labels = requirements.filter(isEquality).map(({ key, value }) => [key, value]);
  const isPlain = labels.length === requirements.length;
  return { ...counts, targetSelector: selector, ...(isPlain && { selector: Object.fromEntries(labels) }) };
}

type Equality = Extract<LabelRequirement, { readonly value: string }>;

const isEquality = (requirement: LabelRequirement): requirement is Equality =>
  requirement.operator === "=" || requirement.operator === "==";
