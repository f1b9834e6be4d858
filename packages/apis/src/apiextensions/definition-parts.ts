// Parts of a definition that belong to one version or are shared by all versions.

import { Place } from "@orch/apis-model";
import type { apiextensionsV1beta1 } from "@orch/schema";

export type Definition = apiextensionsV1beta1.CustomResourceDefinition;
export type Spec = apiextensionsV1beta1.CustomResourceDefinitionSpec;
export type Version = apiextensionsV1beta1.CustomResourceDefinitionVersion;

export const SPEC = Place.ROOT.field("spec");

export const versionsOf = ({ spec }: Definition): readonly Version[] => spec.versions ?? [];

/** Field of the definition for each part that all versions share. */
export const SHARED = {
  schema: "validation",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
  selectableFields: "selectableFields",
} as const;

export type Part = keyof typeof SHARED;

export interface PlacedPart<P extends Part> {
  readonly part: NonNullable<Version[P]>;
  readonly at: Place;
  /** Versions that use the part. */
  readonly versions: readonly Version[];
}

/** Returns each part once: the shared one first, then those of single versions. */
export function partsOf<P extends Part>(definition: Definition, name: P): PlacedPart<P>[] {
  const versions = versionsOf(definition);
  const shared = definition.spec[SHARED[name]] as Version[P];
  const parts: PlacedPart<P>[] = [];
  if (isGiven(shared)) {
    const users = versions.filter((version) => !isGiven(version[name]));
    parts.push({ part: shared as NonNullable<Version[P]>, at: SPEC.field(SHARED[name]), versions: users });
  }
  versions.forEach((version, position) => {
    const part = version[name];
    if (!isGiven(part)) return;
    const at = SPEC.field("versions").item(position).field(name);
    parts.push({ part: part as NonNullable<Version[P]>, at, versions: [version] });
  });
  return parts;
}

/** Returns the part of a version: its own, or the shared one. */
export const partOf = <P extends Part>({ spec }: Definition, version: Version, name: P): Version[P] =>
  isGiven(version[name]) ? version[name] : (spec[SHARED[name]] as Version[P]);

/** Returns whether a part is set. An empty list of columns is not. */
export const isGiven = (part: unknown): boolean =>
  part !== undefined && part !== null && !(Array.isArray(part) && part.length === 0);

/** Returns the schemas of a definition with the paths of their roots. */
export function rootsOf(definition: Definition) {
  return partsOf(definition, "schema").flatMap(({ part, at, versions }) =>
    part.openAPIV3Schema === undefined
      ? []
      : [{ root: part.openAPIV3Schema, at: at.field("openAPIV3Schema"), versions }],
  );
}
