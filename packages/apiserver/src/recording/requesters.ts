// Tells which request a call of the store belongs to.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Middleware } from "@orch/request";
import type { Requester } from "./recording-format";

export class Requesters {
  private readonly running = new AsyncLocalStorage<Requester>();

  /** Returns the request that the calling code works for; undefined for work of the server itself. */
  get current(): Requester | undefined {
    return this.running.getStore();
  }

  /** Returns a step that carries out a request as its own work. */
  step(inner: Middleware): Middleware {
    return (request, response, next) => {
      const { info, target, user } = request.context;
      const by = { user: user.name, verb: info.verb, path: target };
      return this.running.run(by, () => inner(request, response, next));
    };
  }
}
