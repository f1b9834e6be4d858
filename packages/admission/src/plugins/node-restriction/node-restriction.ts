// NodeRestriction plugin: limits a kubelet to its own node, the pods on it, and what it reports about both. Source:
// plugin/pkg/admission/noderestriction/admission.go.
import { nodeOf } from "@orch/auth";
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import { definePlugin } from "../../contract/plugin";
import { forbidden } from "../../contract/refusal";
import { claimProblem } from "./claim-status";
import { nodeProblem } from "./node-changes";
import { ownedByNode } from "./node-metadata";
import { nodeNameOf, podRules } from "./node-pods";
import { type NodeRule, type Problem, said } from "./node-rule";
import { podCertificateRules } from "./pod-certificates";
import { tokenRules } from "./pod-tokens";
import { audienceRules } from "./token-audiences";

export const nodeRestriction = definePlugin({
  name: "NodeRestriction",
  reads: ["vocabulary", "objects", "options", "authorizer"],
  make({ vocabulary, objects, options, authorizer }) {
    const { groups, namespaces } = vocabulary;
    const pods = podRules({ vocabulary, objects });
    const tokens = tokenRules({
      objects,
      audiences: options.isOn("ServiceAccountNodeAudienceRestriction")
        ? audienceRules({ objects, vocabulary, authorizer })
        : undefined,
    });
    const resizes = { recovers: options.isOn("RecoverVolumeExpansionFailure") };
    const nodeLease = namespaces.nodeLease;
    const leases = ownedByNode((request, node) => leaseProblem(request, node, nodeLease), objects);
    const rules: readonly { readonly group: string; readonly plural: string; readonly rule: NodeRule }[] = [
      { group: "", plural: "pods", rule: pods },
      { group: "", plural: "nodes", rule: (request, node) => nodeProblem(request, node, vocabulary) },
      { group: "", plural: "persistentvolumeclaims", rule: (request, node) => claimProblem(request, node, resizes) },
      { group: "", plural: "serviceaccounts", rule: tokens },
      { group: groups.coordination, plural: "leases", rule: leases },
      { group: groups.resource, plural: "resourceslices", rule: sliceProblem },
      {
        group: groups.certificates,
        plural: "podcertificaterequests",
        rule: podCertificateRules({ objects, vocabulary }),
      },
      { group: groups.storage, plural: "csinodes", rule: ownedByNode(driversProblem, objects) },
    ];
    return {
      // All resources: a kubelet whose user does not name a node may change nothing.
      on: [{ operations: ["CREATE", "UPDATE", "DELETE"] }],
      mutate(request) {
        const node = nodeOf(request.user);
        if (node === undefined) return;
        if (node === "") throw forbidden(request, `could not determine node from user ${said(request.user.name)}`);
        const { group, plural } = request.definition;
        const found = rules.find((each) => each.group === group && each.plural === plural);
        const problem = found?.rule(request, node);
        return problem instanceof Promise ? problem.then((late) => refuse(request, late)) : refuse(request, problem);
      },
    };
  },
});

function refuse(request: AdmissionRequest, problem: Problem): void {
  if (problem !== undefined) throw forbidden(request, problem);
}

function leaseProblem(request: AdmissionRequest, node: string, nodeLease: string): Problem {
  if (request.namespace !== nodeLease) return `can only access leases in the ${said(nodeLease)} system namespace`;
  return isNamed(request, node) ? undefined : "can only access node lease with the same name as the requesting node";
}

function driversProblem(request: AdmissionRequest, node: string): Problem {
  return isNamed(request, node) ? undefined : "can only access CSINode with the same name as the requesting node";
}

/** Checks the node of new and deleted slices. The Node authorizer checks that of others, which cannot change. */
function sliceProblem({ operation, object, oldObject }: AdmissionRequest, node: string): Problem {
  const slice = operation === "CREATE" ? object : operation === "DELETE" ? oldObject : undefined;
  if (slice === undefined || nodeNameOf(slice) === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

const isNamed = ({ operation, name, object }: AdmissionRequest, node: string): boolean =>
  (operation === "CREATE" ? metaOf(object ?? {}).name : name) === node;
