// Loads what a page shows, and loads it again while the server gives no answer.
import { useCallback, useEffect, useState } from "preact/hooks";
import { isAborted, mayPass } from "../requests/api";
import { asFailure, type Failure } from "../requests/failure";

export interface Loaded<T> {
  /** Stays while it is loaded again. */
  readonly value?: T;
  readonly failure?: Failure;
  readonly isLoading: boolean;
  readonly again: () => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

type State<T> = Omit<Loaded<T>, "again">;

/**
 * @param load receives a signal that ends it when the page is left or an input changes
 * @param inputs values that `load` depends on
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isLoading: true });
  const [round, setRound] = useState(0);
  useEffect(() => setState({ isLoading: true }), inputs);
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = FIRST_PAUSE_MS;
    const attempt = async (): Promise<void> => {
      try {
        const value = await load(ending.signal);
        if (!ending.signal.aborted) setState({ value, isLoading: false });
      } catch (error) {
        if (ending.signal.aborted || isAborted(error)) return;
        const failure = asFailure(error);
        setState((before) => ({ ...before, failure, isLoading: false }));
        if (!mayPass(error)) return;
        timer = setTimeout(attempt, Math.max(pause, (failure.retryAfterSeconds ?? 0) * 1000));
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    };
    attempt();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [...inputs, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, again };
}
