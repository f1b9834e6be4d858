// Validation of persistent volumes. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  exactlyOne,
  fields,
  immutable,
  immutableOnceSet,
  isNegative,
  isPositive,
  NOT_NEGATIVE,
  oneOf,
  type ResourceList,
  type Rule,
  required,
  subdomain,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { accessModes, volumeMode } from "./claim-spec-validation";
import { DISK_SOURCES } from "./disk-sources-validation";
import { CLUSTER_NETWORK_SOURCES, interfaceNameFits } from "./network-sources-validation";
import { nodeSelector } from "./node-selector-validation";
import { volumeAttributesClass, volumeAttributesClassUpdate } from "./volume-attributes-validation";
import { hostPath } from "./volumes-validation";

const capacity: Rule<ResourceList> = (list, at, report) => {
  const names = Object.keys(list);
  if (names.length === 0) return report.required(at);
  if (names.length > 1 || names[0] !== "storage") report.notSupported(at, list, ["storage"]);
  for (const name of names) {
    const amount = list[name] as string;
    if (isNegative(amount)) report.invalid(at.key(name), amount, NOT_NEGATIVE);
    if (!isPositive(amount)) report.invalid(at.key(name), amount, "must be greater than zero");
  }
};

const SOURCE_RULES = { hostPath, ...DISK_SOURCES, ...CLUSTER_NETWORK_SOURCES } as const;

const SOURCES = Object.keys(SOURCE_RULES) as (keyof typeof SOURCE_RULES)[];

const rootIsNotRecycled: Rule<coreV1.PersistentVolumeSpec> = (spec, at, report) => {
  if (spec.persistentVolumeReclaimPolicy !== "Recycle" || !isRoot(spec.hostPath?.path ?? "")) return;
  report.forbidden(at.field("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'");
};

/** Returns whether a path means `/`: slashes with at most one dot. */
const isRoot = (path: string): boolean =>
  path.startsWith("/") && ROOT_CHARACTERS.test(path) && !path.includes(".", path.indexOf(".") + 1);

const ROOT_CHARACTERS = /^[/.]*$/;

const localNeedsNode: Rule<coreV1.PersistentVolumeSpec> = ({ local, nodeAffinity }, at, report) => {
  if (local !== undefined && nodeAffinity === undefined) {
    report.required(at.field("nodeAffinity"), "Local volume requires node affinity");
  }
};

/** Rules of the spec, also for inline volumes of volume attachments. */
export const persistentVolumeSpec = all(
  fields<coreV1.PersistentVolumeSpec>({
    accessModes,
    capacity: required(capacity),
    persistentVolumeReclaimPolicy: oneOf("Delete", "Recycle", "Retain"),
    nodeAffinity: fields<coreV1.VolumeNodeAffinity>({
      required: required(nodeSelector, "must specify required node constraints"),
    }),
  }),
  exactlyOne<coreV1.PersistentVolumeSpec>(SOURCES, {
    none: "must specify a volume type",
    several: "may not specify more than 1 volume type",
  }),
  fields<coreV1.PersistentVolumeSpec>(SOURCE_RULES),
  rootIsNotRecycled,
  localNeedsNode,
  fields<coreV1.PersistentVolumeSpec>({ storageClassName: subdomain, volumeMode }),
  volumeAttributesClass,
);

const MOUNTED_SOURCES = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "gcePersistentDisk",
  "glusterfs",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "quobyte",
  "rbd",
  "vsphereVolume",
] as const;

/** Rejects mount options in the annotation for other sources. Source: pkg/volume/validation/pv_validation.go. */
const mountOptions: Rule<coreV1.PersistentVolume> = ({ metadata, spec = {} }, at, report) => {
  const name = report.vocabulary.annotations.volumeBetaMountOptions;
  if (metadata?.annotations?.[name] === undefined || !report.features.since("1.36")) return;
  if (MOUNTED_SOURCES.some((source) => spec[source] !== undefined)) return;
  const place = at.field("metadata").field("annotations").field(name);
  report.forbidden(place, "may not specify mount options for this volume type");
};

export const persistentVolumeErrors = validator<coreV1.PersistentVolume>((volume, at, report) => {
  const place = at.field("spec");
  const given = volume.spec ?? {};
  persistentVolumeSpec(given, place, report);
  interfaceNameFits(volume.metadata?.name ?? "", given.iscsi, place, report);
  mountOptions(volume, at, report);
});

export const persistentVolumeUpdateErrors = updateValidator<coreV1.PersistentVolume>((next, old, at, report) => {
  const place = at.field("spec");
  const after = next.spec ?? {};
  const before = old.spec ?? {};
  if (!unchanged(sourceOf(after, before), sourceOf(before, before))) {
    report.forbidden(place.field("persistentvolumesource"), "spec.persistentvolumesource is immutable after creation");
  }
  immutable(after.volumeMode, before.volumeMode, place.field("volumeMode"), report);
  immutableOnceSet(after.nodeAffinity, before.nodeAffinity, place.field("nodeAffinity"), report);
  volumeAttributesClassUpdate(after, before, place, report);
});

/** Returns the volume source without a secret that was not set before: it may be added. */
function sourceOf(spec: coreV1.PersistentVolumeSpec, old: coreV1.PersistentVolumeSpec): object {
  const source = Object.fromEntries(SOURCES.map((name) => [name, spec[name]]));
  if (spec.csi === undefined || old.csi?.controllerExpandSecretRef !== undefined) return source;
  const { controllerExpandSecretRef, ...csi } = spec.csi;
  return { ...source, csi };
}
