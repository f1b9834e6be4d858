// Contents of an option's file, reloaded when it changes. A version that is not usable is ignored.
import { type Log, watchFiles } from "@orch/platform";

export interface FollowedFile<Contents> {
  readonly current: Contents;
  /** Reloads the file whenever it changes and calls `changed`, until the signal is aborted. */
  follow(changed: () => void, signal: AbortSignal): void;
}

/**
 * @param read reads the file; throws for unusable contents
 * @throws the error of the first read
 */
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
          log.error("a changed file is invalid: its previous content remains in use", {
            file,
            error: (error as Error).message,
          });
          return;
        }
        log.info("reloaded a changed file", { file });
        changed();
      });
      signal.addEventListener("abort", stop, { once: true });
    },
  };
}

/** Contents that do not change. */
export const fixed = <Contents>(contents: Contents): FollowedFile<Contents> => ({ current: contents, follow() {} });
