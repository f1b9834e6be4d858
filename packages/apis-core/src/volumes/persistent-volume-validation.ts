// Validation of persistent volumes. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  exactly,
  exactlyOne,
  fields,
  immutable,
  immutableOnceSet,
  isExact,
  isNegative,
  isPositive,
  NOT_NEGATIVE,
  oneOf,
  type Place,
  type Report,
  type ResourceList,
  type Rule,
  required,
  subdomain,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { coreV1, Vocabulary } from "@orch/schema";
import { accessModes, volumeMode } from "./claim-spec-validation";
import { DISK_SOURCES } from "./disk-sources-validation";
import { CLUSTER_NETWORK_SOURCES, interfaceNameFits } from "./network-sources-validation";
import { nodeSelector } from "./node-selector-validation";
import { volumeAttributesClass, volumeAttributesClassUpdate } from "./volume-attributes-validation";
import { hostPath } from "./volumes-validation";

const capacity: Rule<ResourceList> = (list, at, report) => {
  const names = Object.keys(list);
  if (names.length === 0 && !isExact(report)) return report.required(at);
  if (names.length > 1 || names[0] !== "storage") report.notSupported(at, list, ["storage"]);
  for (const name of names) {
    const amount = list[name] as string;
    if (isNegative(amount)) report.invalid(at.key(name), amount, NOT_NEGATIVE);
    if (!isPositive(amount)) report.invalid(at.key(name), amount, "must be greater than zero");
  }
};

/** Requires a capacity. An absent one is also one without storage. */
const requiredCapacity: Rule<ResourceList> = Object.assign(
  (list: ResourceList, at: Place, report: Report) => {
    if (Object.keys(list).length === 0) report.required(at);
    capacity(list, at, report);
  },
  { whenAbsent: (at: Place, report: Report) => requiredCapacity({}, at, report) },
);

const SOURCE_RULES = { hostPath, ...DISK_SOURCES, ...CLUSTER_NETWORK_SOURCES } as const;

type Source = keyof typeof SOURCE_RULES;

const SOURCES = Object.keys(SOURCE_RULES) as Source[];

/** Checks the first source that is set, in this order, and forbids the others. A Flexvolume stands beside another one. */
const SOURCE_ORDER: readonly Source[] = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];

/** Paths that differ from the name of the source: of its fields, and of a source that is one too many. */
const SOURCE_PATHS: { readonly [S in Source]?: { readonly fields?: string; readonly several?: string } } = {
  gcePersistentDisk: { fields: "persistentDisk" },
  cephfs: { several: "cephFS" },
};

const firstSource: Rule<coreV1.PersistentVolumeSpec> = (spec, at, report) => {
  let found = false;
  for (const name of SOURCE_ORDER) {
    const source = spec[name];
    if (source === undefined) continue;
    const path = SOURCE_PATHS[name];
    if (found && name !== "flexVolume") report.forbidden(at.field(path?.several ?? name), TOO_MANY);
    else (SOURCE_RULES[name] as Rule<unknown>)(source, at.field(path?.fields ?? name), report);
    found = true;
  }
  if (!found) report.required(at, NO_SOURCE);
};

const NO_SOURCE = "must specify a volume type";
const TOO_MANY = "may not specify more than 1 volume type";

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

/** Rules of the spec. */
const persistentVolumeSpec = all(
  fields<coreV1.PersistentVolumeSpec>({
    accessModes,
    capacity: exactly(requiredCapacity, required(capacity)),
    persistentVolumeReclaimPolicy: oneOf("Delete", "Recycle", "Retain"),
    nodeAffinity: fields<coreV1.VolumeNodeAffinity>({
      required: required(nodeSelector, "must specify required node constraints"),
    }),
  }),
  exactly(
    firstSource,
    all(
      exactlyOne<coreV1.PersistentVolumeSpec>(SOURCES, { none: NO_SOURCE, several: TOO_MANY }),
      fields<coreV1.PersistentVolumeSpec>(SOURCE_RULES),
    ),
  ),
  rootIsNotRecycled,
  localNeedsNode,
  fields<coreV1.PersistentVolumeSpec>({ storageClassName: subdomain, volumeMode }),
  volumeAttributesClass,
);

