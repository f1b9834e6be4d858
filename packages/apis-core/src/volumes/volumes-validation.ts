// Validation of the volumes of a pod: names, one source each, and sources that need no external storage. Source:
// pkg/apis/core/validation/validation.go.

import {
  all,
  descendingPath,
  each,
  fields,
  isNegative,
  label1123,
  oneOf,
  type Place,
  pathWithoutBacksteps,
  type Report,
  type Rule,
  required,
  subdomain,
  unreservedPath,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { CERTIFICATE_PATHS, podCertificateSource, trustBundleSource } from "./certificate-sources-validation";
import { claimSpec } from "./claim-spec-validation";
import { DISK_SOURCES, sourcePlace } from "./disk-sources-validation";
import { csiDriverName, interfaceNameFits, POD_NETWORK_SOURCES } from "./network-sources-validation";
import { fieldReference, namedResource } from "./pod-field-reference-validation";

const mode: Rule<number> = (value, at, report) => {
  if (value < 0 || value > 0o777)
    report.invalid(at, value, "must be a number between 0 and 0777 (octal), both inclusive");
};

const emptyDir: Rule<coreV1.EmptyDirVolumeSource> = ({ sizeLimit }, at, report) => {
  if (sizeLimit !== undefined && isNegative(sizeLimit)) {
    report.forbidden(at.field("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
};

export const hostPath: Rule<coreV1.HostPathVolumeSource> = fields<coreV1.HostPathVolumeSource>({
  path: required(pathWithoutBacksteps),
  type: oneOf("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"),
});

const keyToPath = fields<coreV1.KeyToPath>({ key: required(), path: required(unreservedPath), mode });

const secret = fields<coreV1.SecretVolumeSource>({ secretName: required(), defaultMode: mode, items: each(keyToPath) });

const configMap = fields<coreV1.ConfigMapVolumeSource>({ name: required(), defaultMode: mode, items: each(keyToPath) });

const fieldRef = fieldReference([
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "metadata.uid",
]);

const oneDownwardReference: Rule<coreV1.DownwardAPIVolumeFile> = ({ fieldRef, resourceFieldRef }, at, report) => {
  if (fieldRef === undefined && resourceFieldRef === undefined) {
    report.required(at, "one of fieldRef and resourceFieldRef is required");
  } else if (fieldRef !== undefined && resourceFieldRef !== undefined) {
    report.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
  }
};

const downwardFile = all(
  fields<coreV1.DownwardAPIVolumeFile>({
    path: required(unreservedPath),
    fieldRef,
    resourceFieldRef: namedResource,
    mode,
  }),
  oneDownwardReference,
);

/** Reports errors of the files at the source since 1.26, as Kubernetes does. */
const downwardFiles: Rule<coreV1.DownwardAPIProjection> = ({ items }, at, report) => {
  items?.forEach((file, position) => {
    downwardFile(file, report.features.since("1.26") ? at : at.field("items").item(position), report);
  });
};

const downwardAPI: Rule<coreV1.DownwardAPIVolumeSource> = all(
  fields<coreV1.DownwardAPIVolumeSource>({ defaultMode: mode }),
  downwardFiles,
);

const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

const tokenSeconds: Rule<number> = (value, at, report) => {
  if (value < TOKEN_SECONDS_MIN) report.invalid(at, value, "may not specify a duration less than 10 minutes");
  else if (value > TOKEN_SECONDS_MAX) report.invalid(at, value, "may not specify a duration larger than 2^32 seconds");
};

const projection = fields<coreV1.VolumeProjection>({
  secret: fields<coreV1.SecretProjection>({ name: required(), items: each(keyToPath) }),
  configMap: fields<coreV1.ConfigMapProjection>({ name: required(), items: each(keyToPath) }),
  downwardAPI: downwardFiles,
  serviceAccountToken: fields<coreV1.ServiceAccountTokenProjection>({ expirationSeconds: tokenSeconds }),
  clusterTrustBundle: trustBundleSource,
  podCertificate: podCertificateSource,
});

const oneTypeOfProjection: Rule<coreV1.VolumeProjection> = (source, at, report) => {
  const types = Object.values(source).filter((each) => each !== undefined).length;
  if (types > 1) report.forbidden(at, "may not specify more than 1 volume type");
};

/**
 * Rejects two sources with the same path, and tokens without one. Since 1.26 the errors are at the volume source, as in
 * Kubernetes.
 */
const projectedPaths: Rule<coreV1.ProjectedVolumeSource> = ({ sources }, at, report) => {
  const taken = new Set<string>();
  const isAtSource = report.features.since("1.26");
  sources?.forEach((source, position) => {
    const item = at.field("sources").item(position);
    for (const [place, path] of pathsOf(source, item)) {
      if (path === "" || (isAtSource && path === source.serviceAccountToken?.path)) continue;
      if (taken.has(path)) report.invalid(isAtSource ? at : place, path, "conflicting duplicate paths");
      taken.add(path);
    }
    if (source.serviceAccountToken === undefined) return;
    tokenPath(source.serviceAccountToken, isAtSource ? at : item.field("serviceAccountToken"), report);
  });
};

const tokenPath = fields<coreV1.ServiceAccountTokenProjection>({ path: required(unreservedPath) });

function pathsOf(source: coreV1.VolumeProjection, at: Place): readonly (readonly [Place, string])[] {
  const ofItems = (["secret", "configMap", "downwardAPI"] as const).flatMap((name) =>
    (source[name]?.items ?? []).map(({ path }, position) => {
      return [at.field(name).field("items").item(position).field("path"), path] as const;
    }),
  );
  const { serviceAccountToken: token, clusterTrustBundle: bundle, podCertificate: certificate } = source;
  if (token !== undefined) return [...ofItems, [at.field("serviceAccountToken").field("path"), token.path]];
  if (bundle !== undefined) return [...ofItems, [at.field("clusterTrustBundle").field("path"), bundle.path]];
  if (certificate === undefined) return ofItems;
  const place = at.field("podCertificate");
  const files = CERTIFICATE_PATHS.map((name) => [place.field(name), certificate[name] ?? ""] as const);
  return [...ofItems, ...files];
}

const projected: Rule<coreV1.ProjectedVolumeSource> = all(
  fields<coreV1.ProjectedVolumeSource>({ defaultMode: mode, sources: each(all(oneTypeOfProjection, projection)) }),
  projectedPaths,
);

const gitRepo = fields<coreV1.GitRepoVolumeSource>({ repository: required(), directory: descendingPath });

const ephemeral = fields<coreV1.EphemeralVolumeSource>({
  volumeClaimTemplate: required(
    all(metadataOfLabelsAlone, fields<coreV1.PersistentVolumeClaimTemplate>({ spec: claimSpec })),
  ),
});

/** Allows only labels and annotations in the metadata of a claim template; the name is derived from pod and volume. */
function metadataOfLabelsAlone({ metadata }: coreV1.PersistentVolumeClaimTemplate, at: Place, report: Report): void {
  for (const [name, value] of Object.entries(metadata ?? {})) {
    if (name === "labels" || name === "annotations" || value === null || value === undefined || value === "") continue;
    report.forbidden(at.field("metadata").field(name), "only labels and annotations can be set in a claim's template");
  }
}

const pullPolicies = oneOf("Always", "IfNotPresent", "Never");

/** Source: KEP-4639, "OCI Volume Source". */
const image: Rule<coreV1.ImageVolumeSource> = ({ pullPolicy }, at, report) => {
  if (report.features.isOn("ImageVolume")) pullPolicies(pullPolicy ?? "", at.field("pullPolicy"), report);
};

const SOURCE_RULES = {
  emptyDir,
  hostPath,
  gitRepo,
  secret,
  configMap,
  downwardAPI,
  projected,
  persistentVolumeClaim: fields<coreV1.PersistentVolumeClaimVolumeSource>({ claimName: required() }),
  ephemeral,
  image,
  csi: fields<coreV1.CSIVolumeSource>({
    driver: required(csiDriverName),
    nodePublishSecretRef: fields<coreV1.LocalObjectReference>({ name: required() }),
  }),
  ...DISK_SOURCES,
  ...POD_NETWORK_SOURCES,
} as const;

type Source = keyof typeof SOURCE_RULES;

/** Sources in the order in which Kubernetes looks at them: the rules of the first one apply, and others are forbidden. */
const SOURCES = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
] as const satisfies readonly Source[];

/** Names of a second source in errors since 1.26, where Kubernetes does not use the name of the field. */
const SECOND_NAMES: { readonly [S in Source]?: string } = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

const volumeName = fields<coreV1.Volume>({ name: required(label1123) });

function imageReference({ image }: coreV1.Volume, at: Place, report: Report): void {
  if (!image?.reference && report.features.isOn("ImageVolume")) report.required(at.field("reference"));
}

/** Kind of the object whose volumes are checked: a template may leave out the reference of an image volume. */
export type VolumeOwner = "pod" | "template";

function volume(volume: coreV1.Volume, owner: VolumeOwner, at: Place, report: Report): void {
  let count = 0;
  for (const source of SOURCES) {
    const value = volume[source];
    if (value === undefined || value === null) continue;
    count += 1;
    if (count === 1) {
      (SOURCE_RULES[source] as Rule<unknown>)(value, sourcePlace(source, at, report), report);
      if (owner === "pod" && source === "image") imageReference(volume, at.field(source), report);
    } else {
      const name = report.features.since("1.26") ? (SECOND_NAMES[source] ?? source) : source;
      report.forbidden(at.field(name), "may not specify more than 1 volume type");
    }
  }
  if (count === 0) report.required(at, "must specify a volume type");
  volumeName(volume, at, report);
  if (volume.iscsi !== undefined) interfaceNameFits(volume.name, volume.iscsi, at, report);
}

/** Checks the volumes of a pod. @returns the valid ones by name, which containers can mount */
export function volumes(list: readonly coreV1.Volume[], owner: VolumeOwner, at: Place, report: Report): VolumesByName {
  const byName = new Map<string, coreV1.Volume>();
  const keepsInvalid = !report.features.since("1.26");
  list.forEach((each, position) => {
    const place = at.item(position);
    const before = report.errors.length;
    volume(each, owner, place, report);
    if (byName.has(each.name)) report.duplicate(place.field("name"), each.name);
    else if (keepsInvalid || report.errors.length === before) byName.set(each.name, each);
  });
  return byName;
}

export type VolumesByName = ReadonlyMap<string, coreV1.Volume>;

/** Requires that the name of an ephemeral volume's claim, `<pod>-<volume>`, is valid. */
export function ephemeralClaimNames(pod: coreV1.Pod, at: Place, report: Report): void {
  pod.spec?.volumes?.forEach(({ name, ephemeral }, position) => {
    if (ephemeral === undefined || isNamedLater(pod)) return;
    subdomain(`${pod.metadata?.name}-${name}`, at.item(position).field("name"), report);
  });
}

const isNamedLater = (pod: coreV1.Pod): boolean => (pod.metadata?.name ?? "") === "";
