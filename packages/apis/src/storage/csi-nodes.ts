import type { BuiltInResource } from "../built-in-resource";
import { validateCsiNode, validateCsiNodeUpdate } from "./csi-node-validation";

export const csiNodes = {
  group: "storage",
  kind: "CSINode",
  plural: "csinodes",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.17" },
    { version: "v1beta1", introduced: "1.14", deprecated: "1.17", removed: "1.22", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    validate: validateCsiNode,
    validateUpdate: validateCsiNodeUpdate,
  },
  deleteReturnsObject: true,
} as const satisfies BuiltInResource;
