// Writes of pods by a kubelet: it may create mirror pods, update the status of pods on its node, and delete and evict
// them.
import { objectKeyKind, podReferences } from "@orch/auth";
import { type AdmissionRequest, metaOf, notFound, type OwnerReference, sameJson } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { AdmissionDependencies } from "../../contract/dependencies";

import { finalizerProblem, metadataProblem, ownerProblem } from "./node-metadata";
import { type NodeRule, said } from "./node-rule";

const PODS = { group: "", resource: "pods" } as const;
/** Resource of a missing pod in messages. */
export const POD = { group: "", resource: "pod" } as const;

export function podRules({ vocabulary, objects }: Pick<AdmissionDependencies, "vocabulary" | "objects">): NodeRule {
  async function controllerProblem(owner: OwnerReference, node: string): Promise<string | undefined> {
    const { apiVersion, kind, name, controller } = owner;
    if (apiVersion !== "v1" || kind !== "Node" || name !== node) return notOwned(node);
    if (controller !== true)
      return `node ${said(node)} can only create pods with a controller owner reference set to itself`;
    return ownerProblem(owner, node, objects);
  }

  function creation(request: AdmissionRequest, node: string) {
    const pod = request.object ?? {};
    const { annotations = {}, ownerReferences = [] } = metaOf(pod);
    const mirror = vocabulary.annotations.configMirror;
    if (annotations[mirror] === undefined)
      return `pod does not have ${said(mirror)} annotation, node ${said(node)} can only create mirror pods`;
    if (nodeNameOf(pod) !== node) return `node ${said(node)} can only create pods with spec.nodeName set to itself`;
    const [owner, ...others] = ownerReferences;
    if (owner === undefined) return notOwned(node);
    if (others.length > 0) return `node ${said(node)} can only create pods with a single owner reference set to itself`;
    return controllerProblem(owner, node).then(
      (problem) => problem ?? finalizerProblem(request, node) ?? referenceProblem(pod, node),
    );
  }

  async function eviction({ namespace, name, object }: AdmissionRequest, node: string): Promise<string | undefined> {
    const pod = name || metaOf(object ?? {}).name || "";
    if (pod === "") return "could not determine pod from request data";
    const stored = await objects.inStore(PODS, { namespace, name: pod });
    if (stored === undefined) throw notFound(POD, pod);
    return nodeNameOf(stored) === node
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`;
  }

  return (request, node) => {
    const { subresource, operation, oldObject = {} } = request;
    switch (`${operation} ${subresource}`) {
      case "CREATE ":
        return creation(request, node);
      case "DELETE ":
        return nodeNameOf(oldObject) === node
          ? undefined
          : `node ${said(node)} can only delete pods with spec.nodeName set to itself`;
      case "UPDATE status":
        return statusProblem(request, node);
      case "CREATE eviction":
        return eviction(request, node);
    }
    switch (subresource) {
      case "":
        return `unexpected operation ${said(operation)}, node ${said(node)} can only create and delete mirror pods`;
      case "status":
        return `unexpected operation ${said(operation)}`;
      case "eviction":
        return `unexpected operation ${operation}`;
      default:
        return `unexpected pod subresource ${said(subresource)}, only 'status' and 'eviction' are allowed`;
    }
  };
}

const notOwned = (node: string): string =>
  `node ${said(node)} can only create pods with an owner reference set to itself`;

function statusProblem(request: AdmissionRequest, node: string): string | undefined {
  const { object = {}, oldObject = {} } = request;
  if (nodeNameOf(oldObject) !== node)
    return `node ${said(node)} can only update pod status for pods with spec.nodeName set to itself`;
  const isSame = sameJson({ ...metaOf(oldObject).labels }, { ...metaOf(object).labels });
  if (!isSame) return `node ${said(node)} cannot update labels through pod status`;
  const claims = CLAIM_STATUSES.find(
    (name) => !sameJson(statusOf(oldObject)[name] ?? [], statusOf(object)[name] ?? []),
  );
  if (claims !== undefined) return `node ${said(node)} cannot update resource claim statuses: ${claims}`;
  return metadataProblem(request, node);
}

/** Rejects references to other objects: authorization would then grant the kubelet access to them. */
function referenceProblem(pod: JsonObject, node: string): string | undefined {
  const spec = specOf(pod);
  const refersTo = new Set<string>();
  const { namespace = "", name = "" } = metaOf(pod);
  podReferences(spec, { namespace, name, ephemeralClaims: false }, (key) => refersTo.add(objectKeyKind(key)));
  const found = REFERENCES.find(([kind]) => refersTo.has(kind));
  return found && `node ${said(node)} can not create pods that reference ${found[1]}`;
}

const REFERENCES = [
  ["serviceaccount", "a service account"],
  ["secret", "secrets"],
  ["configmap", "configmaps"],
  ["persistentvolumeclaim", "persistentvolumeclaims"],
  ["resourceclaim", "resourceclaims"],
] as const;

/** Fields of the status that name claims to which the kubelet then has access. */
const CLAIM_STATUSES = ["resourceClaimStatuses", "extendedResourceClaimStatus"] as const;

const statusOf = ({ status }: JsonObject): JsonObject => (isObject(status) ? status : {});

export const nodeNameOf = (pod: JsonObject): string => String(specOf(pod)["nodeName"] ?? "");

function specOf({ spec }: JsonObject): JsonObject {
  return isObject(spec) ? spec : {};
}
