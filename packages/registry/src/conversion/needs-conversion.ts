// Thrown where an object is wanted in a version that it has to be brought into first, which takes its time. What is under way is then done
// once more from its beginning, when the object is there: see `WriteConversions`.
import type { ServedVersion } from "@orch/machinery";
import type { Entry } from "../registry";

export type ConversionNeed =
  | { readonly kind: "entry"; readonly entry: Entry; readonly to: ServedVersion }
  /** @param text the object in JSON, without who owns its fields */
  | { readonly kind: "object"; readonly text: string; readonly from: ServedVersion; readonly to: ServedVersion };

export class NeedsConversion extends Error {
  override readonly name = "NeedsConversion";

  constructor(readonly need: ConversionNeed) {
    super(`an object is not there yet in ${need.to.apiVersion}`);
  }
}
