import type { BuiltInResource } from "../built-in-resource";
import { endpointsColumns } from "./endpoints-columns";

export const endpoints = {
  group: "core",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", createOnUpdate: true },
  columns: endpointsColumns,
} as const satisfies BuiltInResource;
