import type { coreV1 } from "@orch/schema";
import type { BuiltInResource } from "../model/built-in-resource";
import { ageColumn, column, nameColumn } from "../model/columns/column";
import { configMapErrors, configMapUpdateErrors } from "./config-map-validation";

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
