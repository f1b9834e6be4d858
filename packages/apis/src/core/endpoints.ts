import type { BuiltInResource } from "../built-in-resource";
import { endpointsErrors } from "../validation/core/endpoints";
import { endpointsColumns } from "./endpoints-columns";

export const endpoints = {
  group: "core",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", createOnUpdate: true, validate: endpointsErrors },
  columns: endpointsColumns,
} as const satisfies BuiltInResource;
