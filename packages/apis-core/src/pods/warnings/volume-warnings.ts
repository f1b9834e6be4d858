// Warnings about the volumes of a pod: removed plugins, and files with overlapping paths.
import { fieldAt, objectsAt, type WarningList } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import type { PodShape } from "./pod-shape";

/** Volume plugins that no node agent has, with the release that warns first. */
const REMOVED: readonly (readonly [field: string, release: string, text: string, path?: string])[] = [
  ["photonPersistentDisk", "1.21", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "1.22", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "1.25", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "1.25", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["quobyte", "1.25", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "1.26", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "1.31", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "1.31", "deprecated in v1.28, non-functional in v1.31+"],
];

export function warnOfVolumes({ at, spec }: PodShape, list: WarningList): void {
  for (const [position, volume] of objectsAt(spec, "volumes").entries()) {
    const place = `${at}spec.volumes[${position}]`;
    for (const [field, release, text, path = field] of REMOVED) {
      if (volume[field] != null && list.since(release)) list.add(`${place}.${path}`, text);
    }
    if (volume["gitRepo"] != null) {
      list.add(
        `${place}.gitRepo`,
        list.since("1.33") ? "deprecated in v1.11, and disabled by default in v1.33+" : "deprecated in v1.11",
      );
    }
    if (list.since("1.29")) warnOfOverlaps(volume, list);
  }
}

/** A file that a volume writes. */
interface File {
  readonly path: string;
  /** Source within a projected volume; empty for a volume with one source. */
  readonly source: string;
}

function warnOfOverlaps(volume: JsonObject, list: WarningList): void {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  const warn = (kind: string, text: string) => list.texts.push(`volume ${JSON.stringify(name)} (${kind})${text}`);
  const report = (kind: string, files: readonly File[]) => {
    for (const text of overlapsOf(files)) warn(kind, `: overlapping paths: ${text}`);
  };
  if (isObject(configMap)) report(`ConfigMap ${JSON.stringify(configMap["name"] ?? "")}`, itemsOf(configMap, ""));
  if (isObject(secret)) report(`Secret ${JSON.stringify(secret["secretName"] ?? "")}`, itemsOf(secret, ""));
  if (isObject(downwardAPI)) report("DownwardAPI", itemsOf(downwardAPI, ""));
  if (!isObject(projected)) return;
  const sources = objectsAt(projected, "sources");
  for (const source of sources) {
    if (Object.keys(source).length === 0) warn("Projected", " has no sources provided");
  }
  report("Projected", sources.flatMap(filesOf));
}

/** Returns the files of a source of a projected volume. */
function filesOf(source: JsonObject): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (isObject(configMap)) return itemsOf(configMap, `ConfigMap ${JSON.stringify(configMap["name"] ?? "")}`);
  if (isObject(secret)) return itemsOf(secret, `Secret ${JSON.stringify(secret["name"] ?? "")}`);
  if (isObject(downwardAPI)) return itemsOf(downwardAPI, "DownwardAPI");
  if (isObject(serviceAccountToken)) return fileAt(serviceAccountToken, "path", "ServiceAccountToken");
  if (isObject(clusterTrustBundle)) {
    const name = clusterTrustBundle["name"] ?? clusterTrustBundle["signerName"] ?? "";
    return fileAt(clusterTrustBundle, "path", `ClusterTrustBundle ${JSON.stringify(name)}`);
  }
  if (!isObject(podCertificate)) return [];
  return [
    ...fileAt(podCertificate, "certificateChainPath", "PodCertificate chain"),
    ...fileAt(podCertificate, "keyPath", "PodCertificate key"),
    ...fileAt(podCertificate, "credentialBundlePath", "PodCertificate credential bundle"),
  ];
}

const itemsOf = (source: JsonObject, name: string): File[] =>
  objectsAt(source, "items").flatMap((item) => fileAt(item, "path", name));

function fileAt(object: JsonObject, field: string, source: string): File[] {
  const path = fieldAt(object, [field]);
  return typeof path === "string" && path !== "" ? [{ path: path.replace(/\/+$/, ""), source }] : [];
}

/**
 * Maximum number of files that are compared. A volume with more files has no warnings about overlaps: the comparison
 * of all pairs would hold the event loop.
 */
const FILES_MAX = 300;

function overlapsOf(files: readonly File[]): string[] {
  if (files.length < 2 || files.length > FILES_MAX) return [];
  return files.flatMap((file, position) =>
    files
      .slice(0, position)
      .filter((earlier) => overlap(earlier.path, file.path))
      .map((earlier) => `${textOf(file)} with ${textOf(earlier)}`),
  );
}

/** Returns whether two files have the same path, or the path of one is a folder of the other. */
const overlap = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);

const textOf = ({ path, source }: File): string =>
  source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
