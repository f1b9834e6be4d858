// Resources that no quota counts: they are not stored, or are not limited per namespace.
import type { GroupResource } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";

export function uncountedResources({ groups }: Vocabulary): readonly GroupResource[] {
  const core = ["namespaces", "bindings", "componentstatuses", "events"];
  const reviews = [
    "subjectaccessreviews",
    "selfsubjectaccessreviews",
    "localsubjectaccessreviews",
    "selfsubjectrulesreviews",
  ];
  return [
    ...core.map((resource) => ({ group: "", resource })),
    { group: groups.authentication, resource: "tokenreviews" },
    ...reviews.map((resource) => ({ group: groups.authorization, resource })),
  ];
}
