// Blocks connections that objects request to addresses that the authors of those objects must not reach through the
// server.
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { NetworkAddress } from "@orch/client";
import { serviceUnavailable } from "@orch/machinery";
import type { ServiceResolver } from "./service-address";

export interface DialGuard {
  /**
   * Decides about one address.
   * @param at an IP address and a port
   * @returns the reason for a rejection, for the message of a Status; undefined when the connection is allowed
   */
  refusal(at: NetworkAddress): string | undefined | Promise<string | undefined>;
}

/**
 * Checks a host that is an IP address. DNS names pass: `guardedLookup` checks their addresses when a connection is
 * opened.
 */
export async function literalRefusal(guard: DialGuard, at: NetworkAddress): Promise<string | undefined> {
  return isIP(at.host) === 0 ? undefined : guard.refusal(at);
}

/**
 * Resolves host names for node:net. Fails when any address of the name is rejected, so that a later resolution cannot
 * bypass the check.
 */
export function guardedLookup(guard: DialGuard, port: number): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "");
      void addressRefusal(guard, { hosts: found.map(({ address }) => address), port }).then((refused) => {
        const [first] = found;
        if (refused !== undefined) callback(refused, "");
        else if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      });
    });
  };
}

async function addressRefusal(
  guard: DialGuard,
  { hosts, port }: { readonly hosts: readonly string[]; readonly port: number },
): Promise<Error | undefined> {
  try {
    for (const host of hosts) {
      const reason = await guard.refusal({ host, port });
      if (reason !== undefined) return new Error(reason);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Resolves services to allowed addresses. DNS names of services of type ExternalName are checked by `guardedLookup`.
 * The resolver throws ServiceUnavailable (503) for other addresses.
 */
export function guardedResolver(resolve: ServiceResolver, guard: DialGuard): ServiceResolver {
  return async (reference) => {
    const at = await resolve(reference);
    const reason = await literalRefusal(guard, at);
    if (reason === undefined) return at;
    throw serviceUnavailable(`service ${reference.namespace}/${reference.name}: ${reason}`);
  };
}
