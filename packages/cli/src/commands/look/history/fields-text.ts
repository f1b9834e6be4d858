// Text of a list of fields.
import { visible } from "../../../output/columns";

const FIELDS_SHOWN = 4;

/** @param isWhole does not cut the list */
export function fieldsText(paths: readonly string[], isWhole: boolean): string {
  const shown = isWhole ? paths : paths.slice(0, FIELDS_SHOWN);
  const rest = paths.length - shown.length;
  return visible(`${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`);
}
