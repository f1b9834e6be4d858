// Representation of an answer: an encoding, and the conversion before the encoding.
import type { IncludeObject } from "@orch/machinery";

export type Format = "json" | "yaml" | "protobuf" | "cbor";

/** Versions of the meta group. */
export type MetaVersion = "v1" | "v1beta1";

type Shape =
  | { readonly as: "object" }
  /** @param ofList whether the list kind was requested */
  | { readonly as: "partialMetadata"; readonly version: MetaVersion; readonly ofList: boolean }
  | TableShape;

export interface TableShape {
  readonly as: "table";
  readonly version: MetaVersion;
  readonly include: IncludeObject;
}

/** Singleton per combination: compared by identity, and used as a cache key. */
export interface Representation {
  readonly format: Format;
  readonly shape: Shape;
}

const FORMATS: readonly Format[] = ["json", "yaml", "protobuf", "cbor"];
const META_VERSIONS: readonly MetaVersion[] = ["v1", "v1beta1"];
const PLAIN: Shape = { as: "object" };

/**
 * Kinds of the meta group to which objects are converted. Source: Kubernetes API concepts, "Receiving resources as
 * Tables".
 */
const CONVERSIONS: Readonly<Record<string, (version: MetaVersion) => Shape>> = {
  Table: (version) => ({ as: "table", version, include: "Metadata" }),
  PartialObjectMetadata: (version) => ({ as: "partialMetadata", version, ofList: false }),
  PartialObjectMetadataList: (version) => ({ as: "partialMetadata", version, ofList: true }),
};

const plain = new Map(FORMATS.map((format): [Format, Representation] => [format, { format, shape: PLAIN }]));

/** Representations by format, kind and version of the conversion. */
const converted = new Map<string, Representation>();
for (const version of META_VERSIONS) {
  for (const [kind, shapeOf] of Object.entries(CONVERSIONS)) {
    const shape = shapeOf(version);
    for (const format of FORMATS) {
      // A table has no protobuf form.
      if (format === "protobuf" && shape.as === "table") continue;
      converted.set(`${format} ${kind} ${version}`, { format, shape });
    }
  }
}

/** Variants of each table representation that differ in the `includeObject` option. */
const including = new Map<Representation, Readonly<Record<IncludeObject, Representation>>>();
for (const representation of converted.values()) {
  const { format, shape } = representation;
  if (shape.as !== "table") continue;
  including.set(representation, {
    Metadata: representation,
    Object: { format, shape: { ...shape, include: "Object" } },
    None: { format, shape: { ...shape, include: "None" } },
  });
}

export const tableIncluding = (table: Representation, include: IncludeObject): Representation =>
  including.get(table)?.[include] ?? table;

export const JSON_AS_IS = plain.get("json") as Representation;

export const unconverted = (format: Format): Representation => plain.get(format) as Representation;

/** Returns the singleton for a representation that another thread has sent. */
export function knownRepresentation({ format, shape }: Representation): Representation {
  const known = knownShape(format, shape);
  if (known === undefined) throw new Error(`no representation exists for ${JSON.stringify({ format, shape })}`);
  return known;
}

function knownShape(format: Format, shape: Shape): Representation | undefined {
  switch (shape.as) {
    case "object":
      return unconverted(format);
    case "partialMetadata":
      return conversionTo(format, shape.ofList ? "PartialObjectMetadataList" : "PartialObjectMetadata", shape.version);
    case "table": {
      const table = conversionTo(format, "Table", shape.version);
      return table && tableIncluding(table, shape.include);
    }
  }
}

/** Undefined for a conversion that does not exist. */
export const conversionTo = (format: Format, kind: string, version: string): Representation | undefined =>
  converted.get(`${format} ${kind} ${version}`);
