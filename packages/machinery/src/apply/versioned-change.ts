// A change of an object, computed in each version in which a manager owns fields.
import { copyJson, type JsonObject, type ObjectType } from "@orch/schema";
import { compareObjects, type Difference } from "./compare";
import { type FieldSet, without } from "./field-set";
import { rootShape, type StructShape } from "./merge-shape";

/** The versions of one resource. */
export interface ObjectVersions {
  /**
   * Returns the type of a version.
   * @returns undefined for a version that the resource does not have
   */
  readonly typeOf: (apiVersion: string) => ObjectType | undefined;
  /**
   * Converts an object.
   * @returns a new object in the other version; may modify and keep its argument
   */
  readonly convert: (object: JsonObject, from: string, to: string) => JsonObject;
}

export function shapeIn(versions: ObjectVersions, apiVersion: string): StructShape | undefined {
  const type = versions.typeOf(apiVersion);
  return type && rootShape(type.struct);
}

/**
 * Converts an object to a version.
 * @returns a new object, or `object` itself when it already has the version
 */
export function inVersion(versions: ObjectVersions, object: JsonObject, from: string, to: string): JsonObject {
  if (from === to) return object;
  const copy = copyJson(object);
  return versions.convert(versions.typeOf(from)?.decode(copy).value ?? copy, from, to);
}

export class VersionedChange {
  private readonly versions: ObjectVersions;
  private readonly apiVersion: string;
  private readonly old: JsonObject;
  private readonly next: JsonObject;
  private readonly differences = new Map<string, Difference | undefined>();

  /**
   * @param apiVersion version of both objects
   * @param resets fields whose changes do not count, because the write resets them
   */
  constructor(
    versions: ObjectVersions,
    apiVersion: string,
    old: JsonObject,
    next: JsonObject,
    private readonly resets?: FieldSet,
  ) {
    this.versions = versions;
    this.apiVersion = apiVersion;
    this.old = old;
    this.next = next;
  }

  /**
   * Returns the change in a version, computed once per version.
   * @param apiVersion a version that the resource has
   */
  in(apiVersion: string): Difference | undefined {
    if (!this.differences.has(apiVersion)) this.differences.set(apiVersion, this.compare(apiVersion));
    return this.differences.get(apiVersion);
  }

  private compare(apiVersion: string): Difference | undefined {
    const shape = shapeIn(this.versions, apiVersion);
    if (shape === undefined) return undefined;
    // Objects that are equal in one version are equal in every other.
    if (apiVersion !== this.apiVersion && this.in(this.apiVersion) === undefined) return undefined;
    const converted = (object: JsonObject) => inVersion(this.versions, object, this.apiVersion, apiVersion);
    return this.counted(compareObjects(shape, converted(this.old), converted(this.next)));
  }

  private counted(difference: Difference | undefined): Difference | undefined {
    if (difference === undefined || this.resets === undefined) return difference;
    const written = without(difference.written, this.resets);
    const removed = without(difference.removed, this.resets);
    return written === undefined && removed === undefined ? undefined : { written, removed };
  }
}
