// Conversion of slices between v1beta1, whose devices have their properties in `basic`, and v1. Source:
// pkg/apis/resource/v1beta1/conversion.go.
import { type Conversion, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

export const sliceConversion: Conversion = {
  toHub: (slice) => {
    const { spec } = slice;
    if (!isObject(spec)) return slice;
    // v1beta1 does not tell an empty value from an absent one.
    if (spec["nodeName"] === "") delete spec["nodeName"];
    if (spec["allNodes"] === false) delete spec["allNodes"];
    for (const device of objectsAt(spec, "devices")) {
      const { basic } = device;
      delete device["basic"];
      if (isObject(basic)) Object.assign(device, basic);
    }
    return slice;
  },
  fromHub: (slice) => {
    const { spec } = slice;
    if (isObject(spec) && Array.isArray(spec["devices"])) spec["devices"] = spec["devices"].map(toBasic);
    return slice;
  },
};

function toBasic(device: unknown): JsonObject {
  const { name = "", ...basic } = isObject(device) ? device : {};
  return { name, basic };
}
