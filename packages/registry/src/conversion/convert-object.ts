// Converts one object of a write with the definition's converter. The managedFields are kept and not sent to the
// converter.
import { metaOf, StatusError, writableMeta } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { type ConversionStep, convertObjects } from "./convert-objects";
import type { ConversionParts } from "./entry-conversions";

/**
 * @param object may be changed by the converter
 * @throws StatusError when the conversion fails; ManyValuesError when the result is too large for this thread
 */
export async function convertObject(
  parts: ConversionParts,
  object: JsonObject,
  step: ConversionStep,
  signal: EndSignal | undefined,
): Promise<JsonObject> {
  const { managedFields, ...metadata } = metaOf(object) as JsonObject;
  const ending = new AbortController();
  const end = () =>
    ending.abort(new StatusError("Timeout", "Timeout: the conversion was canceled because the request ended", {}));
  signal?.addEventListener("abort", end);
  if (signal?.aborted === true) end();
  try {
    const [converted] = await convertObjects(parts, [{ ...object, metadata }], step, ending.signal);
    if (managedFields !== undefined) writableMeta(converted as JsonObject)["managedFields"] = managedFields;
    return converted as JsonObject;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}
