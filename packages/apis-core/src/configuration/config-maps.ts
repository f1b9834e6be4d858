import {
  ageColumn,
  all,
  type BuiltInResource,
  column,
  fields,
  nameColumn,
  type Rule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { base64Bytes, DATA_MAX_BYTES, dataKeys, sealed } from "./data-map-validation";

const bothMaps: Rule<coreV1.ConfigMap> = ({ data = {}, binaryData = {} }, at, report) => {
  let bytes = 0;
  for (const key of Object.keys(data)) bytes += Buffer.byteLength(data[key] as string);
  for (const key of Object.keys(binaryData)) {
    bytes += base64Bytes(binaryData[key] as string);
    if (Object.hasOwn(data, key)) report.invalid(at.field("data").key(key), key, "the key is in binaryData too");
  }
  if (bytes > DATA_MAX_BYTES) report.tooLong(at, DATA_MAX_BYTES);
};

/** Validation of config maps. Source: pkg/apis/core/validation/validation.go. */
const configMapErrors = validator(all(fields<coreV1.ConfigMap>({ data: dataKeys, binaryData: dataKeys }), bothMaps));

const configMapUpdateErrors = updateValidator(sealed<coreV1.ConfigMap>("data", "binaryData"));

export const configMaps = {
  group: "core",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  scope: "Namespaced",
  versions: [{ version: "v1", introduced: "1.2" }],
  columns: [
    nameColumn,
    column<coreV1.ConfigMap>("Data", "How many entries there are.", ({ data, binaryData }) => {
      return Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length;
    }),
    ageColumn,
  ],
  rules: { nameFormat: "subdomain", validate: configMapErrors, validateUpdate: configMapUpdateErrors },
} as const satisfies BuiltInResource;
