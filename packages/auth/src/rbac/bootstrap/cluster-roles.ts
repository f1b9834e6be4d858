// Bootstrap cluster roles: for users, for the components of the control plane, for nodes.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
import type { Vocabulary } from "@orch/schema";
import { componentRoles } from "./component-roles";
import { type ClusterRoleRow, gated, on, onPaths, READ, since, until } from "./notation";
import { userRoles } from "./user-roles";

/**
 * Returns the cluster roles. A role with `aggregates` gets the rules of all roles whose `aggregatedInto` is the same
 * label.
 */
export function clusterRoles(vocabulary: Vocabulary): ClusterRoleRow[] {
  return [...generalRoles(vocabulary), ...userRoles(vocabulary), ...componentRoles(vocabulary)];
}

function generalRoles({ groups, rbacNames, signers }: Vocabulary): ClusterRoleRow[] {
  return [
    { name: "cluster-admin", rules: [on("*", "*", "*"), onPaths("*", "*")] },
    {
      name: "system:auth-delegator",
      rules: [
        on(groups.authentication, "tokenreviews", "create"),
        on(groups.authorization, "subjectaccessreviews", "create"),
      ],
    },
    {
      name: "system:basic-user",
      rules: [
        on(groups.authorization, "selfsubjectaccessreviews selfsubjectrulesreviews", "create"),
        on(groups.authentication, "selfsubjectreviews", "create"),
      ],
    },
    {
      name: rbacNames.certificatesCertificatesigningrequestsNodeclient,
      rules: [on(groups.certificates, "certificatesigningrequests/nodeclient", "create")],
    },
    {
      name: rbacNames.certificatesCertificatesigningrequestsSelfnodeclient,
      rules: [on(groups.certificates, "certificatesigningrequests/selfnodeclient", "create")],
    },
    {
      name: rbacNames.certificatesApiserverClientApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.apiserverClient])],
    },
    {
      name: rbacNames.certificatesApiserverClientAgentApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.apiserverClientAgent])],
    },
    {
      name: rbacNames.certificatesAgentServingApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.agentServing])],
    },
    {
      name: rbacNames.certificatesLegacyUnknownApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.legacyUnknown])],
    },
    {
      name: "system:cluster-trust-bundle-discovery",
      when: { since: "1.27", gates: ["ClusterTrustBundle"] },
      rules: [on(groups.certificates, "clustertrustbundles", READ)],
    },
    {
      name: "system:discovery",
      rules: [
        onPaths("/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/", "get"),
      ],
    },
    {
      name: "system:heapster",
      rules: [on("", "events namespaces nodes pods", READ), on("extensions", "deployments", READ)],
    },
    {
      name: "system:monitoring",
      rules: [
        onPaths("/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*", "get"),
        since("1.26", onPaths("/metrics/slis", "get")),
        since("1.32", gated("ComponentFlagz", onPaths("/flagz", "get"))),
        since("1.32", gated("ComponentStatusz", onPaths("/statusz", "get"))),
        since("1.34", on("", "nodes/metrics", "get")),
      ],
    },
    {
      name: "system:public-info-viewer",
      // The pages for browsers contain no cluster data: their API requests use the visitor's own credentials. Individual
      // health checks name the failing component to monitoring; the reason is shown only to authenticated users.
      rules: [
        onPaths(
          "/docs /docs/* /healthz /healthz/* /livez /livez/* /readyz /readyz/* /ui /ui/* /version /version/",
          "get",
        ),
      ],
    },
    {
      name: "system:service-account-issuer-discovery",
      rules: [
        until("1.27", onPaths("/.well-known/openid-configuration /openid/v1/jwks", "get")),
        since(
          "1.28",
          onPaths(
            "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
            "get",
          ),
        ),
      ],
    },
  ];
}
