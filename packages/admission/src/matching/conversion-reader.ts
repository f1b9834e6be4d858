// Conversion of objects of custom resource definitions with a conversion webhook.
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";

export interface ConversionReader {
  /**
   * Converts an object of a definition that has a converter.
   * @param object not modified
   * @returns a new object in the version `to`, validated and defaulted
   * @throws StatusError; ManyValuesError when the result is too large for this thread
   */
  convert(
    definition: ResourceDefinition,
    object: JsonObject,
    versions: { readonly from: ServedVersion; readonly to: ServedVersion },
    signal: EndSignal,
  ): Promise<JsonObject>;
}
