// Keeps garbage young in a process that serves requests. V8 makes objects at once in the old generation where those of one place in the
// code have mostly outlived the young one. Of requests that is an accident of a slow moment, and never taken back: each such object then holds
// on to all that its request was, whose collection takes a multiple of the time from there on.
import { setFlagsFromString } from "node:v8";

/** To be called once the modules are loaded: V8 takes compiled code only where it was made by the same flags. */
export function keepGarbageYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
