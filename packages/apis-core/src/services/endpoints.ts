import type { BuiltInResource } from "@orch/apis-model";
import { endpointsColumns } from "./endpoints-columns";
import { endpointsErrors } from "./endpoints-validation";

export const endpoints = {
  group: "core",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  versions: [{ version: "v1", deprecated: "1.33", replacement: "discovery/v1 EndpointSlice" }],
  rules: { nameFormat: "subdomain", createOnUpdate: true, validate: endpointsErrors },
  columns: endpointsColumns,
} as const satisfies BuiltInResource;
