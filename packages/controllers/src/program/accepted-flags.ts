// Options of kube-controller-manager that have no effect here; most belong to controllers that are not implemented.
// Source: kube-controller-manager reference.
import { type AcceptedRow, acceptedFlags, type DeprecatedRow, type FlagRow } from "@orch/machinery";

const WORKERS = "processed concurrently";
const VOLUMES = "volumes";
const NODES = "nodes and their cloud provider";

const ACCEPTED: readonly AcceptedRow[] = [
  ["api-content-type", "string", "", "encoding of requests; always JSON in this program"],
  ["cluster-name", "string", "orch", "prefix of names at the cloud provider"],
  ["allocate-node-cidrs", "bool", "false", NODES],
  ["cluster-cidr", "string", "", NODES],
  ["cidr-allocator-type", "string", "RangeAllocator", NODES],
  ["configure-cloud-routes", "bool", "true", NODES],
  ["cloud-provider", "string", "", NODES],
  ["cloud-config", "string", "", NODES],
  ["external-cloud-volume-plugin", "string", "", NODES],
  ["node-monitor-period", "duration", "5s", NODES],
  ["node-monitor-grace-period", "duration", "40s", NODES],
  ["node-startup-grace-period", "duration", "1m0s", NODES],
  ["node-eviction-rate", "float", "0.1", NODES],
  ["secondary-node-eviction-rate", "float", "0.01", NODES],
  ["large-cluster-size-threshold", "int", "50", NODES],
  ["unhealthy-zone-threshold", "float", "0.55", NODES],
  ["node-cidr-mask-size", "int", "0", NODES],
  ["node-cidr-mask-size-ipv4", "int", "24", NODES],
  ["node-cidr-mask-size-ipv6", "int", "64", NODES],
  ["service-cluster-ip-range", "string", "", NODES],
  ["route-reconciliation-period", "duration", "10s", NODES],
  ["leader-migration-config", "string", "", "migration of controllers between two programs"],
  ["enable-leader-migration", "bool", "false", "migration of controllers between two programs"],
  ["contention-profiling", "bool", "false", "lock contention profiling; this server has no locks"],
  [
    "http2-max-streams-per-connection",
    "int",
    "0",
    "maximum number of concurrent streams; /metrics is served over HTTP/1.1",
  ],
  ["permit-port-sharing", "bool", "false", "share one port among several processes"],
  ["concurrent-deployment-syncs", "int", "5", `deployments ${WORKERS}`],
  ["concurrent-replicaset-syncs", "int", "5", `replica sets ${WORKERS}`],
  ["concurrent-rc-syncs", "int", "5", `replication controllers ${WORKERS}`],
  ["concurrent-statefulset-syncs", "int", "5", `stateful sets ${WORKERS}`],
  ["concurrent-daemonset-syncs", "int", "2", `daemon sets ${WORKERS}`],
  ["concurrent-job-syncs", "int", "5", `jobs ${WORKERS}`],
  ["concurrent-cron-job-syncs", "int", "5", `cron jobs ${WORKERS}`],
  ["concurrent-service-syncs", "int", "1", `load balancers ${WORKERS}`],
  ["concurrent-horizontal-pod-autoscaler-syncs", "int", "5", `autoscalers ${WORKERS}`],
  ["horizontal-pod-autoscaler-sync-period", "duration", "15s", "autoscaling"],
  ["horizontal-pod-autoscaler-downscale-stabilization", "duration", "5m0s", "autoscaling"],
  ["horizontal-pod-autoscaler-tolerance", "float", "0.1", "autoscaling"],
  ["horizontal-pod-autoscaler-cpu-initialization-period", "duration", "5m0s", "autoscaling"],
  ["horizontal-pod-autoscaler-initial-readiness-delay", "duration", "30s", "autoscaling"],
  ["pvclaimbinder-sync-period", "duration", "15s", VOLUMES],
  ["enable-dynamic-provisioning", "bool", "true", VOLUMES],
  ["enable-hostpath-provisioner", "bool", "false", VOLUMES],
  ["pv-recycler-increment-timeout-nfs", "int", "30", VOLUMES],
  ["pv-recycler-minimum-timeout-hostpath", "int", "60", VOLUMES],
  ["pv-recycler-minimum-timeout-nfs", "int", "300", VOLUMES],
  ["pv-recycler-pod-template-filepath-hostpath", "string", "", VOLUMES],
  ["pv-recycler-pod-template-filepath-nfs", "string", "", VOLUMES],
  ["pv-recycler-timeout-increment-hostpath", "int", "30", VOLUMES],
  ["volume-host-allow-local-loopback", "bool", "true", VOLUMES],
  ["volume-host-cidr-denylist", "strings", "", VOLUMES],
  ["flex-volume-plugin-dir", "string", "/usr/libexec/orch/kubelet-plugins/volume/exec/", VOLUMES],
  ["attach-detach-reconcile-sync-period", "duration", "1m0s", VOLUMES],
  ["disable-attach-detach-reconcile-sync", "bool", "false", VOLUMES],
];

const GONE = "it has no effect and can be left out";
const TLS_ONLY = "the server only serves over TLS";

const DEPRECATED: readonly DeprecatedRow[] = [
  ["address", "ip", "0.0.0.0", "listening address without TLS", TLS_ONLY],
  ["deployment-controller-sync-period", "duration", "30s", "none", GONE],
  ["enable-taint-manager", "bool", "true", "evict pods by taints", GONE],
  ["pod-eviction-timeout", "duration", "5m0s", "grace period of pods on lost nodes", GONE],
];

const accepted = acceptedFlags({ accepted: ACCEPTED, deprecated: DEPRECATED });
const { port } = accepted;

/** Options that are accepted without effect. Those of a controller are not included. */
export const ACCEPTED_FLAGS: Readonly<Record<string, FlagRow>> = {
  ...accepted,
  port: { ...(port as FlagRow), default: "10252", min: 0, max: 65535, help: "port without TLS" },
};
