// Columns and row conditions of pods. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, integerColumn, nameColumn, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

type Pod = CellObject<coreV1.Pod>;
type ContainerStatus = CellObject<coreV1.ContainerStatus>;

export const podColumns: readonly TableColumn[] = [
  nameColumn,
  column<coreV1.Pod>("Ready", "Containers that are ready, of all that the pod has.", (pod) => {
    return `${progressOf(pod).ready}/${pod.spec?.containers?.length ?? 0}`;
  }),
  column<coreV1.Pod>("Status", "What the pod does, or what keeps it from running.", (pod) => progressOf(pod).status),
  integerColumn<coreV1.Pod>("Restarts", "How often containers of the pod were started again.", (pod) => {
    return progressOf(pod).restarts;
  }),
  ageColumn,
  wide(
    column<coreV1.Pod>("IP", "The pod's first address.", ({ status }) => {
      return status?.podIPs?.[0]?.ip || status?.podIP || "<none>";
    }),
  ),
  wide(column<coreV1.Pod>("Node", "The node that the pod is bound to.", ({ spec }) => spec?.nodeName || "<none>")),
  wide(
    column<coreV1.Pod>("Nominated Node", "The node where room is being made for the pod.", ({ status }) => {
      return status?.nominatedNodeName || "<none>";
    }),
  ),
  wide(column<coreV1.Pod>("Readiness Gates", "Further conditions of readiness that are met.", readinessGates)),
];

/** Returns the row condition of a finished pod, by which clients can leave it out. */
export function podRowConditions(pod: JsonObject): readonly JsonObject[] {
  switch ((pod as Pod).status?.phase) {
    case "Succeeded":
      return SUCCEEDED;
    case "Failed":
      return FAILED;
    default:
      return NO_CONDITIONS;
  }
}

const completed = (reason: string, message: string): readonly JsonObject[] => [
  { type: "Completed", status: "True", reason, message },
];
const SUCCEEDED = completed("Succeeded", "The pod has completed successfully.");
const FAILED = completed("Failed", "The pod failed.");
const NO_CONDITIONS: readonly JsonObject[] = [];

interface Progress {
  readonly status: string;
  readonly ready: number;
  readonly restarts: number;
}

function progressOf(pod: Pod): Progress {
  const progress = initialization(pod) ?? execution(pod);
  return pod.metadata?.deletionTimestamp ? { ...progress, status: ending(pod) } : progress;
}

const ending = ({ status }: Pod): string => (status?.reason === "NodeLost" ? "Unknown" : "Terminating");

/** Returns the state of the init containers; undefined once all of them have succeeded. */
function initialization({ spec, status }: Pod): Progress | undefined {
  const containers = status?.initContainerStatuses ?? [];
  let restarts = 0;
  for (const [index, container] of containers.entries()) {
    restarts += container.restartCount ?? 0;
    if (container.state?.terminated && !container.state.terminated.exitCode) continue;
    const step = initObstacle(container) ?? `${index}/${spec?.initContainers?.length ?? 0}`;
    return { status: `Init:${step}`, ready: 0, restarts };
  }
  return undefined;
}

function initObstacle({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return terminationText(state.terminated);
  const reason = state?.waiting?.reason;
  return reason && reason !== "PodInitializing" ? reason : undefined;
}

function terminationText({ reason, signal, exitCode }: CellObject<coreV1.ContainerStateTerminated>): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`);
}

/** Returns the state of the containers. The reason is that of the first container which has one. */
function execution({ status }: Pod): Progress {
  let said = "";
  let ready = 0;
  let restarts = 0;
  for (const container of status?.containerStatuses ?? []) {
    const { state } = container;
    restarts += container.restartCount ?? 0;
    const says = state?.waiting?.reason || (state?.terminated ? terminationText(state.terminated) : "");
    said ||= says;
    if (says === "" && container.ready && state?.running) ready++;
  }
  said ||= status?.reason || status?.phase || "";
  return { status: said === "Completed" && ready > 0 ? whileOthersRun(status) : said, ready, restarts };
}

/** Returns the text for a pod whose first container has completed. */
function whileOthersRun(status: Pod["status"]): string {
  return isTrue(status, "Ready") ? "Running" : "NotReady";
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const met = new Map<string | null | undefined, boolean>();
  for (const { type, status: state } of status?.conditions ?? []) if (!met.has(type)) met.set(type, state === "True");
  return `${gates.filter(({ conditionType }) => met.get(conditionType)).length}/${gates.length}`;
}

function isTrue(status: Pod["status"], type: string | null | undefined): boolean {
  return status?.conditions?.find((condition) => condition.type === type)?.status === "True";
}
