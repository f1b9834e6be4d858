// What a file of an option holds, read again when it changes. One that cannot be used then changes nothing.
import { type Log, watchFiles } from "@orch/platform";

export interface FollowedFile<Contents> {
  readonly current: Contents;
  /** Reads it again whenever it changes, and tells of that, until the signal is aborted. */
  follow(changed: () => void, signal: AbortSignal): void;
}

/** @param read of the file, as it is now; throws for what cannot be used @throws what it throws at first */
export function followedFile<Contents>(
  { file, log }: { readonly file: string; readonly log: Log },
  read: () => Contents,
): FollowedFile<Contents> {
  let current = read();
  return {
    get current() {
      return current;
    },
    follow(changed, signal) {
      if (signal.aborted) return;
      const stop = watchFiles([file], () => {
        try {
          current = read();
        } catch (error) {
          log.error("a file has changed and cannot be used: what was read before stays in force", {
            file,
            error: (error as Error).message,
          });
          return;
        }
        log.info("a file has changed and is in force", { file });
        changed();
      });
      signal.addEventListener("abort", stop, { once: true });
    },
  };
}

/** What does not change. */
export const fixed = <Contents>(contents: Contents): FollowedFile<Contents> => ({ current: contents, follow() {} });
