// Conversion of claims between v1beta1, whose requests have the fields of one class themselves, and v1. Source:
// pkg/apis/resource/v1beta1/conversion.go.
import { type Conversion, fieldAt, fieldNames, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

const EXACT_FIELDS = [
  "deviceClassName",
  "selectors",
  "allocationMode",
  "count",
  "adminAccess",
  "tolerations",
  "capacity",
] as const;

function nestExactFields(request: JsonObject): void {
  const exactly: JsonObject = {};
  for (const name of EXACT_FIELDS) {
    const value = request[name];
    delete request[name];
    if (value !== undefined && value !== null && value !== "" && value !== 0) exactly[name] = value;
  }
  if (Object.keys(exactly).length > 0) request["exactly"] = { deviceClassName: "", ...exactly };
}

function spreadExactFields(request: JsonObject): void {
  const { exactly } = request;
  delete request["exactly"];
  request["deviceClassName"] = "";
  if (!isObject(exactly)) return;
  for (const name of EXACT_FIELDS) {
    const value = exactly[name];
    if (value !== undefined) request[name] = value;
  }
}

/** Converts the requests of the device claim that is at `path` of an object. */
function requestConversion(path: string): Conversion {
  const names = fieldNames(path);
  const changing = (change: (request: JsonObject) => void) => (object: JsonObject) => {
    const devices = fieldAt(object, names);
    if (isObject(devices)) objectsAt(devices, "requests").forEach(change);
    return object;
  };
  return { toHub: changing(nestExactFields), fromHub: changing(spreadExactFields) };
}

export const claimConversion: Conversion = requestConversion("spec.devices");

export const claimTemplateConversion: Conversion = requestConversion("spec.spec.devices");
