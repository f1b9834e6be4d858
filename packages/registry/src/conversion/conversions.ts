// The conversion state of a definition with a conversion webhook.
import type { ResourceDefinition } from "@orch/machinery";
import type { LoopTurns } from "@orch/platform";
import { EntryConversions } from "./entry-conversions";
import { WriteConversions } from "./write-conversions";

export interface Conversions {
  readonly entries: EntryConversions;
  readonly writes: WriteConversions;
}

/** @returns undefined when functions of the definition convert synchronously */
export function conversionsOf({ converter }: ResourceDefinition, loop: LoopTurns): Conversions | undefined {
  if (converter === undefined) return undefined;
  const entries = new EntryConversions({ converter, loop });
  return { entries, writes: new WriteConversions({ converter, loop }, entries) };
}
