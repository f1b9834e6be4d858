// The writes of each controller are allowed by the bootstrap role of its account, or of the manager for controllers
// without one.
import { expect, test } from "@jest/globals";
import {
  authorizerFor,
  bootstrapPolicy,
  RbacGrants,
  type RbacKind,
  serviceAccountGroups,
  serviceAccountUserName,
} from "@orch/auth";
import { nameOf, namespaceOf } from "@orch/machinery";
import {
  compareReleases,
  groupName,
  type JsonObject,
  VOCABULARY_NAMES,
  type Vocabulary,
  type VocabularyName,
  vocabularyOf,
} from "@orch/schema";
import { EVERY_CONTROLLER } from "../controllers/every-controller";
import { accountOf, UPSTREAM_CONTROLLERS } from "./upstream-controllers";

interface Need {
  readonly verb: string;
  /** Key of the API group in the vocabulary. */
  readonly group?: string;
  /** Resource with its subresource. */
  readonly resource: string;
  /** System or public namespace. */
  readonly namespace?: "system" | "public";
  readonly name?: string;
  /** Key of the object's name in the vocabulary. */
  readonly objectName?: keyof Vocabulary["objectNames"];
  readonly since?: string;
}

const need = (group: string, resource: string, verbs: string, more: Partial<Need> = {}): readonly Need[] =>
  verbs.split(" ").map((verb) => ({ verb, group, resource, ...more }));

const RBAC_EVENTS = [...need("core", "events", "create patch"), ...need("events", "events", "create patch update")];

/** Required permissions. Reading is not listed: informers read as the manager. */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  namespace: [
    ...need("core", "namespaces", "get"),
    ...need("core", "namespaces/status", "update"),
    ...need("core", "namespaces/finalize", "update"),
    ...need("apps", "deployments", "list delete deletecollection"),
  ],
  garbagecollector: [...need("apps", "deployments", "get patch delete"), ...RBAC_EVENTS],
  "object-expiry": [...need("apps", "deployments", "get delete"), ...RBAC_EVENTS],
  resourcequota: need("core", "resourcequotas/status", "update"),
  "clusterrole-aggregation": need("rbac", "clusterroles", "get update patch escalate"),
  serviceaccount: need("core", "serviceaccounts", "create"),
  "root-ca-cert-publisher": need("core", "configmaps", "create update"),
  // The role is part of the feature ClusterTrustBundle, which is off by default before 1.37.
  "apiserver-serving-clustertrustbundle-publisher-controller": need(
    "certificates",
    "clustertrustbundles",
    "create update delete",
    {
      since: "1.37",
    },
  ),
  "serviceaccount-token": [
    ...need("core", "secrets", "get create update delete"),
    ...need("core", "serviceaccounts", "get update"),
  ],
  "legacy-service-account-token-cleaner": [
    ...need("core", "configmaps", "get", {
      namespace: "system",
      objectName: "apiserverLegacyServiceAccountTokenTracking",
      since: "1.28",
    }),
    ...need("core", "secrets", "patch delete", { since: "1.28" }),
  ],
  "pvc-protection": [...need("core", "persistentvolumeclaims", "get update"), ...need("core", "pods", "list")],
  // The role is part of the feature PodCertificateRequest, which is off by default before 1.37.
  "podcertificaterequest-cleaner": [],
  // The role is part of the feature GenericWorkload, which is off by default.
  "podgroup-protection": [],
  "volumeattributesclass-protection": [
    ...need("storage", "volumeattributesclasses", "get update", { since: "1.34" }),
    ...need("core", "persistentvolumes", "list watch", { since: "1.34" }),
    ...need("core", "persistentvolumeclaims", "list watch", { since: "1.34" }),
  ],
  "pv-protection": need("core", "persistentvolumes", "get update"),
  bootstrapsigner: need("core", "configmaps", "get update", { namespace: "public", name: "cluster-info" }),
  tokencleaner: need("core", "secrets", "delete", { namespace: "system" }),
  csrapproving: [
    ...need("certificates", "certificatesigningrequests/approval", "update"),
    ...need("authorization", "subjectaccessreviews", "create"),
  ],
  csrsigning: need("certificates", "certificatesigningrequests/status", "update"),
  csrcleaner: need("certificates", "certificatesigningrequests", "delete"),
  disruption: [
    ...need("policy", "poddisruptionbudgets/status", "update"),
    ...need("apps", "deployments/scale", "get"),
    ...RBAC_EVENTS,
  ],
  "ttl-after-finished": need("batch", "jobs", "get delete", { since: "1.21" }),
  podgc: [
    ...need("core", "pods", "delete"),
    ...need("core", "nodes", "get"),
    ...need("core", "pods/status", "patch", { since: "1.26" }),
  ],
  endpoint: [...need("core", "endpoints", "get create update delete"), ...RBAC_EVENTS],
  endpointslice: [...need("discovery", "endpointslices", "create update delete"), ...RBAC_EVENTS],
  endpointslicemirroring: [...need("discovery", "endpointslices", "create update delete"), ...RBAC_EVENTS],
  // Its role depends on gates that are off by default.
  "storage-version-gc": [],
  "device-taint-eviction-controller": [
    ...need("core", "pods", "get delete", { since: "1.36" }),
    ...need("core", "pods/status", "patch", { since: "1.36" }),
    ...need("events", "events", "create patch update", { since: "1.36" }),
  ],
  // The role is part of the feature DRAResourcePoolStatus, which is off by default.
  "resourcepoolstatusrequest-controller": [],
  "resource-claim-controller": [
    ...need("resource", "resourceclaims", "get create update delete", { since: "1.34" }),
    ...need("resource", "resourceclaims/status", "update", { since: "1.34" }),
    ...need("resource", "resourceclaims/binding", "update", { since: "1.36" }),
    ...need("core", "pods", "get", { since: "1.34" }),
    ...need("core", "pods/status", "patch", { since: "1.34" }),
    ...need("events", "events", "create patch update", { since: "1.34" }),
  ],
  "service-cidr": [
    ...need("networking", "servicecidrs", "patch", { since: "1.33" }),
    ...need("networking", "servicecidrs/status", "patch", { since: "1.33" }),
    ...need("events", "events", "create patch update", { since: "1.33" }),
  ],
};

