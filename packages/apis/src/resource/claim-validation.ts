// Validation of the devices that claims ask for, beside the declared rules of proto/. Selectors are compiled elsewhere. Source:
// pkg/apis/resource/validation/validation.go.
import { all, each, fields, type Rule, validator } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { within } from "./capped-lists";
import { deviceConfiguration } from "./device-configuration";
import { deviceName, fullAttributeName } from "./device-names";
import { deviceToleration } from "./device-taints-validation";
import { knownRequest, RequestNames } from "./request-names";

export const REQUESTS_MAX = 32;
const CONSTRAINTS_MAX = 32;
export const CONFIGURATIONS_MAX = 32;
const ALTERNATIVES_MAX = 8;

const ONE_WAY = "exactly one of `exactly` or `firstAvailable` is required";
const ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';

type OneClass = Pick<resourceV1.ExactDeviceRequest, "allocationMode" | "count" | "tolerations">;

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

const oneClass: Rule<OneClass> = all(allocationMode, fields<OneClass>({ tolerations: each(deviceToleration) }));

const alternatives: Rule<readonly resourceV1.DeviceSubRequest[]> = within(
  ALTERNATIVES_MAX,
  each(all<resourceV1.DeviceSubRequest>(fields<resourceV1.DeviceSubRequest>({ name: deviceName }), oneClass)),
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
    if (matchAttribute !== undefined) return;
    if (distinctAttribute !== undefined) {
      fullAttributeName(distinctAttribute, at.field("distinctAttribute"), report);
    } else if (report.features.isOn("DRAConsumableCapacity")) report.required(at, ONE_ATTRIBUTE);
    else report.required(at.field("matchAttribute"));
  };

/** Requires names of requests of the claim. */
const requestList = (names: RequestNames): Rule<readonly string[]> => within(REQUESTS_MAX, each(knownRequest(names)));

const claimConfiguration = (names: RequestNames): Rule<resourceV1.DeviceClaimConfiguration> =>
  all<resourceV1.DeviceClaimConfiguration>(
    fields<resourceV1.DeviceClaimConfiguration>({ requests: requestList(names) }),
    deviceConfiguration,
  );

const requests: Rule<readonly resourceV1.DeviceRequest[]> = within(REQUESTS_MAX, each(request));

const deviceClaim: Rule<resourceV1.DeviceClaim> = (claim, at, report) => {
  const names = new RequestNames(claim);
  fields<resourceV1.DeviceClaim>({
    requests,
    constraints: within(CONSTRAINTS_MAX, each(constraint(names))),
    config: within(CONFIGURATIONS_MAX, each(claimConfiguration(names))),
  })(claim, at, report);
};

export const claimSpec: Rule<resourceV1.ResourceClaimSpec> = fields<resourceV1.ResourceClaimSpec>({
  devices: deviceClaim,
});

export const validateNewClaim = validator(fields<resourceV1.ResourceClaim>({ spec: claimSpec }));
