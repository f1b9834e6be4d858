// Keeps short-lived objects in the young generation of a process that serves requests. V8 allocates objects directly in
// the old generation (pretenuring) when most objects of an allocation site have survived the young one. During a slow
// moment this happens to request objects, and it is never reverted. Each such object then retains everything of its
// request, and collections take several times as long from then on.
import { setFlagsFromString } from "node:v8";

/**
 * Disables pretenuring. Must be called after the modules are loaded: V8 uses its code cache only with the flags the
 * code was compiled with.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
