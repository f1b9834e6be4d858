// Rules of binding conditions of devices. Source: validateDeviceBindingParameters in
// pkg/apis/resource/validation/validation.go.
import { fields, type Place, qualifiedName, type Report, type Rule, textOf } from "@orch/apis-model";
import { cappedList } from "./capped-lists";

const CONDITIONS_MAX = 4;

interface Bound {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

const conditionTypes = cappedList(CONDITIONS_MAX, textOf(qualifiedName));

function distinct(types: readonly string[], at: Place, report: Report): void {
  const seen = new Set<string>();
  types.slice(0, CONDITIONS_MAX + 1).forEach((type, position) => {
    if (seen.has(type)) report.duplicate(at.item(position), type);
    seen.add(type);
  });
}

/** Requires distinct conditions, and both kinds of them or none. */
export const bindingConditions: Rule<Bound> = (bound, at, report) => {
  fields<Bound>({ bindingConditions: conditionTypes, bindingFailureConditions: conditionTypes })(bound, at, report);
  const { bindingConditions: needed = [], bindingFailureConditions: failing = [] } = bound;
  const [neededAt, failingAt] = [at.field("bindingConditions"), at.field("bindingFailureConditions")];
  distinct(needed, neededAt, report);
  distinct(failing, failingAt, report);
  failing.slice(0, CONDITIONS_MAX + 1).forEach((type, position) => {
    if (!needed.includes(type)) return;
    const detail = "bindingFailureConditions must not overlap with bindingConditions";
    report.invalid(failingAt.item(position), type, detail);
  });
  if (needed.length === 0 && failing.length > 0) {
    report.invalid(neededAt, needed, "bindingConditions are required to use bindingFailureConditions");
  }
  if (failing.length === 0 && needed.length > 0) {
    report.invalid(failingAt, failing, "bindingFailureConditions are required to use bindingConditions");
  }
};
