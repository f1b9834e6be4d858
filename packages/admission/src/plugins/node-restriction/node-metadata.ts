// What agents write into the metadata of their objects by which the garbage collector and deletion go. An agent that could name an owner of
// its own node would have it collected, and would then register it anew without its taints and restricted labels.
// Source: CVE-2025-5187; KEP-279, "Limit node access to API".
import { type AdmissionRequest, metaOf, notFound, type OwnerReference, sameJson } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { AdmissionWorld } from "../../world";
import { type NodeRule, type Problem, said } from "./node-rule";

const NODES = { group: "", resource: "nodes" } as const;
/** Names a missing node in messages. */
const NODE = { group: "", resource: "node" } as const;

/** Refuses every change of ownerReferences and finalizers. On creation, every finalizer and owner is a change. */
export function metadataProblem(request: AdmissionRequest, node: string): Problem {
  if (changes(request, "ownerReferences")) return `node ${said(node)} is not allowed to modify ownerReferences`;
  return finalizerProblem(request, node);
}

export function finalizerProblem(request: AdmissionRequest, node: string): Problem {
  return changes(request, "finalizers") ? `node ${said(node)} is not allowed to modify finalizers` : undefined;
}

/** Adds to a rule that the only owner which an agent gives an object is its own node, so that the object goes with the node. */
export function ownedByNode(
  rule: (request: AdmissionRequest, node: string) => Problem,
  objects: AdmissionWorld["objects"],
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

/** @throws StatusError NotFound (404) where the node is not there */
export async function ownerProblem(
  { blockOwnerDeletion, uid }: OwnerReference,
  node: string,
  objects: AdmissionWorld["objects"],
): Promise<Problem> {
  if (blockOwnerDeletion === true) return `node ${said(node)} must not set blockOwnerDeletion on an owner reference`;
  const stored = await objects.inStore(NODES, { namespace: "", name: node });
  if (stored === undefined) throw notFound(NODE, node);
  const found = metaOf(stored).uid ?? "";
  return uid === found ? undefined : `node ${node} UID mismatch: expected ${uid ?? ""} got ${found}`;
}

/** Compares with the stored object; a deletion changes nothing. */
function changes({ operation, object, oldObject }: AdmissionRequest, field: "ownerReferences" | "finalizers"): boolean {
  if (operation === "DELETE") return false;
  const listed = (of: AdmissionRequest["object"]) => (metaOf(of ?? {})[field] ?? []) as unknown as JsonValue;
  return !sameJson(listed(oldObject), listed(object));
}
