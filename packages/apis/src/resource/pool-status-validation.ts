// Validation of pool status requests. Source: pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go and
// the declared rules in staging/src/k8s.io/api/resource/v1alpha3/types.go.
import {
  absentAs,
  changes,
  conditions,
  fields,
  immutable,
  nonNegative,
  type Rule,
  rangeOf,
  required,
  subdomain,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { resourceV1alpha3 } from "@orch/schema";
import { capped, cappedList } from "./capped-lists";
import { driverName, poolName } from "./device-names";

type Request = resourceV1alpha3.ResourcePoolStatusRequest;
type Status = resourceV1alpha3.ResourcePoolStatusRequestStatus;

const POOLS_MAX = 1000;
const CONDITIONS_MAX = 10;
const ERROR_MAX_BYTES = 256;

/** A name that may be absent, but not empty. */
const ifGiven =
  (rule: Rule<string>): Rule<string> =>
  (name, at, report) =>
    rule(name, at, report);

export const validatePoolStatusRequest = validator(
  fields<Request>({
    spec: required(
      fields<resourceV1alpha3.ResourcePoolStatusRequestSpec>({
        driver: driverName,
        poolName: ifGiven(poolName),
        limit: rangeOf(1, POOLS_MAX),
      }),
    ),
  }),
);

export const validatePoolStatusRequestUpdate = updateValidator<Request>(changes<Request>({ spec: immutable }));

const pool = fields<resourceV1alpha3.PoolStatus>({
  driver: driverName,
  poolName,
  generation: absentAs(0, nonNegative),
  resourceSliceCount: (count, at, report) => {
    if (count < 1) report.invalid(at, count, "must be greater than or equal to 1");
  },
  totalDevices: nonNegative,
  allocatedDevices: nonNegative,
  availableDevices: nonNegative,
  unavailableDevices: nonNegative,
  nodeName: subdomain,
  validationError: (text, at, report) => {
    if (Buffer.byteLength(text) > ERROR_MAX_BYTES) report.tooLong(at, ERROR_MAX_BYTES);
  },
});

const statusRule: Rule<Status> = fields<Status>({
  poolCount: required(nonNegative),
  pools: cappedList(POOLS_MAX, pool),
  conditions: capped(CONDITIONS_MAX, conditions),
});

/** An answer is given once. */
export const validatePoolStatus = updateValidator<Request>(({ status }, { status: old }, at, report) => {
  const place = at.field("status");
  if (old) immutable(status, old, place, report);
  else if (status) statusRule(status, place, report);
});
