// Combines the steps of the pipeline into one middleware: the router would match path and parameters before each step,
// and no step depends on them.
import type { Middleware, Next } from "@orch/request";

/** A step that throws, rejects or passes an error to `next` ends the sequence. */
export function inOrder(steps: readonly Middleware[]): Middleware {
  return (request, response, done) => {
    let at = 0;
    const next: Next = (error) => {
      const step = steps[at];
      at += 1;
      if (error || step === undefined) {
        done(error);
        return;
      }
      let late: void | Promise<void>;
      try {
        late = step(request, response, next);
      } catch (thrown) {
        done(thrown);
        return;
      }
      late?.catch(done);
    };
    next();
  };
}
