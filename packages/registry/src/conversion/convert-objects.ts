// Calls a definition's converter and checks its answer: the same number of objects, of the right version, that fit its
// type. Source: Kubernetes documentation, "Versions in CustomResourceDefinitions", "Webhook conversion".
import {
  internalError,
  ManyValuesError,
  type ObjectConverter,
  type ObjectToConvert,
  type ServedVersion,
  StatusError,
  type WorkerConverter,
} from "@orch/machinery";
import type { EventLoopYielder } from "@orch/platform";
import { DecodeError, type JsonObject } from "@orch/schema";

export interface ConversionStep {
  readonly from: ServedVersion;
  readonly to: ServedVersion;
}

/**
 * Converts objects.
 * @param objects may be changed by the converter
 * @returns in the same order, decoded and with defaults applied
 * @throws StatusError for all of them on any failure; ManyValuesError when there is an `elsewhere`
 */
export async function convertObjects(
  { converter, loop }: { readonly converter: ObjectConverter; readonly loop: EventLoopYielder },
  objects: readonly JsonObject[],
  step: ConversionStep,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  try {
    const made = await converter.convert(objects, step, signal);
    if (made.length !== objects.length)
      throw new Error(`the converter returned ${made.length} objects for ${objects.length}`);
    const converted: JsonObject[] = [];
    for (const object of made) {
      if (loop.isOver) await loop.next();
      converted.push(fitting(object, step.to));
    }
    return converted;
  } catch (error) {
    throw error instanceof StatusError || error instanceof ManyValuesError ? error : failed(step, error);
  }
}

/** Converts objects with a converter that works in another thread. @throws StatusError like `convertObjects` */
export async function convertInWorker(
  elsewhere: WorkerConverter,
  objects: readonly ObjectToConvert[],
  step: ConversionStep,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  try {
    const made = await elsewhere(objects, step, signal);
    if (made.length !== objects.length)
      throw new Error(`the converter returned ${made.length} objects for ${objects.length}`);
    return made;
  } catch (error) {
    throw error instanceof StatusError ? error : failed(step, error);
  }
}

function fitting(object: JsonObject, { type, kind, apiVersion }: ServedVersion): JsonObject {
  const { kind: madeKind, apiVersion: madeVersion } = object;
  if (madeKind !== kind || madeVersion !== apiVersion) {
    throw new Error(
      `the converter returned an object of kind ${JSON.stringify(madeKind)} and apiVersion ${JSON.stringify(madeVersion)}`,
    );
  }
  const { value } = type.decode(object);
  type.applyDefaults(value);
  return value;
}

function failed({ from, to }: ConversionStep, error: unknown): StatusError {
  const why = error instanceof DecodeError || error instanceof Error ? error.message : String(error);
  return internalError(`conversion of ${from.kind} from ${from.apiVersion} to ${to.apiVersion} failed: ${why}`, {
    cause: error,
  });
}
