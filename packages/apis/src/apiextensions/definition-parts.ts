// Parts of a definition that each version has, and where errors say that they are: at the definition itself where all versions have
// the same, as the first of the two shapes had it. Source: facts, validation/apiextensions.md, first paragraph.
import type { apiextensionsV1, JsonValue } from "@orch/schema";
import { sameValue } from "../same-value";
import { Place } from "../validation/place";

export type Definition = apiextensionsV1.CustomResourceDefinition;
export type Spec = apiextensionsV1.CustomResourceDefinitionSpec;
export type Version = apiextensionsV1.CustomResourceDefinitionVersion;

export const SPEC = Place.ROOT.field("spec");

export const versionsOf = ({ spec }: Definition): readonly Version[] => spec.versions ?? [];

const SHARED = {
  schema: "validation",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
} as const;

type Part = keyof typeof SHARED;

export interface PlacedPart<P extends Part> {
  readonly part: NonNullable<Version[P]>;
  readonly at: Place;
  /** Those that have it. */
  readonly versions: readonly Version[];
}

/** Each part once; versions without one are left out. */
export function partsOf<P extends Part>(definition: Definition, name: P): PlacedPart<P>[] {
  const versions = versionsOf(definition);
  const first = versions[0]?.[name];
  if (versions.every((version) => sameValue(version[name] as JsonValue, first as JsonValue))) {
    return first === undefined || first === null
      ? []
      : [{ part: first as NonNullable<Version[P]>, at: SPEC.field(SHARED[name]), versions }];
  }
  return versions.flatMap((version, position) => {
    const part = version[name];
    if (part === undefined || part === null) return [];
    const at = SPEC.field("versions").item(position).field(name);
    return [{ part: part as NonNullable<Version[P]>, at, versions: [version] }];
  });
}

/** The schemas of a definition, at their roots. */
export function rootsOf(definition: Definition) {
  return partsOf(definition, "schema").flatMap(({ part, at, versions }) =>
    part.openAPIV3Schema === undefined
      ? []
      : [{ root: part.openAPIV3Schema, at: at.field("openAPIV3Schema"), versions }],
  );
}
