// The run time collects garbage when memory is asked for, and a process that has become quiet asks for none: what was made in a busy hour
// stays for as long as nobody comes. So it is collected once nobody is kept waiting by it, in steps that a request goes in between of.

import { getHeapStatistics } from "node:v8";
import { measureMemory } from "node:vm";
import { busyShareOfLoop } from "../time/busy-share";
import { type Clock, systemClock } from "../time/clock";

export interface CollectionOptions {
  readonly clock?: Clock;
  /** Share of the time since it was last called in which the process had something to do, from 0 to 1. */
  readonly busyShare?: () => number;
  readonly memory?: CollectedMemory;
}

export interface CollectedMemory {
  /** Bytes of all that there is, garbage with it. */
  used(): number;
  /** Resolves when what was garbage then is free. */
  collect(): Promise<unknown>;
}

const LOOK_MS = 10_000;
/** A process that has less to do than this in all the time between two looks is quiet. */
const QUIET_SHARE = 0.05;
/** As much is made of garbage that lives for a request only, and goes without this. */
const GROWTH_MIN_BYTES = 24 * 1024 * 1024;
/** The part of what there was by which it has grown: going through much is not worth it for little. */
const GROWTH_SHARE = 0.1;
/** After one that has freed this much another is made: pages of the heap that have become half empty are joined by later ones. */
const WORTHWHILE_BYTES = 4 * 1024 * 1024;

/**
 * Collects whenever the process is quiet and has made much since it last was. That alone does not keep the process alive.
 * @returns calls it off
 */
export function collectWhenQuiet({
  clock = systemClock,
  busyShare = busyShareOfLoop(),
  memory = ownMemory,
}: CollectionOptions = {}): () => void {
  let isOff = false;
  let cancel: () => void;
  let again = false;
  /** After the last collection. */
  let least = 0;
  const lookLater = () => {
    if (!isOff) cancel = clock.after(LOOK_MS, () => void look(), { background: true });
  };
  const look = async () => {
    const used = memory.used();
    least = Math.min(least, used);
    const isGrown = used > least + Math.max(GROWTH_MIN_BYTES, least * GROWTH_SHARE);
    if (busyShare() < QUIET_SHARE && (isGrown || again)) {
      await memory.collect();
      least = memory.used();
      again = used - least > WORTHWHILE_BYTES;
    }
    lookLater();
  };
  lookLater();
  return () => {
    isOff = true;
    cancel();
  };
}

const ownMemory: CollectedMemory = {
  used() {
    const { used_heap_size, external_memory } = getHeapStatistics();
    return used_heap_size + external_memory;
  },
  // Of what begins a collection from within, this alone is done in steps; how much there is, it tells besides.
  collect: () => withoutWarning(() => measureMemory({ mode: "summary", execution: "eager" })),
};

/** What is made here is of use without the figures, which may come to look different some day: that is what the run time warns of. */
function withoutWarning<T>(act: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}
