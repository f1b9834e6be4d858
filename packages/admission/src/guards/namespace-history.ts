// The annotation of a namespace that has the states of its objects kept: a value that is no number would have no effect,
// and be noticed only when a state is missed. Source: docs/history.md.
import { field, invalid, metaOf, NAMESPACE_STATES_MAX, statesOfAnnotation } from "@orch/machinery";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";

export function namespaceHistory({ vocabulary }: Pick<AdmissionDependencies, "vocabulary">): AdmissionGuard {
  const key = vocabulary.annotations.history;
  return {
    name: "NamespaceHistory",
    on: [{ operations: ["CREATE", "UPDATE"], resources: [{ group: "", plural: "namespaces", subresource: "" }] }],
    check({ object, oldObject, definition, name }) {
      const states = object && metaOf(object).annotations?.[key];
      if (states === undefined || states === (oldObject && metaOf(oldObject).annotations?.[key])) return;
      if (statesOfAnnotation(states) !== undefined) return;
      const rule = `must be a number of states from 1 to ${NAMESPACE_STATES_MAX}; remove the annotation to keep none`;
      throw invalid(definition, name, [field.invalid(`metadata.annotations[${key}]`, states, rule)]);
    },
  };
}
