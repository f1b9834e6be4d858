import { ageColumn, type BuiltInResource, column, fieldAt, nameColumn, type RuleContext } from "@orch/apis-model";
import { ageText } from "@orch/machinery";
import { isObject, type JsonObject, type resourceV1 } from "@orch/schema";
import { validateNewTaintRule, validateTaintRuleStatus, validateTaintRuleUpdate } from "./taint-rule-validation";
import { timeTaint } from "./taint-times";

type TaintRule = resourceV1.DeviceTaintRule;

export const deviceTaintRules = {
  group: "resource",
  kind: "DeviceTaintRule",
  plural: "devicetaintrules",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.37" },
    { version: "v1beta2", introduced: "1.36", deprecated: "1.39", removed: "1.42" },
    { version: "v1alpha3", introduced: "1.33", deprecated: "1.36", removed: "1.39" },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    create: (rule, context) => timeTaint(fieldAt(rule, TAINT), context),
    update: followEffect,
    validateCreate: validateNewTaintRule,
    validateUpdate: validateTaintRuleUpdate,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateTaintRuleStatus } },
  columns: [
    nameColumn,
    column<TaintRule>("Key", "The key of the taint.", ({ spec }) => spec?.taint?.key ?? ""),
    column<TaintRule>("Value", "The value of the taint.", ({ spec }) => spec?.taint?.value ?? ""),
    column<TaintRule>("Effect", "The effect of the taint.", ({ spec }) => spec?.taint?.effect ?? ""),
    column<TaintRule>("TimeAdded", "The time since the taint was added.", ({ spec }, { nowMs }) => {
      return spec?.taint?.timeAdded ? ageText(spec.taint.timeAdded, nowMs) : "";
    }),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

/** Sets the time of the taint anew when its effect changes and the client leaves the time as it was. */
function followEffect(rule: JsonObject, old: JsonObject, context: RuleContext): void {
  const [taint, before] = [fieldAt(rule, TAINT), fieldAt(old, TAINT)];
  if (isObject(taint) && isObject(before) && hasOtherEffect(taint, before)) delete taint["timeAdded"];
  timeTaint(taint, context);
}

const TAINT = ["spec", "taint"] as const;

const hasOtherEffect = (taint: JsonObject, before: JsonObject): boolean =>
  taint["effect"] !== before["effect"] && taint["timeAdded"] === before["timeAdded"];
