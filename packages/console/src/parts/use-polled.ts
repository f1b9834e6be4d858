// Loads what a page shows again and again, while the page is visible.
import { useEffect } from "preact/hooks";
import { type Loaded, useLoaded } from "./use-loaded";

/**
 * Loads a value, and loads it again some time after each answer. A refusal that does not pass by itself ends this until the
 * user asks for another attempt.
 *
 * @param load returns another object each time
 * @param everyMs pause after a value
 */
export function usePolled<T extends object>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs: (value: T) => number,
): Loaded<T> {
  const loaded = useLoaded(load, inputs);
  const { value, failure, again } = loaded;
  useEffect(() => {
    if (value === undefined || failure !== undefined) return;
    return whenVisibleAfter(everyMs(value), again);
  }, [value, failure]);
  return loaded;
}

/** Runs a function once, after a pause and when the page is visible. @returns what calls it off */
function whenVisibleAfter(milliseconds: number, run: () => void): () => void {
  const shown = () => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", shown);
    run();
  };
  const timer = setTimeout(() => {
    document.addEventListener("visibilitychange", shown);
    shown();
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", shown);
  };
}
