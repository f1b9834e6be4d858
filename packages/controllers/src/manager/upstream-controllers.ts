// The controllers of kube-controller-manager: their names and service accounts.
// Source: cmd/kube-controller-manager/names/controller_names.go;
// plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.

import { type Vocabulary, type VocabularyName, vocabularyOf } from "@orch/schema";

/** Name of a service account, or a function of the vocabulary where it differs. */
type Account = string | ((vocabulary: Vocabulary) => string);

export interface UpstreamController {
  readonly name: string;
  /** Name in later releases. */
  readonly alias: string;
  /**
   * Service account in the system namespace; undefined: the controller runs as the manager, or is not implemented here.
   */
  readonly account: Account | undefined;
}

type Row = readonly [name: string, alias: string, account?: Account];

const ROWS: readonly Row[] = [
  // First, because the other controllers may need the tokens that it creates.
  ["serviceaccount-token", "serviceaccount-token-controller"],
  ["serviceaccount", "serviceaccount-controller", "service-account-controller"],
  ["root-ca-cert-publisher", "root-ca-certificate-publisher-controller", "root-ca-cert-publisher"],
  [
    `${vocabularyOf("orch").rbacNames.servingTrustBundlePublisher}-controller`,
    `${vocabularyOf("kubernetes").rbacNames.servingTrustBundlePublisher}-controller`,
    ({ rbacNames }) => rbacNames.servingTrustBundlePublisher,
  ],
  ["bootstrapsigner", "bootstrap-signer-controller", "bootstrap-signer"],
  ["tokencleaner", "token-cleaner-controller", "token-cleaner"],
  ["csrsigning", "certificatesigningrequest-signing-controller", "certificate-controller"],
  ["csrapproving", "certificatesigningrequest-approving-controller", "certificate-controller"],
  ["csrcleaner", "certificatesigningrequest-cleaner-controller", "certificate-controller"],
  ["namespace", "namespace-controller", "namespace-controller"],
  ["garbagecollector", "garbage-collector-controller", "generic-garbage-collector"],
  // It does not exist upstream. The role of the garbage collector allows what it does.
  ["object-expiry", "object-expiry-controller", "generic-garbage-collector"],
  ["resourcequota", "resourcequota-controller", "resourcequota-controller"],
  ["clusterrole-aggregation", "clusterrole-aggregation-controller", "clusterrole-aggregation-controller"],
  ["ttl-after-finished", "ttl-after-finished-controller", "ttl-after-finished-controller"],
  ["pvc-protection", "persistentvolumeclaim-protection-controller", "pvc-protection-controller"],
  ["pv-protection", "persistentvolume-protection-controller", "pv-protection-controller"],
  [
    "volumeattributesclass-protection",
    "volumeattributesclass-protection-controller",
    "volumeattributesclass-protection-controller",
  ],
  ["podgroup-protection", "podgroup-protection-controller", "podgroup-protection-controller"],
  ["podcertificaterequest-cleaner", "podcertificaterequest-cleaner-controller", "podcertificaterequestcleaner"],
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
  ["service-cidr", "service-cidr-controller", "service-cidrs-controller"],
  ["storage-version-migrator", "storage-version-migrator-controller"],
  ["storage-version-gc", "storageversion-garbage-collector-controller", "storage-version-garbage-collector"],
  ["resource-claim-controller", "resourceclaim-controller", "resource-claim-controller"],
  ["device-taint-eviction-controller", "device-taint-eviction-controller", "device-taint-eviction-controller"],
  [
    "resourcepoolstatusrequest-controller",
    "resourcepoolstatusrequest-controller",
    "resourcepoolstatusrequest-controller",
  ],
];

export const UPSTREAM_CONTROLLERS: readonly UpstreamController[] = ROWS.map(([name, alias, account]) => ({
  name,
  alias,
  account,
}));

const ACCOUNTS = new Map(UPSTREAM_CONTROLLERS.map(({ name, account }) => [name, account]));

/** Returns the service account of a controller; undefined: it runs as the manager. */
export function accountOf(controller: string, vocabulary: VocabularyName): string | undefined {
  const account = ACCOUNTS.get(controller);
  return typeof account === "function" ? account(vocabularyOf(vocabulary)) : account;
}
