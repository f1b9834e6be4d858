// Lifecycle of API versions: introduction, deprecation, removal, and version priority. Source: "Kubernetes Deprecation
// Policy".

import { compareReleases } from "@orch/schema";

export { compareReleases };

/** Releases of a version's lifecycle; absent: always present, or no removal planned. */
export interface Lifecycle {
  readonly introduced?: string;
  readonly deprecated?: string;
  /** First release without the version. */
  readonly removed?: string;
  /** The replacement as named in warnings: `apps/v1 Deployment`. */
  readonly replacement?: string;
}

export const isServed = (life: Lifecycle | undefined, release: string): boolean =>
  (life?.introduced === undefined || compareReleases(life.introduced, release) <= 0) &&
  (life?.removed === undefined || compareReleases(release, life.removed) < 0);

export const isDeprecated = (life: Lifecycle | undefined, release: string): boolean =>
  life?.deprecated !== undefined && compareReleases(life.deprecated, release) <= 0;

/** Returns the deprecation warning for clients; undefined when the version is not deprecated at this release. */
export function deprecationWarning(
  version: { readonly apiVersion: string; readonly kind: string; readonly lifecycle?: Lifecycle },
  release: string,
): string | undefined {
  const { apiVersion, kind, lifecycle } = version;
  if (lifecycle?.deprecated === undefined || !isDeprecated(lifecycle, release)) return undefined;
  const { deprecated, removed, replacement } = lifecycle;
  return [
    `${apiVersion} ${kind} is deprecated in v${deprecated}+`,
    ...(removed === undefined ? [] : [`, unavailable in v${removed}+`]),
    ...(replacement === undefined ? [] : [`; use ${replacement}`]),
  ].join("");
}

/**
 * Compares versions by priority, the preferred one first: v2, v1, v2beta1, v1beta2, v1alpha1; then other names
 * alphabetically. Source: "Versions in CustomResourceDefinitions" in the Kubernetes documentation, "Version priority".
 */
export function compareVersionPriority(a: string, b: string): number {
  const left = rankOf(a);
  const right = rankOf(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.level - left.level || right.major - left.major || right.minor - left.minor;
}

const LEVELS = ["alpha", "beta", "stable"];

function rankOf(version: string): { level: number; major: number; minor: number } | undefined {
  const parts = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (parts === null) return undefined;
  const [, major, level = "stable", minor = "0"] = parts;
  return { level: LEVELS.indexOf(level), major: Number(major), minor: Number(minor) };
}
