// Defaults of device requests. Source: pkg/apis/resource/v1/defaults.go, pkg/apis/resource/v1beta1/defaults.go.
import type { DefaultRules } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Asks for one device unless the request says otherwise. */
function askForOne(request: JsonObject): void {
  request["allocationMode"] ||= "ExactCount";
  if (request["allocationMode"] === "ExactCount") request["count"] ||= 1;
}

/** Requests of v1beta1 without a class consist of alternatives. */
function askForOneOfClass(request: JsonObject): void {
  if (request["deviceClassName"]) askForOne(request);
}

const DEVICES: DefaultRules = { then: askForOne };

/** Takes one unit of the capacity, or of the device, unless the mapping says otherwise. */
const MAPPINGS: DefaultRules = {
  then: ({ nodeAllocatableResourceMappings: mappings }) => {
    if (!isObject(mappings)) return;
    for (const mapping of Object.values(mappings)) if (isObject(mapping)) mapping["allocationMultiplier"] ??= "1";
  },
};

export const DEVICE_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "resource/v1.ExactDeviceRequest": DEVICES,
  "resource/v1.DeviceSubRequest": DEVICES,
  "resource/v1.Device": MAPPINGS,
  "resource/v1beta2.ExactDeviceRequest": DEVICES,
  "resource/v1beta2.DeviceSubRequest": DEVICES,
  "resource/v1beta2.Device": MAPPINGS,
  "resource/v1beta1.DeviceRequest": { then: askForOneOfClass },
  "resource/v1beta1.DeviceSubRequest": DEVICES,
  "resource/v1beta1.BasicDevice": MAPPINGS,
};
