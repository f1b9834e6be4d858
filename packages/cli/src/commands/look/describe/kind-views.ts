// The built-in kinds that have a view of their own. Custom kinds, and the other built-in ones, have the general form.
import type { DiscoveredResource } from "@orch/client";
import type { Vocabulary } from "@orch/schema";
import type { KindView } from "./kind-view";
import { BINDING, CONFIG_MAP, LIMIT_RANGE, QUOTA, ROLE, SECRET, SERVICE_ACCOUNT } from "./kinds/access-and-limits";
import { INGRESS, NETWORK_POLICY, SERVICE } from "./kinds/network";
import { NODE, POD } from "./kinds/pods-and-nodes";
import { CLAIM, STORAGE_CLASS, VOLUME } from "./kinds/storage";
import { AUTOSCALER, CRON_JOB, DAEMON_SET, DEPLOYMENT, JOB, REPLICA_SET, STATEFUL_SET } from "./kinds/workloads";

/** Views by group and kind. A group with a vocabulary of its own is named by its key. */
const VIEWS: Readonly<Record<string, Readonly<Record<string, KindView>>>> = {
  "": {
    ConfigMap: CONFIG_MAP,
    LimitRange: LIMIT_RANGE,
    Node: NODE,
    PersistentVolume: VOLUME,
    PersistentVolumeClaim: CLAIM,
    Pod: POD,
    ReplicationController: REPLICA_SET,
    ResourceQuota: QUOTA,
    Secret: SECRET,
    Service: SERVICE,
    ServiceAccount: SERVICE_ACCOUNT,
  },
  apps: { DaemonSet: DAEMON_SET, Deployment: DEPLOYMENT, ReplicaSet: REPLICA_SET, StatefulSet: STATEFUL_SET },
  autoscaling: { HorizontalPodAutoscaler: AUTOSCALER },
  batch: { CronJob: CRON_JOB, Job: JOB },
  networking: { Ingress: INGRESS, NetworkPolicy: NETWORK_POLICY },
  rbac: { ClusterRole: ROLE, ClusterRoleBinding: BINDING, Role: ROLE, RoleBinding: BINDING },
  storage: { StorageClass: STORAGE_CLASS },
};

/** Returns the view of a kind; undefined for one that has the general form alone. */
export function viewOf({ group, kind }: DiscoveredResource, { groups }: Vocabulary): KindView | undefined {
  const names: Readonly<Record<string, string>> = {
    [groups.networking]: "networking",
    [groups.rbac]: "rbac",
    [groups.storage]: "storage",
  };
  return VIEWS[names[group] ?? group]?.[kind];
}
