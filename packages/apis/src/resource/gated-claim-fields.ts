// Fields of claims that belong to feature gates. Source: pkg/api/resourceclaimspec/util.go,
// pkg/registry/resource/resourceclaim/strategy.go.
import type { GatedFields } from "@orch/apis-model";

const requestFields = (devices: string, field: string): readonly string[] => [
  `${devices}.requests[].exactly.${field}`,
  `${devices}.requests[].firstAvailable[].${field}`,
];

/** Gated fields of the device claim at the given path. */
export const gatedDevices = (devices: string) =>
  ({
    DRAPrioritizedList: [`${devices}.requests[].firstAvailable`],
    DRADeviceTaints: requestFields(devices, "tolerations"),
    DRAAdminAccess: [`${devices}.requests[].exactly.adminAccess`],
    DRAConsumableCapacity: [`${devices}.constraints[].distinctAttribute`, ...requestFields(devices, "capacity")],
  }) as const satisfies GatedFields;

const RESULTS = "status.allocation.devices.results[]";
const SPEC = gatedDevices("spec.devices");

/**
 * Gated fields of the status of a claim. A feature that the spec uses is in use: an update of the status does not
 * change the spec.
 */
export const GATED_CLAIM_STATUS: GatedFields = {
  DRAAdminAccess: [...SPEC.DRAAdminAccess, `${RESULTS}.adminAccess`],
  DRAResourceClaimDeviceStatus: ["status.devices"],
  DRAConsumableCapacity: [
    ...SPEC.DRAConsumableCapacity,
    `${RESULTS}.shareID`,
    `${RESULTS}.consumedCapacity`,
    "status.devices[].shareID",
  ],
  DRAOptionalNodeOperations: [`${RESULTS}.skipNodeOperations`],
  DRADeviceBindingConditions: [`${RESULTS}.bindingConditions`, `${RESULTS}.bindingFailureConditions`],
};
