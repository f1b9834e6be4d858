// Source: facts, validation/storage.md "CSIStorageCapacity".
import type { storageV1 } from "@orch/schema";
import { labelSelector, subdomain } from "../validation/format-rules";
import { nonNegativeQuantity } from "../validation/quantity-rules";
import { fields, required, validator } from "../validation/rule";
import { changes, immutable, updateValidator } from "../validation/update-rule";

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
