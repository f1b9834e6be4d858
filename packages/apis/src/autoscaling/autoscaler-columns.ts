// Columns of autoscalers. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { autoscalingV2 } from "@orch/schema";

type Autoscaler = autoscalingV2.HorizontalPodAutoscaler;
type Target = CellObject<autoscalingV2.MetricTarget> | null | undefined;
type Current = CellObject<autoscalingV2.MetricValueStatus> | null | undefined;

export const autoscalerColumns: readonly TableColumn[] = [
  nameColumn,
  column<Autoscaler>("Reference", "What is scaled.", ({ spec }) => {
    return `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`;
  }),
  column<Autoscaler>("Targets", "What each metric is, and what it should be.", targets),
  column<Autoscaler>("MinPods", "The fewest pods that are kept.", ({ spec }) => String(spec?.minReplicas ?? "<unset>")),
  column<Autoscaler>("MaxPods", "The most pods that are kept.", ({ spec }) => spec?.maxReplicas ?? 0),
  column<Autoscaler>("Replicas", "How many pods there are.", ({ status }) => status?.currentReplicas ?? 0),
  ageColumn,
];

const SHOWN = 2;

function targets({ spec, status }: CellObject<Autoscaler>): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, place) => metricText(metric, status?.currentMetrics?.[place]));
  const shown = texts.slice(0, SHOWN).join(", ");
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}

function metricText(
  spec: CellObject<autoscalingV2.MetricSpec>,
  status: CellObject<autoscalingV2.MetricStatus> | null | undefined,
): string {
  switch (spec.type) {
    case "External":
      return sharedText(spec.external?.target, status?.external?.current);
    case "Object":
      return sharedText(spec.object?.target, status?.object?.current);
    case "Pods":
      return ratio(status?.pods?.current?.averageValue, spec.pods?.target?.averageValue);
    case "Resource":
      return usageText(spec.resource?.target, status?.resource?.current);
    case "ContainerResource":
      return usageText(spec.containerResource?.target, status?.containerResource?.current);
    default:
      return "<unknown type>";
  }
}

/** Formats a metric of all pods: its value, or its average per pod. */
const sharedText = (target: Target, current: Current): string =>
  target?.averageValue != null
    ? `${ratio(current?.averageValue, target.averageValue)} (avg)`
    : ratio(current?.value, target?.value);

/** Formats a resource metric: an amount, or a percentage of the requests. */
function usageText(target: Target, current: Current): string {
  if (target?.averageValue != null) return ratio(current?.averageValue, target.averageValue);
  return ratio(percentage(current), percentage(target) ?? "<auto>");
}

const percentage = (amounts: Target | Current): string | undefined =>
  amounts?.averageUtilization == null ? undefined : `${amounts.averageUtilization}%`;

const ratio = (current: string | null | undefined, target: string | null | undefined): string =>
  `${current ?? "<unknown>"}/${target ?? "0"}`;
