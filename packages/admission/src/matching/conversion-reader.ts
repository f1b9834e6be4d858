// How admission has objects brought into other versions, where a definition's functions cannot.
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";

export interface ConversionReader {
  /**
   * Of a definition with a converter.
   * @param object left as it is
   * @returns another, in the version `to`, checked and with its defaults
   * @throws StatusError; ManyValuesError where it has become too large for this thread
   */
  convert(
    definition: ResourceDefinition,
    object: JsonObject,
    versions: { readonly from: ServedVersion; readonly to: ServedVersion },
    signal: EndSignal,
  ): Promise<JsonObject>;
}
