// Validation of the status of claims: the allocation, its users and the reports of drivers. Source:
// pkg/apis/resource/validation/validation.go.

import { nodeSelector } from "@orch/apis-core";
import {
  all,
  conditions,
  fields,
  immutable,
  oneOf,
  type Place,
  type Report,
  type Rule,
  required,
  sameValue,
  updateValidator,
} from "@orch/apis-model";
import type { JsonObject, JsonValue, resourceV1 } from "@orch/schema";
import { allocatedDevices, deviceIdentity } from "./allocated-devices";
import { bindingConditions } from "./binding-conditions";
import { capped, cappedList, cappedSet } from "./capped-lists";
import { CONFIGURATIONS_MAX, REQUESTS_MAX } from "./claim-validation";
import { deviceConfiguration, jsonObject } from "./device-configuration";
import { deviceName, driverName, poolName, shareId } from "./device-names";
import { networkData } from "./network-data-validation";
import { knownRequest, RequestNames } from "./request-names";

type Status = resourceV1.ResourceClaimStatus;

const USERS_MAX = 256;
const RESULTS_MAX = 32;
const CONDITIONS_MAX = 8;

const users: Rule<readonly resourceV1.ResourceClaimConsumerReference[]> = cappedSet(
  USERS_MAX,
  fields<resourceV1.ResourceClaimConsumerReference>({ resource: required(), name: required(), uid: required() }),
  ({ uid }) => uid,
);

const allocationResult = (names: RequestNames): Rule<resourceV1.DeviceRequestAllocationResult> =>
  all<resourceV1.DeviceRequestAllocationResult>(
    fields<resourceV1.DeviceRequestAllocationResult>({
      request: knownRequest(names),
      driver: driverName,
      pool: poolName,
      device: deviceName,
    }),
    bindingConditions,
    fields<resourceV1.DeviceRequestAllocationResult>({ shareID: shareId }),
  );

const allocatedConfiguration = (names: RequestNames): Rule<resourceV1.DeviceAllocationConfiguration> =>
  all<resourceV1.DeviceAllocationConfiguration>(
    fields<resourceV1.DeviceAllocationConfiguration>({
      source: required(oneOf("FromClaim", "FromClass")),
      requests: cappedSet(REQUESTS_MAX, knownRequest(names), (name) => name),
    }),
    deviceConfiguration,
  );

/** Rules of a new allocation. A stored one is immutable and not checked again. */
const allocation = (names: RequestNames): Rule<resourceV1.AllocationResult> =>
  fields<resourceV1.AllocationResult>({
    devices: fields<resourceV1.DeviceAllocationResult>({
      results: cappedList(RESULTS_MAX, allocationResult(names)),
      config: cappedList(2 * CONFIGURATIONS_MAX, allocatedConfiguration(names)),
    }),
    nodeSelector,
  });

const deviceStatus =
  (allocated: ReadonlySet<string>): Rule<resourceV1.AllocatedDeviceStatus> =>
  (device, at, report) => {
    fields<resourceV1.AllocatedDeviceStatus>({
      driver: driverName,
      pool: poolName,
      device: deviceName,
      shareID: shareId,
    })(device, at, report);
    const identity = deviceIdentity(device as unknown as JsonObject);
    if (!allocated.has(identity)) report.invalid(at, identity, "must be an allocated device in the claim");
    fields<resourceV1.AllocatedDeviceStatus>({ conditions: capped(CONDITIONS_MAX, conditions), networkData })(
      device,
      at,
      report,
    );
    if (device.data !== undefined && device.data !== null) jsonObject(device.data, at.field("data"), report);
  };

const driversReports = (status: Status): Rule<readonly resourceV1.AllocatedDeviceStatus[]> =>
  cappedSet(
    Number.POSITIVE_INFINITY,
    deviceStatus(allocatedDevices(status as unknown as JsonObject)),
    (device: resourceV1.AllocatedDeviceStatus) => deviceIdentity(device as unknown as JsonObject),
  );

const NOT_ALLOCATED = "may not be specified when `allocated` is not set";
const GOING = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";

interface Statuses {
  readonly status: Status;
  readonly old: Status;
}

/** Requires an allocation for users, and refuses new users of a claim that is being deleted. */
function usersFit({ status, old }: Statuses, isDeleted: boolean, at: Place, report: Report): void {
  const { reservedFor = [], allocation } = status;
  if (reservedFor.length === 0) return;
  if (!allocation) report.forbidden(at, NOT_ALLOCATED);
  if (!allocation || !isDeleted) return;
  const before = new Map((old.reservedFor ?? []).map((user) => [user.uid, user]));
  const isKnown = (user: resourceV1.ResourceClaimConsumerReference) => {
    const stored = before.get(user.uid);
    return stored !== undefined && sameValue(user as JsonValue, stored as JsonValue);
  };
  if (!reservedFor.every(isKnown)) report.forbidden(at, GOING);
}

export const validateClaimStatus = updateValidator<resourceV1.ResourceClaim>((next, before, at, report) => {
  const { status = {}, spec, metadata } = next;
  const old = before.status ?? {};
  const place = at.field("status");
  fields<Status>({ reservedFor: users, devices: driversReports(status) })(status, place, report);
  usersFit({ status, old }, Boolean(metadata?.deletionTimestamp), place.field("reservedFor"), report);
  if (!status.allocation) return;
  const allocated = place.field("allocation");
  if (old.allocation) immutable(status.allocation, old.allocation, allocated, report);
  else allocation(new RequestNames(spec.devices ?? {}))(status.allocation, allocated, report);
});