/** Fields that inline volumes may not have. */
const NOT_INLINE = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const;

const inlineParts = all(fields<coreV1.PersistentVolumeSpec>({ accessModes }), firstSource, volumeAttributesClass);

/** Rules of the inline volumes of attachments: those of a spec, and exact errors about fields that they may not have. */
export const inlineVolumeSpec: Rule<coreV1.PersistentVolumeSpec> = exactly((spec, at, report) => {
  const context = "in the context of inline volumes";
  for (const name of NOT_INLINE) {
    if (isEmpty(spec[name])) continue;
    report.forbidden(at.field(name), `may not be specified ${context}`);
  }
  if (spec.csi === undefined) report.required(at.field("csi"), `has to be specified ${context}`);
  const { persistentVolumeReclaimPolicy: policy, volumeMode: mode } = spec;
  if (policy && policy !== "Retain") {
    report.forbidden(at.field("persistentVolumeReclaimPolicy"), `may only be Retain ${context}`);
  }
  if (mode !== undefined && mode !== "Filesystem") {
    report.forbidden(at.field("volumeMode"), `may not specify volumeMode other than Filesystem ${context}`);
  }
  inlineParts(spec, at, report);
}, persistentVolumeSpec);

const isEmpty = (value: object | string | undefined): boolean =>
  value === undefined || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

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
  const above = isExact(report) ? at : place;
  immutable(after.volumeMode, before.volumeMode, above.field("volumeMode"), report);
  const affinity = isExact(report) ? sameAffinity : immutableOnceSet;
  affinity(after.nodeAffinity, before.nodeAffinity, above.field("nodeAffinity"), report);
  volumeAttributesClassUpdate(after, before, place, report);
});

/** Allows a change of the affinity that only renames labels. */
function sameAffinity(
  next: coreV1.VolumeNodeAffinity | undefined,
  old: coreV1.VolumeNodeAffinity | undefined,
  at: Place,
  report: Report,
): void {
  if (old === undefined || unchanged(next, renamed(old, next, renamedLabels(report.vocabulary)))) return;
  report.invalid(at, next ?? null, "field is immutable, except for updating from beta label to GA");
}

/** Labels by the ones that they replace. Source: Kubernetes documentation, "Well-Known Labels, Annotations and Taints". */
function renamedLabels({ labels }: Vocabulary): ReadonlyMap<string, string> {
  return new Map([
    [labels.failureDomainBetaZone, labels.topologyZone],
    [labels.failureDomainBetaRegion, labels.topologyRegion],
    [labels.betaOs, labels.os],
    [labels.betaArch, labels.arch],
    [labels.betaInstanceType, labels.nodeInstanceType],
  ]);
}

/** Returns the stored affinity with the labels of the new one where it has replaced them. */
function renamed(
  { required }: coreV1.VolumeNodeAffinity,
  next: coreV1.VolumeNodeAffinity | undefined,
  labels: ReadonlyMap<string, string>,
): coreV1.VolumeNodeAffinity {
  if (required === undefined) return {};
  const terms = (required.nodeSelectorTerms ?? []).map((term, position) => {
    const after = next?.required?.nodeSelectorTerms?.[position]?.matchExpressions ?? [];
    const matchExpressions = term.matchExpressions?.map((each, index) => {
      const { key } = after[index] ?? each;
      return labels.get(each.key) === key ? { ...each, key } : each;
    });
    return matchExpressions === undefined ? term : { ...term, matchExpressions };
  });
  return { required: { ...required, nodeSelectorTerms: terms } };
}

/** Returns the volume source without a secret that was not set before: it may be added. */
function sourceOf(spec: coreV1.PersistentVolumeSpec, old: coreV1.PersistentVolumeSpec): object {
  const source = Object.fromEntries(SOURCES.map((name) => [name, spec[name]]));
  if (spec.csi === undefined || old.csi?.controllerExpandSecretRef !== undefined) return source;
  const { controllerExpandSecretRef, ...csi } = spec.csi;
  return { ...source, csi };
}
