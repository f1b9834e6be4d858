// Rules of the configuration of devices. Source: pkg/apis/resource/validation/validation.go.
import { fields, type Place, type Report, type Rule, required } from "@orch/apis-model";
import { isObject, type JsonValue, type resourceV1, writeJson } from "@orch/schema";
import { driverName } from "./device-names";

const PARAMETERS_MAX_BYTES = 10 * 1024;

/** Requires a JSON object of limited size. */
export function jsonObject(value: JsonValue | undefined, at: Place, report: Report): void {
  if (value === undefined || value === null) report.required(at);
  else if (!isObject(value)) report.invalid(at, "<value omitted>", "must be a valid JSON object");
  else if (Buffer.byteLength(writeJson(value)) > PARAMETERS_MAX_BYTES) report.tooLong(at, PARAMETERS_MAX_BYTES);
}

const opaque: Rule<resourceV1.OpaqueDeviceConfiguration> = (configuration, at, report) => {
  fields<resourceV1.OpaqueDeviceConfiguration>({ driver: driverName })(configuration, at, report);
  jsonObject(configuration.parameters, at.field("parameters"), report);
};

/** Requires the only kind of configuration that there is. */
export const deviceConfiguration: Rule<resourceV1.DeviceConfiguration> = fields<resourceV1.DeviceConfiguration>({
  opaque: required(opaque),
});
