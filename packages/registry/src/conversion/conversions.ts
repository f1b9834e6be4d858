// What a definition with a converter has beside one without.
import type { ResourceDefinition } from "@orch/machinery";
import type { LoopTurns } from "@orch/platform";
import { EntryConversions } from "./entry-conversions";
import { WriteConversions } from "./write-conversions";

export interface Conversions {
  readonly entries: EntryConversions;
  readonly writes: WriteConversions;
}

/** @returns undefined where functions of the definition say all: nothing is ever waited for */
export function conversionsOf({ converter }: ResourceDefinition, loop: LoopTurns): Conversions | undefined {
  if (converter === undefined) return undefined;
  const entries = new EntryConversions({ converter, loop });
  return { entries, writes: new WriteConversions({ converter, loop }, entries) };
}
