// Rules of the configuration of devices. Source: pkg/apis/resource/validation/validation.go.
import { fields, type Place, type Report, type Rule } from "@orch/apis-model";
import { isObject, type JsonValue, type resourceV1, writeJson } from "@orch/schema";

const PARAMETERS_MAX_BYTES = 10 * 1024;

/** Requires a JSON object of limited size. */
export function jsonObject(value: JsonValue | undefined, at: Place, report: Report): void {
  if (value === undefined || value === null) report.required(at);
  else if (!isObject(value)) report.invalid(at, "<value omitted>", "must be a valid JSON object");
  else if (Buffer.byteLength(writeJson(value)) > PARAMETERS_MAX_BYTES) report.tooLong(at, PARAMETERS_MAX_BYTES);
}

const opaque: Rule<resourceV1.OpaqueDeviceConfiguration> = ({ parameters }, at, report) =>
  jsonObject(parameters, at.field("parameters"), report);

/** Checks the parameters. proto/ declares that there is a configuration, and the name of its driver. */
export const deviceConfiguration: Rule<resourceV1.DeviceConfiguration> = fields<resourceV1.DeviceConfiguration>({
  opaque,
});
