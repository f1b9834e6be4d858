// Ends a program whose parent has ended. A test that is killed cannot stop the programs that it started.

const LOOK_MS = 500;
/** Process to which the system gives the children of processes that have ended, as a rule. */
const INIT = 1;

/**
 * Calls a function once when the process that started this one has ended. A process that was started by the first
 * process of the system, as in a container, has no parent to watch.
 */
export function whenParentEnds(ended: () => void): void {
  const { ppid } = process;
  if (ppid === INIT) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    ended();
  }, LOOK_MS);
  timer.unref();
}
