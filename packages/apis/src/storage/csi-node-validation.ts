// Validation of CSI nodes. Source: pkg/apis/storage/validation/validation.go.

import { csiDriverName } from "@orch/apis-core";
import {
  all,
  each,
  exactly,
  fields,
  isExact,
  maxCharacters,
  nonNegative,
  onlyExactly,
  qualifiedName,
  type Rule,
  required,
  unchanged,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { storageV1 } from "@orch/schema";

const NODE_ID_MAX_CHARACTERS = 128;
/** Maximum since 1.27. */
const LONG_NODE_ID_MAX_CHARACTERS = 256;

const nodeId = maxCharacters(NODE_ID_MAX_CHARACTERS);
const longNodeId = maxCharacters(LONG_NODE_ID_MAX_CHARACTERS);

const driver = fields<storageV1.CSINodeDriver>({
  name: required(csiDriverName),
  nodeID: required((id, at, report) => (report.features.since("1.27") ? longNodeId : nodeId)(id, at, report)),
  allocatable: fields<storageV1.VolumeNodeResources>({ count: nonNegative }),
  topologyKeys: exactly(
    () => undefined,
    all(
      each(required(qualifiedName)),
      unique((key) => key),
    ),
  ),
});

/** Checks topology keys. Exact errors are those of the driver. */
const topologyOfDriver: Rule<storageV1.CSINodeDriver> = onlyExactly(({ topologyKeys }, at, report) => {
  const seen = new Set<string>();
  for (const key of topologyKeys ?? []) {
    if (key === "") report.required(at);
    if (seen.has(key)) report.duplicate(at, key);
    seen.add(key);
    qualifiedName(key, at, report);
  }
});

export const validateCsiNode = validator(
  fields<storageV1.CSINode>({
    spec: fields<storageV1.CSINodeSpec>({
      drivers: all(
        each(all(driver, topologyOfDriver)),
        unique(({ name }) => name, { field: "name" }),
      ),
    }),
  }),
);

/**
 * Allows adding and removing drivers; existing ones are immutable, but for the number of volumes if nodes update it.
 * Source: KEP-4876, "Mutable CSINode Allocatable Property".
 */
export const validateCsiNodeUpdate = updateValidator<storageV1.CSINode>((next, old, at, report) => {
  const before = new Map((old.spec.drivers ?? []).map((each) => [each.name, each]));
  for (const each of next.spec.drivers ?? []) {
    const known = before.get(each.name);
    if (known === undefined) continue;
    const compared = report.features.isOn("MutableCSINodeAllocatableCount")
      ? [withoutCount(each), withoutCount(known)]
      : [each, known];
    if (!unchanged(compared[0], compared[1]))
      report.immutable(isExact(report) ? at.field("spec").field("drivers") : at.field("CSINodeDriver"), each);
  }
});

function withoutCount({
  allocatable: _,
  ...driver
}: storageV1.CSINodeDriver): Omit<storageV1.CSINodeDriver, "allocatable"> {
  return driver;
}
