// Runs the declared rules of proto/ for a kind. Writes through every version meet the rules of the hub version, except
// through versions that declare rules for a shape of their own. A rule is in force whatever its stage and the gates
// DeclarativeValidation and DeclarativeValidationBeta, which in Kubernetes choose between a declared rule and one that is
// written in code: here each rule exists once.
import { DeclaredChecks, Place, Report, type RuleSettings } from "@orch/apis-model";
import { copyJson, type FieldError, type GroupVersion, type ServedVersion } from "@orch/machinery";
import type { JsonObject, ObjectType } from "@orch/schema";

/** Returns the errors of a new object, or of an update. */
export type DeclaredValidation = (
  object: JsonObject,
  old: JsonObject | undefined,
  through: GroupVersion,
) => readonly FieldError[];

interface Shapes {
  readonly hub: { readonly type: ObjectType };
  /** Versions with rules for their own shape. */
  readonly others: readonly ServedVersion[];
}

export function declaredValidation({ hub, others }: Shapes, settings: RuleSettings): DeclaredValidation {
  const checks = new DeclaredChecks(settings.features);
  return (object, old, version) => {
    const shape = others.find((each) => each.version === version.version && each.group === version.group);
    const check = checks.of((shape ?? hub).type.struct.name);
    if (check === undefined) return [];
    const shown = (each: JsonObject) => (shape?.fromHub === undefined ? each : shape.fromHub(copyJson(each)));
    const report = new Report({ version, ...settings });
    check(shown(object), old && shown(old), Place.ROOT, report);
    return report.errors;
  };
}
