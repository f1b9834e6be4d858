// Controller that deletes pod certificate requests some time after their creation: nodes and signers have done with
// them then, and a node that still waits makes a new one. Source: pkg/controller/certificates/cleaner/pcrcleaner.go.
import type { Client, ResourceType } from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { type certificatesV1, vocabularyOf } from "@orch/schema";
import { servedVersion } from "../../framework/served-version";

type PodRequest = certificatesV1.PodCertificateRequest;

const PASS_MS = 5 * 60_000;
const KEPT_MS = 15 * 60_000;
/** The preferred one first. */
export const REQUEST_VERSIONS = ["v1", "v1beta1"] as const;

/** Returns whether a request is to be deleted. One without a readable time of creation is kept. */
export const isOldRequest = ({ metadata }: PodRequest, nowMs: number): boolean =>
  nowMs - Date.parse(metadata?.creationTimestamp ?? "") >= KEPT_MS;

/** Runs the controller until the signal is aborted. */
export async function cleanPodRequests({ client }: { readonly client: Client }, signal: AbortSignal): Promise<void> {
  const names = { group: vocabularyOf(client.vocabulary).groups.certificates, resource: "podcertificaterequests" };
  const version = await servedVersion({ ...names, versions: REQUEST_VERSIONS }, client, signal);
  if (version === undefined) return;
  const type: ResourceType<PodRequest> = {
    ...names,
    version,
    kind: "PodCertificateRequest",
    namespaced: true,
  };
  const requests = client.resource(type);
  while (!signal.aborted) {
    try {
      for await (const request of requests.all({ signal })) {
        if (isOldRequest(request, client.clock.now())) await remove(request);
      }
    } catch (error) {
      if (!signal.aborted) client.log.warn("cannot check all pod certificate requests", { error: String(error) });
    }
    await pauseUnlessAborted(client.clock, PASS_MS, signal);
  }

  async function remove({ metadata = {} }: PodRequest): Promise<void> {
    const { namespace = "", name = "", uid = "" } = metadata;
    try {
      await requests.namespace(namespace).delete(name, { preconditions: { uid }, signal });
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
    }
  }
}
