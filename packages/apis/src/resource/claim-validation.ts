// Validation of the devices that claims ask for. Selectors are compiled elsewhere. Source:
// pkg/apis/resource/validation/validation.go.
import {
  all,
  changes,
  each,
  fields,
  immutable,
  type Rule,
  required,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { cappedList, cappedSet } from "./capped-lists";
import { deviceConfiguration } from "./device-configuration";
import { className, deviceName, fullAttributeName } from "./device-names";
import { deviceToleration } from "./device-taints-validation";
import { knownRequest, RequestNames } from "./request-names";

const REQUESTS_MAX = 32;
const CONSTRAINTS_MAX = 32;
export const CONFIGURATIONS_MAX = 32;
const SELECTORS_MAX = 32;
const ALTERNATIVES_MAX = 8;

const ONE_WAY = "exactly one of `exactly` or `firstAvailable` is required";
const ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';

export const selectors: Rule<readonly resourceV1.DeviceSelector[]> = cappedList(
  SELECTORS_MAX,
  fields<resourceV1.DeviceSelector>({ cel: required() }),
);

type OneClass = Pick<
  resourceV1.ExactDeviceRequest,
  "deviceClassName" | "selectors" | "allocationMode" | "count" | "tolerations"
>;

const allocationMode: Rule<OneClass> = ({ allocationMode: mode, count = 0 }, at, report) => {
  const place = at.field("count");
  switch (mode) {
    case "All":
      if (Number(count) !== 0) report.invalid(place, count, "must not be specified when allocationMode is 'All'");
      return;
    case "ExactCount":
      if (Number(count) <= 0) report.invalid(place, count, "must be greater than zero");
      return;
    default: // what a client wrote, which the type cannot know
      report.notSupported(at.field("allocationMode"), mode ?? "", ["All", "ExactCount"]);
  }
};

const oneClass: Rule<OneClass> = all(
  fields<OneClass>({ deviceClassName: className, selectors }),
  allocationMode,
  fields<OneClass>({ tolerations: each(deviceToleration) }),
);

const alternatives: Rule<readonly resourceV1.DeviceSubRequest[]> = cappedSet(
  ALTERNATIVES_MAX,
  all<resourceV1.DeviceSubRequest>(fields<resourceV1.DeviceSubRequest>({ name: deviceName }), oneClass),
  ({ name }) => name,
);

const request: Rule<resourceV1.DeviceRequest> = (asked, at, report) => {
  fields<resourceV1.DeviceRequest>({ name: deviceName })(asked, at, report);
  const { exactly, firstAvailable = [] } = asked;
  if (exactly && firstAvailable.length > 0) {
    report.invalid(at, null, `${ONE_WAY}, but multiple fields are set`);
  } else if (exactly) oneClass(exactly, at.field("exactly"), report);
  else if (firstAvailable.length > 0) alternatives(firstAvailable, at.field("firstAvailable"), report);
  else report.required(at, ONE_WAY);
};

const constraint =
  (names: RequestNames): Rule<resourceV1.DeviceConstraint> =>
  (given, at, report) => {
    fields<resourceV1.DeviceConstraint>({ requests: requestList(names) })(given, at, report);
    const { matchAttribute, distinctAttribute } = given;
    if (matchAttribute !== undefined) fullAttributeName(matchAttribute, at.field("matchAttribute"), report);
    else if (distinctAttribute !== undefined) {
      fullAttributeName(distinctAttribute, at.field("distinctAttribute"), report);
    } else if (report.features.isOn("DRAConsumableCapacity")) report.required(at, ONE_ATTRIBUTE);
    else report.required(at.field("matchAttribute"));
  };

/** Requires distinct names of requests of the claim. */
export const requestList = (names: RequestNames): Rule<readonly string[]> =>
  cappedSet(REQUESTS_MAX, knownRequest(names), (name) => name);

const claimConfiguration = (names: RequestNames): Rule<resourceV1.DeviceClaimConfiguration> =>
  all<resourceV1.DeviceClaimConfiguration>(
    fields<resourceV1.DeviceClaimConfiguration>({ requests: requestList(names) }),
    deviceConfiguration,
  );

const requests: Rule<readonly resourceV1.DeviceRequest[]> = cappedSet(REQUESTS_MAX, request, ({ name }) => name);

const deviceClaim: Rule<resourceV1.DeviceClaim> = (claim, at, report) => {
  const names = new RequestNames(claim);
  fields<resourceV1.DeviceClaim>({
    requests,
    constraints: cappedList(CONSTRAINTS_MAX, constraint(names)),
    config: cappedList(CONFIGURATIONS_MAX, claimConfiguration(names)),
  })(claim, at, report);
};

export const claimSpec: Rule<resourceV1.ResourceClaimSpec> = fields<resourceV1.ResourceClaimSpec>({
  devices: deviceClaim,
});

export const validateNewClaim = validator(fields<resourceV1.ResourceClaim>({ spec: claimSpec }));

/** The spec is immutable, so that its other rules need not hold anew. */
export const validateClaimUpdate = updateValidator<resourceV1.ResourceClaim>(
  changes<resourceV1.ResourceClaim>({ spec: immutable }),
);
