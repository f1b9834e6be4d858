// Owner references and finalizers that kubelets may write. A kubelet that could set an owner of its own node could have
// it garbage collected and then register it again without its taints and restricted labels.
// Source: CVE-2025-5187; KEP-279, "Limit node access to API".
import { type AdmissionRequest, metaOf, notFound, type OwnerReference, sameJson } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { type NodeRule, type Problem, said } from "./node-rule";

const NODES = { group: "", resource: "nodes" } as const;
/** Resource of a missing node in messages. */
const NODE = { group: "", resource: "node" } as const;

/** Refuses every change of ownerReferences and finalizers. On creation, every finalizer and owner is a change. */
export function metadataProblem(request: AdmissionRequest, node: string): Problem {
  if (changes(request, "ownerReferences")) return `node ${said(node)} is not allowed to modify ownerReferences`;
  return finalizerProblem(request, node);
}

export function finalizerProblem(request: AdmissionRequest, node: string): Problem {
  return changes(request, "finalizers") ? `node ${said(node)} is not allowed to modify finalizers` : undefined;
}

/** Wraps a rule: the only owner that a kubelet may set is its own node, so that the object is deleted with the node. */
export function ownedByNode(
  rule: (request: AdmissionRequest, node: string) => Problem,
  objects: AdmissionDependencies["objects"],
): NodeRule {
  return (request, node) => {
    const problem = rule(request, node) ?? finalizerProblem(request, node);
    if (problem !== undefined || !changes(request, "ownerReferences")) return problem;
    const [owner, ...others] = metaOf(request.object ?? {}).ownerReferences ?? [];
    const isOwn = owner?.apiVersion === "v1" && owner.kind === "Node" && owner.name === node && others.length === 0;
    if (!isOwn) return `node ${said(node)} can only set a single owner reference, to itself`;
    return ownerProblem(owner, node, objects);
  };
}

/** Checks an owner reference to the node. @throws StatusError NotFound (404) when the node does not exist */
export async function ownerProblem(
  { blockOwnerDeletion, uid }: OwnerReference,
  node: string,
  objects: AdmissionDependencies["objects"],
): Promise<Problem> {
  if (blockOwnerDeletion === true) return `node ${said(node)} must not set blockOwnerDeletion on an owner reference`;
  const stored = await objects.inStore(NODES, { namespace: "", name: node });
  if (stored === undefined) throw notFound(NODE, node);
  const found = metaOf(stored).uid ?? "";
  return uid === found ? undefined : `node ${node} UID mismatch: expected ${uid ?? ""} got ${found}`;
}

/** Returns whether the field differs from the stored object. A deletion changes nothing. */
function changes({ operation, object, oldObject }: AdmissionRequest, field: "ownerReferences" | "finalizers"): boolean {
  if (operation === "DELETE") return false;
  const listed = (of: AdmissionRequest["object"]) => (metaOf(of ?? {})[field] ?? []) as unknown as JsonValue;
  return !sameJson(listed(oldObject), listed(object));
}