const RELEASES = ["1.20", "1.23", "1.26", "1.36", "1.37"];

test("every controller has its names in Kubernetes, and no other controller has them", () => {
  for (const { name, alias } of EVERY_CONTROLLER) {
    expect(UPSTREAM_CONTROLLERS.filter((each) => each.name === name)).toMatchObject([{ alias }]);
  }
  const names = UPSTREAM_CONTROLLERS.flatMap(({ name, alias }) => (name === alias ? [name] : [name, alias]));
  expect(new Set(names).size).toBe(names.length);
  expect(EVERY_CONTROLLER.map(({ name }) => name).filter((name) => NEEDS[name] === undefined)).toEqual([]);
});

test.each(RELEASES.flatMap((release) => VOCABULARY_NAMES.map((vocabulary) => [release, vocabulary] as const)))(
  "in release %s of the vocabulary %s each may do what it does",
  async (release, vocabulary) => {
    const { may, manager, userOf } = bootstrapped(vocabulary, release);
    const refused: string[] = [];
    for (const { name } of EVERY_CONTROLLER) {
      const account = accountOf(name, vocabulary);
      const user = account === undefined ? manager : userOf(account);
      for (const needed of NEEDS[name] ?? []) {
        if (needed.since !== undefined && compareReleases(release, needed.since) < 0) continue;
        const { verb, resource } = needed;
        if (!(await may(user, needed))) refused.push(`${name}: ${verb} ${resource} as ${user.name}`);
        if (!(await may(manager, needed))) refused.push(`${name}: ${verb} ${resource} as the manager`);
      }
    }
    expect(refused).toEqual([]);
  },
);

function bootstrapped(name: VocabularyName, release: string) {
  const vocabulary = vocabularyOf(name);
  const rbac = new RbacGrants({ vocabulary });
  const policy = bootstrapPolicy(vocabulary, release);
  const apply = (kind: RbacKind, objects: readonly JsonObject[]) => {
    for (const object of objects)
      rbac.apply({ kind, namespace: namespaceOf(object), name: nameOf(object), object, revision: 1 });
  };
  apply("ClusterRole", policy.clusterRoles);
  apply("ClusterRoleBinding", policy.clusterRoleBindings);
  apply("Role", policy.roles);
  apply("RoleBinding", policy.roleBindings);
  const authorizer = authorizerFor(["RBAC"], { rbac });
  const { system } = vocabulary.namespaces;
  const userOf = (account: string) => ({
    name: serviceAccountUserName(system, account),
    groups: serviceAccountGroups(system),
  });
  type User = ReturnType<typeof userOf>;
  async function may(user: User, needed: Need): Promise<boolean> {
    const { verb, group = "core", resource, namespace, objectName } = needed;
    const of = objectName === undefined ? (needed.name ?? "") : vocabulary.objectNames[objectName];
    const [plural = "", subresource = ""] = resource.split("/");
    const decision = await authorizer.authorize({
      ...{ kind: "resource", user, verb, apiGroup: groupName(vocabulary, group), apiVersion: "v1" },
      ...{ resource: plural, subresource, namespace: namespace === undefined ? "" : vocabulary.namespaces[namespace] },
      name: of,
    });
    return decision.kind === "allow";
  }
  return { may, userOf, manager: { name: vocabulary.users.controllerManager, groups: [] as string[] } };
}
