// Validation of CSI nodes. Source: pkg/apis/storage/validation/validation.go.

import { csiDriverName } from "@orch/apis-core";
import {
  all,
  each,
  fields,
  maxCharacters,
  nonNegative,
  qualifiedName,
  required,
  unchanged,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { storageV1 } from "@orch/schema";

const NODE_ID_MAX_CHARACTERS = 128;

const driver = fields<storageV1.CSINodeDriver>({
  name: required(csiDriverName),
  nodeID: required(maxCharacters(NODE_ID_MAX_CHARACTERS)),
  allocatable: fields<storageV1.VolumeNodeResources>({ count: nonNegative }),
  topologyKeys: all(
    each(required(qualifiedName)),
    unique((key) => key),
  ),
});

export const validateCsiNode = validator(
  fields<storageV1.CSINode>({
    spec: fields<storageV1.CSINodeSpec>({
      drivers: all(
        each(driver),
        unique(({ name }) => name, { field: "name" }),
      ),
    }),
  }),
);

/** Allows adding and removing drivers; existing ones are immutable. */
export const validateCsiNodeUpdate = updateValidator<storageV1.CSINode>((next, old, at, report) => {
  const before = new Map((old.spec.drivers ?? []).map((each) => [each.name, each]));
  for (const each of next.spec.drivers ?? []) {
    const known = before.get(each.name);
    if (known !== undefined && !unchanged(each, known)) report.immutable(at.field("CSINodeDriver"), each);
  }
});
