import type { BuiltInResource } from "../built-in-resource";
import { configMapErrors, configMapUpdateErrors } from "../validation/core/config-map";

export const configMaps = {
  group: "core",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  scope: "Namespaced",
  versions: [{ version: "v1", introduced: "1.2" }],
  rules: { nameFormat: "subdomain", validate: configMapErrors, validateUpdate: configMapUpdateErrors },
} as const satisfies BuiltInResource;
