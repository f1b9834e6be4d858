// Identities of devices in the status of claims. Source: staging/src/k8s.io/dynamic-resource-allocation/structured.
import { isObject, type JsonValue } from "@orch/schema";

/** Returns driver, pool and device, with the share where several claims share the device; no two are equal. */
export function deviceIdentity(device: JsonValue): string {
  if (!isObject(device)) return "";
  const { driver = "", pool = "", device: name = "", shareID } = device;
  return [driver, pool, name, ...(typeof shareID === "string" ? [shareID] : [])].join("/");
}

/** Returns the identities of the devices that the status of a claim has been allocated. */
export function allocatedDevices(status: JsonValue | undefined): ReadonlySet<string> {
  const allocation = isObject(status) ? status["allocation"] : undefined;
  const devices = isObject(allocation) ? allocation["devices"] : undefined;
  const results = isObject(devices) ? devices["results"] : undefined;
  return new Set(Array.isArray(results) ? results.map(deviceIdentity) : []);
}
