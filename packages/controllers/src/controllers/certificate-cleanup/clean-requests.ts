// Controller that periodically deletes certificate signing requests that are no longer needed.
// Source: pkg/controller/certificates/cleaner/cleaner.go.
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { type CertificateRequest, requestType } from "../../framework/signing-requests";
import { isStale } from "./stale-requests";

const PASS_MS = 60 * 60_000;

export interface CleanRequestsOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
}

/** Runs the controller until the signal is aborted. */
export async function cleanRequests({ client, release }: CleanRequestsOptions, signal: AbortSignal): Promise<void> {
  const requests = client.resource(requestType(client, release));
  while (!signal.aborted) {
    try {
      for await (const request of requests.all({ signal })) {
        if (isStale(request, client.clock.now(), client.log)) await remove(request);
      }
    } catch (error) {
      if (!signal.aborted) client.log.warn("cannot check all certificate signing requests", { error: String(error) });
    }
    await pauseUnlessAborted(client.clock, PASS_MS, signal);
  }

  /** Deletes the version of the request that was read: a newer one may have been approved just now. */
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
