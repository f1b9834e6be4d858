// The duties that the field's managers have: their names, and the service accounts that they work under.
// Source: facts, flags.json "controllerNames"; rbac-bootstrap.json "controllerRoles", "namespaceRoles".

export interface FieldDuty {
  readonly name: string;
  /** As later releases call it. */
  readonly alias: string;
  /** In the namespace of the system; undefined: it works as the manager itself, or is not done here. */
  readonly account: string | undefined;
}

type Row = readonly [name: string, alias: string, account?: string];

const ROWS: readonly Row[] = [
  // The others may live on the tokens that it makes.
  ["serviceaccount-token", "serviceaccount-token-controller"],
  ["serviceaccount", "serviceaccount-controller", "service-account-controller"],
  ["root-ca-cert-publisher", "root-ca-certificate-publisher-controller", "root-ca-cert-publisher"],
  ["bootstrapsigner", "bootstrap-signer-controller", "bootstrap-signer"],
  ["tokencleaner", "token-cleaner-controller", "token-cleaner"],
  ["csrsigning", "certificatesigningrequest-signing-controller", "certificate-controller"],
  ["csrapproving", "certificatesigningrequest-approving-controller", "certificate-controller"],
  ["csrcleaner", "certificatesigningrequest-cleaner-controller", "certificate-controller"],
  ["namespace", "namespace-controller", "namespace-controller"],
  ["garbagecollector", "garbage-collector-controller", "generic-garbage-collector"],
  ["resourcequota", "resourcequota-controller", "resourcequota-controller"],
  ["clusterrole-aggregation", "clusterrole-aggregation-controller", "clusterrole-aggregation-controller"],
  ["ttl-after-finished", "ttl-after-finished-controller", "ttl-after-finished-controller"],
  ["pvc-protection", "persistentvolumeclaim-protection-controller", "pvc-protection-controller"],
  ["pv-protection", "persistentvolume-protection-controller", "pv-protection-controller"],
  ["disruption", "disruption-controller", "disruption-controller"],
  ["endpoint", "endpoints-controller", "endpoint-controller"],
  ["endpointslice", "endpointslice-controller", "endpointslice-controller"],
  ["endpointslicemirroring", "endpointslice-mirroring-controller", "endpointslicemirroring-controller"],
  ["podgc", "pod-garbage-collector-controller", "pod-garbage-collector"],
  ["deployment", "deployment-controller"],
  ["replicaset", "replicaset-controller"],
  ["replicationcontroller", "replicationcontroller-controller"],
  ["statefulset", "statefulset-controller"],
  ["daemonset", "daemonset-controller"],
  ["job", "job-controller"],
  ["cronjob", "cronjob-controller"],
  ["horizontalpodautoscaling", "horizontal-pod-autoscaler-controller"],
  ["nodelifecycle", "node-lifecycle-controller"],
  ["nodeipam", "node-ipam-controller"],
  ["ttl", "ttl-controller"],
  ["attachdetach", "persistentvolume-attach-detach-controller"],
  ["persistentvolume-binder", "persistentvolume-binder-controller"],
  ["persistentvolume-expander", "persistentvolume-expander-controller"],
  ["ephemeral-volume", "ephemeral-volume-controller"],
  ["service", "service-lb-controller"],
  ["route", "node-route-controller"],
  ["cloud-node-lifecycle", "cloud-node-lifecycle-controller"],
  [
    "legacy-service-account-token-cleaner",
    "legacy-serviceaccount-token-cleaner-controller",
    "legacy-service-account-token-cleaner",
  ],
  ["validatingadmissionpolicy-status", "validatingadmissionpolicy-status-controller"],
  ["taint-eviction", "taint-eviction-controller"],
  ["service-cidr", "service-cidr-controller"],
  ["storage-version-migrator", "storage-version-migrator-controller"],
  ["storage-version-gc", "storageversion-garbage-collector-controller"],
  ["resource-claim-controller", "resourceclaim-controller"],
];

export const FIELD_DUTIES: readonly FieldDuty[] = ROWS.map(([name, alias, account]) => ({ name, alias, account }));

const ACCOUNTS = new Map(FIELD_DUTIES.map(({ name, account }) => [name, account]));

/** The service account under which a duty works; undefined: as the manager itself. */
export const accountOf = (duty: string): string | undefined => ACCOUNTS.get(duty);
