// Names that differ between the two vocabularies and that discovery does not tell: a server speaks one of them.

export type Vocabulary = "orch" | "kubernetes";

export interface Names {
  /** Group of tables and of partial metadata. */
  readonly meta: string;
  /** Group of the aggregated discovery. */
  readonly discovery: string;
  readonly authentication: string;
  /** Key of the extra value that names several groups of an impersonated user. */
  readonly impersonatedGroups: string;
  readonly authorization: string;
  readonly rbac: string;
  readonly definitions: string;
  readonly admissionRegistration: string;
  readonly coordination: string;
  readonly deletionProtection: string;
  /** Namespace of the server's own objects. */
  readonly systemNamespace: string;
  /** Label of the leases by which replicas tell that they are there. */
  readonly identityLabel: string;
  /** Prefix of the extensions in schemas. */
  readonly extensions: string;
}

const NAMES: Readonly<Record<Vocabulary, Names>> = {
  orch: {
    meta: "meta.orch.io",
    discovery: "apidiscovery.orch.io",
    authentication: "authentication.orch.io",
    impersonatedGroups: "authentication.orch.io/groups",
    authorization: "authorization.orch.io",
    rbac: "rbac.authorization.orch.io",
    definitions: "apiextensions.orch.io",
    admissionRegistration: "admissionregistration.orch.io",
    coordination: "coordination.orch.io",
    deletionProtection: "orch.io/deletion-protection",
    systemNamespace: "orch-system",
    identityLabel: "apiserver.orch.io/identity",
    extensions: "x-orch-",
  },
  kubernetes: {
    meta: "meta.k8s.io",
    discovery: "apidiscovery.k8s.io",
    authentication: "authentication.k8s.io",
    impersonatedGroups: "authentication.kubernetes.io/groups",
    authorization: "authorization.k8s.io",
    rbac: "rbac.authorization.k8s.io",
    definitions: "apiextensions.k8s.io",
    admissionRegistration: "admissionregistration.k8s.io",
    coordination: "coordination.k8s.io",
    deletionProtection: "kubernetes.io/deletion-protection",
    systemNamespace: "kube-system",
    identityLabel: "apiserver.kubernetes.io/identity",
    extensions: "x-kubernetes-",
  },
};

export const namesOf = (vocabulary: Vocabulary): Names => NAMES[vocabulary];
