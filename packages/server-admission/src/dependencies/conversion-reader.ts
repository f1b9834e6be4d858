// Converts objects that admission reads into versions whose conversion needs a webhook.
import type { ConversionReader } from "@orch/admission";
import { copyJson } from "@orch/machinery";
import { convertObject, type EventLoopYielder } from "@orch/registry";

export const conversionReader = (loop: EventLoopYielder): ConversionReader => ({
  async convert({ converter, kind }, object, versions, signal) {
    if (converter === undefined) throw new Error(`no converter is available for objects of kind ${kind}`);
    return convertObject({ converter, loop }, copyJson(object), versions, signal);
  },
});
