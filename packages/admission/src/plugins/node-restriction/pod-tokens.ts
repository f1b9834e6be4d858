// Token requests of a kubelet: only for pods on its node, bound to the pod and invalid once the pod is deleted.
import { metaOf, notFound } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { nodeNameOf, POD } from "./node-pods";
import type { NodeRule } from "./node-rule";
import type { AudienceRule } from "./token-audiences";

const PODS = { group: "", resource: "pods" } as const;

export interface TokenRuleParts extends Pick<AdmissionDependencies, "objects"> {
  /** Undefined: a kubelet may request any audience. */
  readonly audiences: AudienceRule | undefined;
}

export function tokenRules({ objects, audiences }: TokenRuleParts): NodeRule {
  return async (request, node) => {
    const { operation, subresource, namespace, object = {} } = request;
    if (operation !== "CREATE" || subresource !== "token") return undefined;
    const { apiVersion, kind, name = "", uid = "" } = boundReferenceOf(object);
    if (apiVersion !== "v1" || kind !== "Pod" || name === "") return "node requested token not bound to a pod";
    if (uid === "") return "node requested token with a pod binding without a uid";
    const pod = await objects.inStore(PODS, { namespace, name });
    if (pod === undefined) throw notFound(POD, name);
    const found = metaOf(pod).uid ?? "";
    if (uid !== found)
      return `the UID in the bound object reference (${uid}) does not match the UID in record (${found}). The object might have been deleted and then recreated`;
    if (nodeNameOf(pod) !== node) return "node requested token bound to a pod scheduled on a different node";
    return audiences?.(request, pod);
  };
}

interface BoundReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

function boundReferenceOf({ spec }: JsonObject): BoundReference {
  const reference = isObject(spec) ? spec["boundObjectRef"] : undefined;
  return isObject(reference) ? (reference as BoundReference) : {};
}
