// Validation of the volumes of a pod: names, one source each, and sources that need no external storage. Source:
// pkg/apis/core/validation/validation.go.

import {
  all,
  descendingPath,
  each,
  exactlyOne,
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
  unique,
  unreservedPath,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { CERTIFICATE_PATHS, podCertificateSource, trustBundleSource } from "./certificate-sources-validation";
import { claimSpec } from "./claim-spec-validation";
import { DISK_SOURCES } from "./disk-sources-validation";
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

const downwardItems = each(
  all(
    fields<coreV1.DownwardAPIVolumeFile>({
      path: required(unreservedPath),
      fieldRef,
      resourceFieldRef: namedResource,
      mode,
    }),
    oneDownwardReference,
  ),
);

const downwardAPI = fields<coreV1.DownwardAPIVolumeSource>({ defaultMode: mode, items: downwardItems });

const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

const tokenSeconds: Rule<number> = (value, at, report) => {
  if (value < TOKEN_SECONDS_MIN) report.invalid(at, value, "may not specify a duration less than 10 minutes");
  else if (value > TOKEN_SECONDS_MAX) report.invalid(at, value, "may not specify a duration larger than 2^32 seconds");
};

const projection = fields<coreV1.VolumeProjection>({
  secret: fields<coreV1.SecretProjection>({ name: required(), items: each(keyToPath) }),
  configMap: fields<coreV1.ConfigMapProjection>({ name: required(), items: each(keyToPath) }),
  downwardAPI: fields<coreV1.DownwardAPIProjection>({ items: downwardItems }),
  serviceAccountToken: fields<coreV1.ServiceAccountTokenProjection>({
    expirationSeconds: tokenSeconds,
    path: required(unreservedPath),
  }),
  clusterTrustBundle: trustBundleSource,
  podCertificate: podCertificateSource,
});

const oneTypeOfProjection: Rule<coreV1.VolumeProjection> = (source, at, report) => {
  const types = Object.values(source).filter((each) => each !== undefined).length;
  if (types > 1) report.forbidden(at, "may not specify more than 1 volume type");
};

/** Rejects two sources with the same path. */
const distinctPaths: Rule<readonly coreV1.VolumeProjection[]> = (sources, at, report) => {
  const taken = new Set<string>();
  sources.forEach((source, position) => {
    for (const [place, path] of pathsOf(source, at.item(position))) {
      if (path === "") continue;
      if (taken.has(path)) report.invalid(place, path, "conflicting duplicate paths");
      taken.add(path);
    }
  });
};

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

const projected = fields<coreV1.ProjectedVolumeSource>({
  defaultMode: mode,
  sources: all(each(all(oneTypeOfProjection, projection)), distinctPaths),
});

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

type Source = Exclude<keyof coreV1.Volume, "name">;

const SOURCES = Object.keys(SOURCE_RULES) as Source[];

const volume: Rule<coreV1.Volume> = all(
  exactlyOne<coreV1.Volume>(SOURCES, {
    none: "must specify a volume type",
    several: "may not specify more than 1 volume type",
  }),
  fields<coreV1.Volume>(SOURCE_RULES),
  fields<coreV1.Volume>({ name: required(label1123) }),
  (volume, at, report) => interfaceNameFits(volume.name, volume.iscsi, at, report),
);

export const volumes: Rule<readonly coreV1.Volume[]> = all(
  each(volume),
  unique(({ name }) => name, { field: "name" }),
);

/** Requires that the name of an ephemeral volume's claim, `<pod>-<volume>`, is valid. */
export function ephemeralClaimNames(pod: coreV1.Pod, at: Place, report: Report): void {
  pod.spec?.volumes?.forEach(({ name, ephemeral }, position) => {
    if (ephemeral === undefined || isNamedLater(pod)) return;
    subdomain(`${pod.metadata?.name}-${name}`, at.item(position).field("name"), report);
  });
}

const isNamedLater = (pod: coreV1.Pod): boolean => (pod.metadata?.name ?? "") === "";
