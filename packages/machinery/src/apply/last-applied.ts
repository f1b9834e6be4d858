// The annotation in which a client that applies by itself remembers what it applied, so that it can change over to server-side apply
// and back. Source: facts, ssa.md "Layers" and "Client-side to server-side migration".
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

/** Names from the vocabulary. */
export interface ClientSideApply {
  /** The manager that such a client uses for server-side apply. */
  readonly manager: string;
  readonly annotation: string;
}

/** The fields that the client last applied by itself and that nobody has changed since: taking these over is no conflict. */
export function takenOver(
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
    // What cannot be read, or is of no such kind, tells nothing.
    if (error instanceof JsonError || error instanceof StatusError) return undefined;
    throw error;
  }
}

type Annotations = Readonly<Record<string, string>>;

/**
 * What the annotation says follows what is applied, where there is one. Where an object has no room for it, it goes: the server knows
 * who owns what, and a client that goes back to applying by itself has nothing to compare with, rather than something outdated.
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

/** The annotation's text for a body that was applied. */
function annotationText(applied: JsonObject, annotation: string): string {
  const { metadata } = applied;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return `${elementJson(applied)}\n`;
  const { [annotation]: _, ...rest } = annotations;
  return `${elementJson({ ...applied, metadata: { ...metadata, annotations: rest } })}\n`;
}
