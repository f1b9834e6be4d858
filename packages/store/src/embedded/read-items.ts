// Allocates items that are read from disk: adjacent in memory, and together with the additions that readers will need.

import { sharedMemory } from "@orch/platform";
import type { Additions, KeyValue } from "../contract";
import { HeldItem } from "../local/held-item";

/** @returns a function that copies an item whose value may not be kept */
export function itemKeeper(additions: Additions = () => undefined): (item: KeyValue) => KeyValue {
  const memory = sharedMemory();
  return (item) => {
    const { value, modRevision } = item;
    const { at, text } = additions(value, modRevision) ?? NOTHING;
    const whole = memory(value.length + text.length);
    value.copy(whole, 0, 0, at);
    whole.write(text, at, "latin1");
    value.copy(whole, at + text.length, at);
    const kept = new HeldItem({ ...item, value: whole });
    kept.heldIn(whole, { at, length: text.length });
    return kept;
  };
}

const NOTHING = { at: 0, text: "" };
