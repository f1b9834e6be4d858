// Node authorizer: a kubelet may read the objects that the pods of its node use, and do what every kubelet needs. It
// never denies: a later authorizer may allow the request. Source: Kubernetes documentation, "Using Node Authorization".
import { existsIn, type Vocabulary } from "@orch/schema";
import { type Authorizer, type Decision, NO_OPINION, type ResourceAttributes } from "../authorization/authorizer";
import { NO_RULES, unlistable } from "../authorization/rule-list";
import { nodeOf } from "../identity/well-known-identities";
import { bootstrapPolicy } from "../rbac/bootstrap/bootstrap-policy";
import { type GateSettings, isRoleGateOn, type RoleGate } from "../rbac/bootstrap/role-gates";
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
const SLICE_COLLECTION = ["list", "watch", "deletecollection"];
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
      const decision = decide?.(attributes as ResourceAttributes, node);
      if (decision !== undefined) return decision;
      return rules.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : NO_OPINION;
    },
    rulesFor: (user) =>
      nodeOf(user) === undefined ? NO_RULES : unlistable("node authorizer does not support user rule resolution"),
  };
}

/** @returns undefined when the rules of all nodes decide */
type Decide = (attributes: ResourceAttributes, node: string) => Decision | Promise<Decision> | undefined;

/** Decision functions by group and resource. */
function specialResources(deps: NodeAuthorizerDeps): ReadonlyMap<string, Decide> {
  const { vocabulary, release, gates = {}, graph, caughtUp } = deps;
  const { groups, namespaces } = vocabulary;
  const isOn = (gate: RoleGate, since: string) => existsIn({ since }, release) && isRoleGateOn(gate, release, gates);
  const usesSelectors = isOn("AuthorizeNodeWithSelectors", "1.31");
  const requestsCertificates = isOn("PodCertificateRequest", "1.34");
  const readsAccounts = isOn("KubeletServiceAccountTokenForCredentialProviders", "1.33") || requestsCertificates;

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

  const account: Decide = (attributes, node) => {
    if (attributes.verb === "get" && attributes.subresource === "")
      return readsAccounts ? read("serviceaccount")(attributes, node) : refused("not allowed to get service accounts");
    return token(attributes, node);
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
    if (verb === "create") return ALLOWED;
    if (SLICE_COLLECTION.includes(verb)) {
      return !usesSelectors || selects(attributes, node)
        ? ALLOWED
        : refused("can only list/watch/deletecollection resourceslices with nodeName field selector");
    }
    if (!KEEPING.includes(verb)) return refused(SLICE_VERBS);
    return related("resourceslice", attributes, node);
  };

  const certificateRequest: Decide = (attributes, node) => {
    const { verb, subresource } = attributes;
    if (!requestsCertificates || !usesSelectors) return NO_OPINION;
    if (subresource !== "") return refused("nodes may not access the status subresource of PodCertificateRequests");
    if (verb === "create") return ALLOWED;
    if (verb === "get") return related("podcertificaterequest", attributes, node);
    if (verb !== "list" && verb !== "watch") return refused(`nodes may not ${verb} podcertificaterequests`);
    return selects(attributes, node)
      ? ALLOWED
      : refused("can only list/watch podcertificaterequests with nodeName field selector");
  };

  const ownNode: Decide = ({ verb, subresource, name }, node) => {
    if (!usesSelectors) return undefined;
    if (subresource === "status" && CHANGING.includes(verb)) return ALLOWED;
    if (subresource !== "") return NO_OPINION;
    // Admission checks that the node is its own.
    if (verb === "create" || CHANGING.includes(verb)) return ALLOWED;
    if (!READING.includes(verb)) return NO_OPINION;
    if (name === node) return ALLOWED;
    const what = name === "" ? "all nodes" : `'${name}'`;
    return refused(`node '${node}' cannot read ${what}, only its own Node object`);
  };

  const pod: Decide = (attributes, node) => {
    const { verb, subresource, name } = attributes;
    if (!usesSelectors) return undefined;
    if (subresource === "status") return CHANGING.includes(verb) ? ALLOWED : NO_OPINION;
    if (subresource === "eviction") return verb === "create" ? ALLOWED : NO_OPINION;
    if (subresource !== "") return NO_OPINION;
    // Mirror pods, which admission limits to the node.
    if (verb === "create" || verb === "delete") return ALLOWED;
    if (verb === "get") return related("pod", attributes, node);
    if (verb !== "list" && verb !== "watch") return NO_OPINION;
    if (selects(attributes, node)) return ALLOWED;
    return name === ""
      ? refused("can only list/watch pods with spec.nodeName field selector")
      : related("pod", attributes, node);
  };

  return new Map<string, Decide>([
    ["/secrets", read("secret")],
    ["/configmaps", read("configmap")],
    ["/persistentvolumeclaims", claim],
    ["/persistentvolumes", get("persistentvolume")],
    ["/serviceaccounts", account],
    ["/nodes", ownNode],
    ["/pods", pod],
    [`${groups.certificates}/podcertificaterequests`, certificateRequest],
    [`${groups.storage}/volumeattachments`, get("volumeattachment")],
    [`${groups.storage}/csinodes`, driver],
    [`${groups.coordination}/leases`, lease],
    [`${groups.resource}/resourceclaims`, get("resourceclaim")],
    [`${groups.resource}/resourceslices`, slice],
  ]);
}

/** Reports whether a request selects the objects of a node only. */
const selects = ({ selectors }: ResourceAttributes, node: string): boolean =>
  selectors?.().fields.some(
    ({ key, operator, values }) =>
      key === "spec.nodeName" && operator === "In" && values?.length === 1 && values[0] === node,
  ) ?? false;

const refused = (reason: string): Decision => ({ kind: "noOpinion", reason });
