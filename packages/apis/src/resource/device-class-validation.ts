// Validation of device classes. Source: pkg/apis/resource/validation/validation.go.
import { fields, isExtendedResource, type Rule, validator } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { cappedList } from "./capped-lists";
import { CONFIGURATIONS_MAX, selectors } from "./claim-validation";
import { deviceConfiguration } from "./device-configuration";

const extendedResource: Rule<string> = (name, at, report) => {
  if (!isExtendedResource(name, report.vocabulary)) report.invalid(at, name, "must be a valid extended resource name");
};

export const validateDeviceClass = validator(
  fields<resourceV1.DeviceClass>({
    spec: fields<resourceV1.DeviceClassSpec>({
      selectors,
      config: cappedList<resourceV1.DeviceClassConfiguration>(CONFIGURATIONS_MAX, deviceConfiguration),
      extendedResourceName: extendedResource,
    }),
  }),
);
