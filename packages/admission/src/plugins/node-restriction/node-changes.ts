// Writes of a node by its kubelet: it must not change taints or labels that keep pods away from or bind them to nodes.
import { type AdmissionRequest, metaOf, sameJson } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { forbiddenLabels } from "./node-labels";
import { metadataProblem } from "./node-metadata";
import { said } from "./node-rule";

export function nodeProblem(request: AdmissionRequest, node: string, vocabulary: Vocabulary): string | undefined {
  const { operation, name, object = {}, oldObject = {} } = request;
  if (operation === "CREATE") {
    if (isThere(specAt(object, "configSource")))
      return `node ${said(node)} is not allowed to create pods with a non-nil configSource`;
    const labels = forbiddenLabels({}, { ...metaOf(object).labels }, vocabulary);
    if (labels.length > 0) return `node ${said(node)} is not allowed to set the following labels: ${labels.join(", ")}`;
  }
  const asked = operation === "CREATE" ? (metaOf(object).name ?? "") : name;
  if (asked !== node) return `node ${said(node)} is not allowed to modify node ${said(asked)}`;
  const problem = operation === "UPDATE" ? updateProblem({ object, oldObject }, node, vocabulary) : undefined;
  return problem ?? metadataProblem(request, node);
}

function updateProblem(
  { object, oldObject }: { readonly object: JsonObject; readonly oldObject: JsonObject },
  node: string,
  vocabulary: Vocabulary,
): string | undefined {
  const source = specAt(object, "configSource");
  if (isThere(source) && !sameJson(source as JsonValue, specAt(oldObject, "configSource") ?? null))
    return `node ${said(node)} is not allowed to update configSource to a new non-nil configSource`;
  if (!sameJson(specAt(object, "taints") ?? [], specAt(oldObject, "taints") ?? []))
    return `node ${said(node)} is not allowed to modify taints`;
  const labels = forbiddenLabels({ ...metaOf(oldObject).labels }, { ...metaOf(object).labels }, vocabulary);
  return labels.length > 0 ? `is not allowed to modify labels: ${labels.join(", ")}` : undefined;
}

const specAt = ({ spec }: JsonObject, field: string): JsonValue | undefined =>
  isObject(spec) ? spec[field] : undefined;

const isThere = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
