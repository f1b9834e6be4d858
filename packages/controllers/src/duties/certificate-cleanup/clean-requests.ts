// Looks at all requests for certificates now and then, and deletes those that nobody needs any more.
// Source: facts, controllers.md "csrcleaner".
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { type CertificateRequest, requestType } from "../../manager/signing-requests";
import { isStale } from "./stale-requests";

const PASS_MS = 60 * 60_000;

export interface CleanRequestsOptions {
  readonly client: Client;
  /** That the server emulates: `1.23`. */
  readonly release: string;
}

/** Works until the signal is aborted. */
export async function cleanRequests({ client, release }: CleanRequestsOptions, signal: AbortSignal): Promise<void> {
  const requests = client.resource(requestType(client, release));
  while (!signal.aborted) {
    try {
      for await (const request of requests.all({ signal })) {
        if (isStale(request, client.clock.now(), client.log)) await remove(request);
      }
    } catch (error) {
      if (!signal.aborted)
        client.log.warn("requests for certificates were not all looked at", { error: String(error) });
    }
    await pauseUnlessAborted(client.clock, PASS_MS, signal);
  }

  /** As it was seen: one that has changed since may have been answered just now. */
  async function remove({ metadata = {} }: CertificateRequest): Promise<void> {
    const { name = "", uid, resourceVersion } = metadata;
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    try {
      await requests.delete(name, { preconditions, signal });
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
    }
  }
}
