// Validation of device classes. Source: pkg/apis/resource/validation/validation.go.
import { DECLARED_FORMATS, fields, validator } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { cappedList } from "./capped-lists";
import { CONFIGURATIONS_MAX, selectors } from "./claim-validation";
import { deviceConfiguration } from "./device-configuration";

export const validateDeviceClass = validator(
  fields<resourceV1.DeviceClass>({
    spec: fields<resourceV1.DeviceClassSpec>({
      selectors,
      config: cappedList<resourceV1.DeviceClassConfiguration>(CONFIGURATIONS_MAX, deviceConfiguration),
      extendedResourceName: DECLARED_FORMATS.extendedResourceName,
    }),
  }),
);
