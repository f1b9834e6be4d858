// Nobody can act as somebody else here. A request that means to must not be answered as the caller's own, who may have more rights.
import { StatusError } from "@orch/machinery";
import type { Middleware } from "./request-context";

/** Every header that begins so, whatever it means in which release, and whether or not it says anything. */
const PREFIX = "impersonate-";

export function impersonation(): Middleware {
  return ({ rawHeaders }, _response, next) => {
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string;
      if (name.length < PREFIX.length || name.slice(0, PREFIX.length).toLowerCase() !== PREFIX) continue;
      throw new StatusError(
        "Forbidden",
        `${name.slice(0, NAME_SHOWN).toLowerCase()}: this server knows no impersonation`,
      );
    }
    next();
  };
}

const NAME_SHOWN = 100;
