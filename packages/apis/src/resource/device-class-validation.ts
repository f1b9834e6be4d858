// Validation of device classes, beside the declared rules of proto/. Source: pkg/apis/resource/validation/validation.go.
import { each, fields, validator } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { within } from "./capped-lists";
import { CONFIGURATIONS_MAX } from "./claim-validation";
import { deviceConfiguration } from "./device-configuration";

export const validateDeviceClass = validator(
  fields<resourceV1.DeviceClass>({
    spec: fields<resourceV1.DeviceClassSpec>({
      config: within<resourceV1.DeviceClassConfiguration>(CONFIGURATIONS_MAX, each(deviceConfiguration)),
    }),
  }),
);
