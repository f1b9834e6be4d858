// Conversion of empty selectors of disruption budgets, which match every pod in v1 and none in v1beta1. A selector on a
// label that no pod has expresses the meaning of the other version. Source: Kubernetes documentation, "Deprecated API
// Migration Guide", "PodDisruptionBudget".

import { type Conversion, fieldAt, objectAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";

export const emptySelectorConversion: Conversion = {
  toHub: (budget, vocabulary) => exchange(budget, vocabulary, { empty: "Exists", back: "DoesNotExist" }),
  fromHub: (budget, vocabulary) => exchange(budget, vocabulary, { empty: "DoesNotExist", back: "Exists" }),
};

/**
 * Exchanges the selectors. @param operators operator that replaces an empty selector, and operator that an empty
 * selector replaces
 */
function exchange(
  budget: JsonObject,
  { labels }: Vocabulary,
  operators: { readonly empty: string; readonly back: string },
): JsonObject {
  const selector = fieldAt(budget, ["spec", "selector"]);
  if (!isObject(selector)) return budget;
  const key = labels.pdbDeprecatedEmptySelectorMatch;
  const spec = objectAt(budget, "spec");
  const expressions = objectsAt(selector, "matchExpressions");
  if (Object.keys(mapOf(selector["matchLabels"])).length > 0 || expressions.length > 1) return budget;
  const [only] = expressions;
  if (only === undefined) spec["selector"] = { matchExpressions: [{ key, operator: operators.empty }] };
  else if (only["key"] === key && only["operator"] === operators.back) spec["selector"] = {};
  return budget;
}

const mapOf = (value: JsonObject[string] | undefined): JsonObject => (isObject(value) ? value : {});
