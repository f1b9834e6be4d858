// VolumeAttributesClass. Source: pkg/apis/storage/validation/validation.go, pkg/printers/internalversion/printers.go.
import {
  ageColumn,
  type BuiltInResource,
  changes,
  column,
  fields,
  nameColumn,
  type Rule,
  required,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { storageV1 } from "@orch/schema";
import { fixed, fixedParameters, parameters, provisioner } from "./storage-class-validation";

type VolumeAttributesClass = storageV1.VolumeAttributesClass;

const NO_PARAMETERS = "must contain at least one key/value pair";

/** A class without parameters would change nothing. */
const someParameters: Rule<Readonly<Record<string, string>>> = (value, at, report) => {
  if (Object.keys(value).length === 0) report.required(at, NO_PARAMETERS);
  else parameters(value, at, report);
};

export const volumeAttributesClasses = {
  group: "storage",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  shortNames: ["vac"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.34" },
    { version: "v1beta1", introduced: "1.31", deprecated: "1.34", removed: "1.37", replacement: "storage/v1" },
    { version: "v1alpha1", introduced: "1.29", deprecated: "1.32", removed: "1.35", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    validate: validator(
      fields<VolumeAttributesClass>({
        driverName: required(provisioner),
        parameters: required(someParameters, NO_PARAMETERS),
      }),
    ),
    validateUpdate: updateValidator<VolumeAttributesClass>(
      changes<VolumeAttributesClass>({ driverName: fixed("driverName"), parameters: fixedParameters }),
    ),
  },
  deleteReturnsObject: true,
  columns: [
    nameColumn,
    column<VolumeAttributesClass>("DriverName", "The driver of the volumes.", ({ driverName }) => driverName ?? ""),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
