// The annotation in which client-side apply records the configuration it last applied. It lets a client migrate to
// server-side apply and back. Source: "Server-Side Apply" in the Kubernetes documentation, "Migration between
// client-side and server-side apply".
import { isObject, JsonError, type JsonObject, type ObjectType, parseJson } from "@orch/schema";
import { StatusError } from "../errors/status-error";
import { annotationsFit } from "../objects/label-validation";
import { metaOf } from "../objects/object-meta";
import { readApplied } from "./applied-value";
import { compareObjects } from "./compare";
import { difference, type FieldSet, leaves } from "./field-set";
import { rootShape } from "./merge-shape";
import { elementJson } from "./path-element";
import { appliedPaths } from "./value-paths";

/** Names of the annotation and manager of client-side apply. */
export interface ClientSideApply {
  /** The manager name that such a client uses for server-side apply. */
  readonly manager: string;
  readonly annotation: string;
}

/**
 * Returns the fields that the client last applied on the client side and that have not changed since. Taking them over
 * is not a conflict.
 */
export function adoptedFields(
  annotation: string,
  live: { readonly object: JsonObject; readonly type: ObjectType; readonly apiVersion: string },
): FieldSet | undefined {
  const applied = readAnnotation(metaOf(live.object).annotations?.[annotation], live);
  if (applied === undefined) return undefined;
  const shape = rootShape(live.type.struct);
  const paths = appliedPaths(shape, applied);
  const changed = compareObjects(shape, applied, live.object);
  return difference(difference(paths && leaves(paths), changed?.written), changed?.removed);
}

function readAnnotation(
  text: string | undefined,
  { type, apiVersion }: { readonly type: ObjectType; readonly apiVersion: string },
): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const { value: object } = parseJson(text);
    return isObject(object) && object["apiVersion"] === apiVersion ? readApplied(type.struct, object) : undefined;
  } catch (error) {
    // An annotation that cannot be parsed, or that does not fit the type, is ignored.
    if (error instanceof JsonError || error instanceof StatusError) return undefined;
    throw error;
  }
}

type Annotations = Readonly<Record<string, string>>;

/**
 * Updates the annotation, when present, to the applied configuration. The annotation is removed when the object has no
 * room for it: a client that returns to client-side apply then finds no last configuration instead of an outdated one.
 * @returns `annotations` itself when nothing changes
 */
export function withNote(annotations: Annotations, annotation: string, applied: JsonObject): Annotations {
  const { [annotation]: before, ...others } = annotations;
  if (before === undefined) return annotations;
  const text = annotationText(applied, annotation);
  if (text === before) return annotations;
  const noted = { ...annotations, [annotation]: text };
  return annotationsFit(noted) ? noted : others;
}

/** Returns the annotation's value for an applied body. */
function annotationText(applied: JsonObject, annotation: string): string {
  const { metadata } = applied;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return `${elementJson(applied)}\n`;
  const { [annotation]: _, ...rest } = annotations;
  return `${elementJson({ ...applied, metadata: { ...metadata, annotations: rest } })}\n`;
}
