// Pod certificate requests of a kubelet: only new ones, for pods that run on its node, with the identities that the
// server knows. Source: plugin/pkg/admission/noderestriction/admission.go, `admitPodCertificateRequest`.
import { metaOf, notFound } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { nodeNameOf, POD } from "./node-pods";
import { type NodeRule, said } from "./node-rule";

const PODS = { group: "", resource: "pods" } as const;
const NODES = { group: "", resource: "nodes" } as const;
const ACCOUNTS = { group: "", resource: "serviceaccounts" } as const;

type Dependencies = Pick<AdmissionDependencies, "objects" | "vocabulary">;

export function podCertificateRules({ objects, vocabulary }: Dependencies): NodeRule {
  const mirror = vocabulary.annotations.configMirror;
  return async ({ operation, subresource, namespace, object = {} }, node) => {
    if (operation !== "CREATE") return `unexpected operation ${operation}`;
    if (subresource !== "") return `unexpected subresource ${subresource}`;
    const asked = specOf(object);
    if (asked("nodeName") !== node)
      return `spec.nodeName is ${said(asked("nodeName"))}, which is not the requesting node ${said(node)}`;
    const own = await objects.metadataInStore(NODES, { namespace: "", name: node });
    if (own?.uid !== asked("nodeUID")) return `spec.nodeUID ${said(asked("nodeUID"))} is not that of the node`;
    const pod = await objects.inStore(PODS, { namespace, name: asked("podName") });
    if (pod === undefined) throw notFound(POD, asked("podName"));
    const { uid, annotations = {} } = metaOf(pod);
    if (uid !== asked("podUID")) return `spec.podUID ${said(asked("podUID"))} is not that of the running pod`;
    if (nodeNameOf(pod) !== node) return "the pod does not run on the requesting node";
    if (annotations[mirror] !== undefined) return "the pod is a mirror pod";
    const account = asked("serviceAccountName");
    if (specOf(pod)("serviceAccountName") !== account)
      return `spec.serviceAccountName ${said(account)} is not that of the running pod`;
    const known = await objects.metadataInStore(ACCOUNTS, { namespace, name: account });
    return known?.uid === asked("serviceAccountUID")
      ? undefined
      : `spec.serviceAccountUID ${said(asked("serviceAccountUID"))} is not that of the service account`;
  };
}

const specOf =
  ({ spec }: JsonObject) =>
  (name: string): string =>
    isObject(spec) && typeof spec[name] === "string" ? spec[name] : "";
