import { type BuiltInResource, objectAt, type RuleContext } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import {
  persistentVolumeClaimErrors,
  persistentVolumeClaimStatusErrors,
  persistentVolumeClaimUpdateErrors,
} from "./persistent-volume-claim-validation";
import { persistentVolumeClaimColumns } from "./volume-columns";

export const persistentVolumeClaims = {
  group: "core",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "subdomain",
    gated: { VolumeAttributesClass: ["spec.volumeAttributesClassName"] },
    initialStatus: { phase: "Pending" },
    keepOnUpdate: ["status"],
    create: keepKnownSource,
    validate: persistentVolumeClaimErrors,
    validateUpdate: persistentVolumeClaimUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: persistentVolumeClaimStatusErrors } },
  deleteReturnsObject: true,
  columns: persistentVolumeClaimColumns,
} as const satisfies BuiltInResource;

/**
 * Drops a data source that is neither a snapshot nor a claim, unless AnyVolumeDataSource is enabled. Kubernetes does
 * not reject it.
 */
function keepKnownSource(claim: JsonObject, { vocabulary, features }: RuleContext): void {
  if (features.isOn("AnyVolumeDataSource")) return;
  const spec = objectAt(claim, "spec");
  const { dataSource } = spec;
  if (!isObject(dataSource)) return;
  const { apiGroup = "", kind } = dataSource;
  const isClaim = !apiGroup && kind === "PersistentVolumeClaim";
  const isSnapshot = apiGroup === vocabulary.groups.snapshotStorage && kind === "VolumeSnapshot";
  if (!isClaim && !isSnapshot) delete spec["dataSource"];
}
