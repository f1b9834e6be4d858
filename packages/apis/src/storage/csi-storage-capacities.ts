import type { BuiltInResource } from "../model/built-in-resource";
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from "./csi-storage-capacity-validation";

export const csiStorageCapacities = {
  group: "storage",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.24" },
    { version: "v1beta1", introduced: "1.21", deprecated: "1.24", removed: "1.27", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    validate: validateCsiStorageCapacity,
    validateUpdate: validateCsiStorageCapacityUpdate,
  },
} as const satisfies BuiltInResource;
