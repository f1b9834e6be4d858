import { type BuiltInResource, fieldAt, objectAt, type RuleContext } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import {
  persistentVolumeClaimErrors,
  persistentVolumeClaimStatusErrors,
  persistentVolumeClaimUpdateErrors,
} from "./persistent-volume-claim-validation";
import { persistentVolumeClaimColumns } from "./volume-columns";
import { persistentVolumeClaimWarnings } from "./volume-object-warnings";

export const persistentVolumeClaims = {
  group: "core",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "subdomain",
    declared: true,
    gated: { VolumeAttributesClass: ["spec.volumeAttributesClassName"] },
    initialStatus: { phase: "Pending" },
    keepOnUpdate: ["status"],
    create: (claim, context) => {
      dropForeignSource(claim, {}, context);
      keepKnownSource(claim, context);
      matchSources(claim, context);
    },
    update: (claim, old, context) => {
      dropForeignSource(claim, old, context);
      if (context.features.since(DROPS_SINCE) && !hasSource(old)) {
        keepKnownSource(claim, context);
        matchSources(claim, context);
      }
      // A claim of an older release has one of the fields, and keeps it alone.
      if (fieldAt(old, ["spec", "dataSourceRef"]) !== undefined) matchSources(claim, context);
    },
    warnings: persistentVolumeClaimWarnings,
    validate: persistentVolumeClaimErrors,
    strictFormats: {
      "spec.selector": "selector",
      "spec.dataSource.apiGroup": "apiGroup",
      "spec.dataSourceRef.apiGroup": "apiGroup",
    },
    validateUpdate: persistentVolumeClaimUpdateErrors,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      gated: {
        CSIVolumeHealth: ["status.healthStatus"],
        VolumeAttributesClass: ["status.currentVolumeAttributesClassName", "status.modifyVolumeStatus"],
      },
      validateUpdate: persistentVolumeClaimStatusErrors,
    },
  },
  deleteReturnsObject: true,
  columns: persistentVolumeClaimColumns,
} as const satisfies BuiltInResource;

/** Release since which Orch drops unknown data sources while AnyVolumeDataSource is enabled. */
const DROPS_SINCE = "1.36";

const hasSource = (claim: JsonObject): boolean =>
  fieldAt(claim, ["spec", "dataSource"]) !== undefined || fieldAt(claim, ["spec", "dataSourceRef"]) !== undefined;

/**
 * Drops a reference to another namespace while its gate is disabled, unless the stored claim has a reference. Source:
 * pkg/api/persistentvolumeclaim/util.go.
 */
function dropForeignSource(claim: JsonObject, old: JsonObject, { features }: RuleContext): void {
  const spec = objectAt(claim, "spec");
  const { dataSourceRef } = spec;
  if (!isObject(dataSourceRef) || !dataSourceRef["namespace"]) return;
  if (!features.isOff("CrossNamespaceVolumeDataSource") || fieldAt(old, ["spec", "dataSourceRef"])) return;
  delete spec["dataSourceRef"];
}

/**
 * Drops a data source that is neither a snapshot nor a claim. AnyVolumeDataSource keeps it, since 1.36 only beside
 * `dataSourceRef`. Kubernetes does not reject it.
 */
function keepKnownSource(claim: JsonObject, { vocabulary, features }: RuleContext): void {
  const spec = objectAt(claim, "spec");
  const { dataSource, dataSourceRef } = spec;
  const keepsAny = dataSourceRef !== undefined || !features.since(DROPS_SINCE);
  if (!isObject(dataSource) || (keepsAny && features.isOn("AnyVolumeDataSource"))) return;
  const { apiGroup = "", kind } = dataSource;
  const isClaim = !apiGroup && kind === "PersistentVolumeClaim";
  const isSnapshot = apiGroup === vocabulary.groups.snapshotStorage && kind === "VolumeSnapshot";
  if (!isClaim && !isSnapshot) delete spec["dataSource"];
}

/**
 * Keeps `dataSource` and `dataSourceRef` equal while only one of them is set. A reference to another namespace has no
 * equivalent. Source: KEP-1495, "Volume Populators".
 */
function matchSources(claim: JsonObject, { features }: RuleContext): void {
  if (!features.since("1.27")) return;
  const spec = objectAt(claim, "spec");
  const { dataSource, dataSourceRef } = spec;
  if (isObject(dataSourceRef) && dataSourceRef["namespace"]) return;
  if (isObject(dataSource) && dataSourceRef === undefined) spec["dataSourceRef"] = { ...dataSource };
  else if (isObject(dataSourceRef) && dataSource === undefined) spec["dataSource"] = { ...dataSourceRef };
}
