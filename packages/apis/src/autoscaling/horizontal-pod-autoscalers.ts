import type { BuiltInResource } from "@orch/apis-model";
import { autoscalerColumns } from "./autoscaler-columns";
import { v1Conversion, v2beta1Conversion } from "./autoscaler-conversion";
import { V1_DEFAULTS, V2_DEFAULTS, V2BETA1_DEFAULTS } from "./autoscaler-defaults";
import { validateAutoscalerStatus, validateAutoscalerUpdate, validateNewAutoscaler } from "./autoscaler-validation";

export const horizontalPodAutoscalers = {
  group: "autoscaling",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  shortNames: ["hpa"],
  categories: ["all"],
  scope: "Namespaced",
  versions: [
    { version: "v2", introduced: "1.23", defaults: V2_DEFAULTS },
    { version: "v1", introduced: "1.2", defaults: V1_DEFAULTS, conversion: v1Conversion },
    {
      version: "v2beta2",
      defaults: V2_DEFAULTS,
      introduced: "1.12",
      deprecated: "1.23",
      removed: "1.26",
      replacement: "autoscaling/v2",
    },
    {
      version: "v2beta1",
      defaults: V2BETA1_DEFAULTS,
      introduced: "1.8",
      deprecated: "1.22",
      removed: "1.25",
      replacement: "autoscaling/v2",
      conversion: v2beta1Conversion,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    declared: true,
    gated: {
      HPAConfigurableTolerance: ["spec.behavior.scaleUp.tolerance", "spec.behavior.scaleDown.tolerance"],
      HPAContainerMetrics: ["spec.metrics[].containerResource"],
    },
    validateCreate: validateNewAutoscaler,
    validateUpdate: validateAutoscalerUpdate,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: validateAutoscalerStatus } },
  columns: autoscalerColumns,
} as const satisfies BuiltInResource;
