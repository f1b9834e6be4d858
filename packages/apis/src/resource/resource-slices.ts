import { ageColumn, type BuiltInResource, column, nameColumn, text } from "@orch/apis-model";
import { isObject, type JsonObject, type resourceV1 } from "@orch/schema";
import { HUB_VERSIONS, V1BETA1 } from "./device-versions";
import { sliceConversion } from "./slice-conversion";
import { validateNewSlice, validateSliceUpdate } from "./slice-validation";
import { timeTaintsOfSlice } from "./taint-times";

type Slice = resourceV1.ResourceSlice;

export const resourceSlices = {
  group: "resource",
  kind: "ResourceSlice",
  plural: "resourceslices",
  scope: "Cluster",
  versions: [...HUB_VERSIONS, { ...V1BETA1, conversion: sliceConversion }],
  rules: {
    nameFormat: "subdomain",
    generationFrom: ["spec"],
    generationOfDropped: true,
    gated: {
      DRADeviceTaints: ["spec.devices[].taints"],
      DRAPartitionableDevices: [
        "spec.sharedCounters",
        "spec.perDeviceNodeSelection",
        "spec.devices[].consumesCounters",
        "spec.devices[].nodeName",
        "spec.devices[].nodeSelector",
        "spec.devices[].allNodes",
      ],
      DRADeviceBindingConditions: [
        "spec.devices[].bindingConditions",
        "spec.devices[].bindingFailureConditions",
        "spec.devices[].bindsToNode",
      ],
      DRAResourceClaimDeviceStatus: [
        "spec.devices[].bindingConditions",
        "spec.devices[].bindingFailureConditions",
        "spec.devices[].bindsToNode",
      ],
      DRAConsumableCapacity: ["spec.devices[].allowMultipleAllocations", "spec.devices[].capacity{}.requestPolicy"],
      DRAOptionalNodeOperations: ["spec.skipNodeOperations"],
      DRAPartitionableDevicesType: ["spec.partitionTypeAttribute"],
      DRANodeAllocatableResources: [
        "spec.devices[].nodeAllocatableResourceMappings",
        "spec.devices[].nodeAllocatableResources",
      ],
      DRAListTypeAttributes: [
        "spec.devices[].attributes{}.ints",
        "spec.devices[].attributes{}.bools",
        "spec.devices[].attributes{}.strings",
        "spec.devices[].attributes{}.versions",
      ],
    },
    create: timeTaintsOfSlice,
    update: (slice, _old, context) => timeTaintsOfSlice(slice, context),
    validateCreate: validateNewSlice,
    validateUpdate: validateSliceUpdate,
    warnings: warnOfUpperCase,
  },
  selectableFields: { "spec.nodeName": text("spec.nodeName"), "spec.driver": text("spec.driver") },
  indexedFields: ["spec.nodeName"],
  columns: [
    nameColumn,
    column<Slice>("Node", "The node that has the devices.", ({ spec }) => spec?.nodeName ?? ""),
    column<Slice>("Driver", "The driver of the devices.", ({ spec }) => spec?.driver ?? ""),
    column<Slice>("Pool", "The pool of the devices.", ({ spec }) => spec?.pool?.name ?? ""),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

function warnOfUpperCase({ spec }: JsonObject): readonly string[] {
  const driver = isObject(spec) ? spec["driver"] : undefined;
  if (typeof driver !== "string" || driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}
