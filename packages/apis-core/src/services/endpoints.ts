import type { BuiltInResource } from "@orch/apis-model";
import { endpointsColumns } from "./endpoints-columns";
import { endpointsErrors } from "./endpoints-validation";
import { endpointsWarnings } from "./service-warnings";

export const endpoints = {
  group: "core",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  versions: [{ version: "v1", deprecated: "1.33", replacement: "discovery/v1 EndpointSlice" }],
  rules: {
    nameFormat: "subdomain",
    createOnUpdate: true,
    validate: endpointsErrors,
    strictFormats: { "subsets[].addresses[].ip": "address", "subsets[].notReadyAddresses[].ip": "address" },
    warnings: endpointsWarnings,
  },
  columns: endpointsColumns,
} as const satisfies BuiltInResource;
