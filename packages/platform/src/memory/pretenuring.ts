// Keeps short-lived objects in the young generation of a process that serves requests. V8 allocates objects directly in
// the old generation (pretenuring) when most objects of an allocation site have survived the young one. During a slow
// moment this happens to request objects, and it is never reverted. Each such object then retains everything of its
// request, and collections take several times as long from then on.
import { changeFlag } from "./changed-flags";

/** Disables pretenuring in this process, once its start is over. */
export function disablePretenuring(): void {
  changeFlag("--allocation-site-pretenuring", "--no-allocation-site-pretenuring");
}
