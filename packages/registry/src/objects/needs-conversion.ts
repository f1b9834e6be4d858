// Thrown when an object is needed in a version into which it must first be converted asynchronously. The step in
// progress is repeated once the converted object is available: see `WriteConversions`.
import type { ServedVersion } from "@orch/machinery";
import type { Entry } from "../contract/operations";

export type ConversionNeed =
  | { readonly kind: "entry"; readonly entry: Entry; readonly to: ServedVersion }
  /** @param text the object in JSON, without managedFields */
  | { readonly kind: "object"; readonly text: string; readonly from: ServedVersion; readonly to: ServedVersion };

export class NeedsConversion extends Error {
  override readonly name = "NeedsConversion";

  constructor(readonly need: ConversionNeed) {
    super(`an object must first be converted to ${need.to.apiVersion}`);
  }
}
