// Node authorizer: a kubelet may read the objects that the pods of its node use, and do what every kubelet needs. It
// never denies: a later authorizer may allow the request. Source: Kubernetes documentation, "Using Node Authorization".
import type { Vocabulary } from "@orch/schema";
import { type Authorizer, type Decision, NO_OPINION, type ResourceAttributes } from "../authorization/authorizer";
import { NO_RULES, unlistable } from "../authorization/rule-list";
import { nodeOf } from "../identity/well-known-identities";
import { bootstrapPolicy } from "../rbac/bootstrap/bootstrap-policy";
import type { GateSettings } from "../rbac/bootstrap/role-gates";
import { metadataOf, rulesOf } from "../rbac/policy";
import { ruleAllows } from "../rbac/rule";
import { type NodeGraph, type NodeObjectKind, objectKey } from "./node-graph";

export interface NodeAuthorizerDeps {
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly gates?: GateSettings;
  readonly graph: Pick<NodeGraph, "reaches">;
  /**
   * Applies pending changes to the graph.
   * @returns a promise when this takes longer than one step
   */
  caughtUp(): void | Promise<void>;
}

const ALLOWED: Decision = { kind: "allow", reason: "" };
const NODE_ROLE = "system:node";
const READING = ["get", "list", "watch"];
const CHANGING = ["update", "patch"];
const SLICE_COLLECTION = ["create", "list", "watch", "deletecollection"];
const SLICE_VERBS =
  "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection";
const KEEPING = ["get", "create", "update", "patch", "delete"];

export function nodeAuthorizer(deps: NodeAuthorizerDeps): Authorizer {
  const { clusterRoles } = bootstrapPolicy(deps.vocabulary, deps.release, deps.gates);
  const rules = clusterRoles.filter((role) => metadataOf(role).name === NODE_ROLE).flatMap(rulesOf);
  const special = specialResources(deps);
  return {
    authorize(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return NO_OPINION;
      if (node === "") return refused(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
      const decide =
        attributes.kind === "resource" ? special.get(`${attributes.apiGroup}/${attributes.resource}`) : undefined;
      if (decide !== undefined) return decide(attributes as ResourceAttributes, node);
      return rules.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : NO_OPINION;
    },
    rulesFor: (user) =>
      nodeOf(user) === undefined ? NO_RULES : unlistable("node authorizer does not support user rule resolution"),
  };
}

type Decide = (attributes: ResourceAttributes, node: string) => Decision | Promise<Decision>;

/** Decision functions by group and resource. */
function specialResources({ vocabulary, graph, caughtUp }: NodeAuthorizerDeps): ReadonlyMap<string, Decide> {
  const { groups, namespaces } = vocabulary;

  const related = (kind: NodeObjectKind, { namespace, name }: ResourceAttributes, node: string) => {
    if (name === "") return refused("No Object name found");
    const decide = () =>
      graph.reaches(objectKey(kind, namespace, name), node)
        ? ALLOWED
        : refused(`no relationship found between node '${node}' and this object`);
    const late = caughtUp();
    return late === undefined ? decide() : late.then(decide);
  };

  const read =
    (kind: NodeObjectKind): Decide =>
    (attributes, node) => {
      if (!READING.includes(attributes.verb)) return refused("can only read resources of this type");
      if (attributes.subresource !== "") return refused("cannot read subresource");
      if (attributes.namespace === "") return refused("can only read namespaced object of this type");
      return related(kind, attributes, node);
    };

  const get =
    (kind: NodeObjectKind): Decide =>
    (attributes, node) => {
      if (attributes.verb !== "get") return refused("can only get individual resources of this type");
      if (attributes.subresource !== "") return refused("cannot get subresource");
      return related(kind, attributes, node);
    };

  const claim: Decide = (attributes, node) => {
    if (attributes.subresource !== "status") return get("persistentvolumeclaim")(attributes, node);
    if (!CHANGING.includes(attributes.verb)) return refused("can only get/update/patch this type");
    return related("persistentvolumeclaim", attributes, node);
  };

  const token: Decide = (attributes, node) => {
    if (attributes.verb !== "create" || attributes.name === "")
      return refused("can only create tokens for individual service accounts");
    if (attributes.subresource !== "token") return refused("can only create token subresource of serviceaccount");
    return related("serviceaccount", attributes, node);
  };

  const lease: Decide = ({ verb, namespace, name }, node) => {
    if (!KEEPING.includes(verb)) return refused("can only get, create, update, patch, or delete a node lease");
    if (namespace !== namespaces.nodeLease)
      return refused(`can only access leases in the ${JSON.stringify(namespaces.nodeLease)} system namespace`);
    return verb === "create" || name === node
      ? ALLOWED
      : refused("can only access node lease with the same name as the requesting node");
  };

  const driver: Decide = ({ verb, subresource, name }, node) => {
    if (!KEEPING.includes(verb)) return refused("can only get, create, update, patch, or delete a CSINode");
    if (subresource !== "") return refused("cannot authorize CSINode subresources");
    return verb === "create" || name === node
      ? ALLOWED
      : refused("can only access CSINode with the same name as the requesting node");
  };

  const slice: Decide = (attributes, node) => {
    const { verb, subresource } = attributes;
    if (subresource !== "") return refused("cannot authorize ResourceSlice subresources");
    // The content of new and of collected slices is checked by the plugin NodeRestriction.
    if (SLICE_COLLECTION.includes(verb)) return ALLOWED;
    if (!KEEPING.includes(verb)) return refused(SLICE_VERBS);
    return related("resourceslice", attributes, node);
  };

  return new Map<string, Decide>([
    ["/secrets", read("secret")],
    ["/configmaps", read("configmap")],
    ["/persistentvolumeclaims", claim],
    ["/persistentvolumes", get("persistentvolume")],
    ["/serviceaccounts", token],
    [`${groups.storage}/volumeattachments`, get("volumeattachment")],
    [`${groups.storage}/csinodes`, driver],
    [`${groups.coordination}/leases`, lease],
    [`${groups.resource}/resourceclaims`, get("resourceclaim")],
    [`${groups.resource}/resourceslices`, slice],
  ]);
}

const refused = (reason: string): Decision => ({ kind: "noOpinion", reason });
