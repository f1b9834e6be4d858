// The steps of the pipeline as one: the router would look at path and parameters before each of them, and none is told apart by these.
import type { Middleware, Next } from "./request-context";

/** What a step throws, rejects with or passes to `next` ends the way through them. */
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
