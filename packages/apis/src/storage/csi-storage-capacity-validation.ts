// Validation of CSI storage capacities. Source: KEP-1472, "Storage Capacity Constraints for Pod Scheduling".
import type { storageV1 } from "@orch/schema";
import { labelSelector, subdomain } from "../formats/format-rules";
import { nonNegativeQuantity } from "../formats/quantity-rules";
import { fields, required, validator } from "../model/rules/rule";
import { changes, immutable, updateValidator } from "../model/rules/update-rule";

export const validateCsiStorageCapacity = validator(
  fields<storageV1.CSIStorageCapacity>({
    nodeTopology: labelSelector,
    storageClassName: required(subdomain),
    capacity: nonNegativeQuantity,
    maximumVolumeSize: nonNegativeQuantity,
  }),
);

export const validateCsiStorageCapacityUpdate = updateValidator<storageV1.CSIStorageCapacity>(
  changes<storageV1.CSIStorageCapacity>({ nodeTopology: immutable, storageClassName: immutable }),
);
