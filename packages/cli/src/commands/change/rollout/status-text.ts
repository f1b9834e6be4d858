// Progress of the rollouts of deployments, daemon sets and stateful sets. Source:
// kubectl/pkg/polymorphichelpers/rollout_status.go.
import { metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";

export interface RolloutStatus {
  readonly text: string;
  readonly isDone: boolean;
}

interface Spec {
  readonly replicas?: number;
  readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
}

type Numbers = Readonly<Record<string, number | undefined>>;

/** Returns the progress. @throws CliError for kinds without rollouts, and for rollouts that have failed */
export function rolloutStatus(kind: string, object: JsonObject): RolloutStatus {
  const name = JSON.stringify(metaOf(object).name ?? "");
  const spec = (object["spec"] ?? {}) as Spec;
  const status = (object["status"] ?? {}) as JsonObject;
  const isObserved = Number(status["observedGeneration"] ?? 0) >= (metaOf(object).generation ?? 0);
  switch (kind) {
    case "Deployment":
      return deploymentStatus(name, { spec, status, isObserved });
    case "DaemonSet":
      return daemonSetStatus(name, { spec, status, isObserved });
    case "StatefulSet":
      return statefulSetStatus({ spec, status, isObserved });
    default:
      throw new CliError(`no status viewer has been implemented for ${kind}`);
  }
}

interface Parts {
  readonly spec: Spec;
  readonly status: JsonObject;
  readonly isObserved: boolean;
}

const waiting = (text: string): RolloutStatus => ({ text, isDone: false });
const done = (text: string): RolloutStatus => ({ text, isDone: true });

function deploymentStatus(name: string, { spec, status, isObserved }: Parts): RolloutStatus {
  if (!isObserved) return waiting("Waiting for deployment spec update to be observed...");
  const { conditions } = status as { readonly conditions?: readonly JsonObject[] };
  const progressing = (conditions ?? []).find(({ type }) => type === "Progressing");
  if (progressing?.["reason"] === "ProgressDeadlineExceeded") {
    throw new CliError(`deployment ${name} exceeded its progress deadline`);
  }
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status as Numbers;
  const { replicas: wanted = 1 } = spec;
  const head = `Waiting for deployment ${name} rollout to finish:`;
  if (updatedReplicas < wanted)
    return waiting(`${head} ${updatedReplicas} out of ${wanted} new replicas have been updated...`);
  if (replicas > updatedReplicas)
    return waiting(`${head} ${replicas - updatedReplicas} old replicas are pending termination...`);
  if (availableReplicas < updatedReplicas) {
    return waiting(`${head} ${availableReplicas} of ${updatedReplicas} updated replicas are available...`);
  }
  return done(`deployment ${name} successfully rolled out`);
}

function daemonSetStatus(name: string, { spec, status, isObserved }: Parts): RolloutStatus {
  requireRollingUpdate(spec);
  if (!isObserved) return waiting("Waiting for daemon set spec update to be observed...");
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status as Numbers;
  const head = `Waiting for daemon set ${name} rollout to finish:`;
  if (updatedNumberScheduled < wanted)
    return waiting(`${head} ${updatedNumberScheduled} out of ${wanted} new pods have been updated...`);
  if (numberAvailable < wanted) return waiting(`${head} ${numberAvailable} of ${wanted} updated pods are available...`);
  return done(`daemon set ${name} successfully rolled out`);
}

function statefulSetStatus({ spec, status, isObserved }: Parts): RolloutStatus {
  requireRollingUpdate(spec);
  if (!isObserved || Number(status["observedGeneration"] ?? 0) === 0) {
    return waiting("Waiting for statefulset spec update to be observed...");
  }
  const { readyReplicas = 0, updatedReplicas = 0, currentReplicas = 0 } = status as Numbers;
  const { replicas = 1, updateStrategy } = spec;
  if (readyReplicas < replicas) return waiting(`Waiting for ${replicas - readyReplicas} pods to be ready...`);
  if (updateStrategy?.rollingUpdate !== undefined) {
    const wanted = replicas - (updateStrategy.rollingUpdate.partition ?? 0);
    if (updatedReplicas < wanted) {
      return waiting(
        `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted} new pods have been updated...`,
      );
    }
    return done(`partitioned roll out complete: ${updatedReplicas} new pods have been updated...`);
  }
  const { updateRevision, currentRevision } = status;
  if (updateRevision !== currentRevision) {
    return waiting(
      `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${String(updateRevision)}...`,
    );
  }
  return done(`statefulset rolling update complete ${currentReplicas} pods at revision ${String(currentRevision)}...`);
}

function requireRollingUpdate({ updateStrategy }: Spec): void {
  if (updateStrategy?.type !== "RollingUpdate") {
    throw new CliError("rollout status is only available for RollingUpdate strategy type");
  }
}
