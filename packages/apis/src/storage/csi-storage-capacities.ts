import {
  type BuiltInResource,
  changes,
  exactly,
  fields,
  immutable,
  labelSelector,
  nonNegativeQuantity,
  subdomain,
  textOf,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { storageV1 } from "@orch/schema";
import { storageCapacityWarnings } from "./storage-warnings";

/** Validation of CSI storage capacities. Source: KEP-1472, "Storage Capacity Constraints for Pod Scheduling". */
const validateCsiStorageCapacity = validator(
  fields<storageV1.CSIStorageCapacity>({
    nodeTopology: labelSelector,
    storageClassName: textOf(subdomain),
    capacity: nonNegativeQuantity,
    maximumVolumeSize: exactly(() => undefined, nonNegativeQuantity),
  }),
);

const validateCsiStorageCapacityUpdate = updateValidator<storageV1.CSIStorageCapacity>(
  changes<storageV1.CSIStorageCapacity>({ nodeTopology: immutable, storageClassName: immutable }),
);

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
    strictFormats: { nodeTopology: "selector" },
    warnings: storageCapacityWarnings,
    validateUpdate: validateCsiStorageCapacityUpdate,
  },
} as const satisfies BuiltInResource;
