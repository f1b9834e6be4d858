// Root CA certificate publisher: writes the authorities of the API server into a config map in every namespace, which
// pods mount.
// Source: pkg/controller/certificates/rootcacertpublisher/publisher.go.
import { builtInTypes, type Client, type QueueMetrics } from "@orch/client";
import { sameJson } from "@orch/machinery";
import { compareReleases, type coreV1, vocabularyOf } from "@orch/schema";
import type { FollowedFile } from "../../framework/followed-file";
import { maintainObjectPerNamespace } from "../../framework/object-per-namespace";

export interface RootAuthorityOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** PEM. */
  readonly authority: FollowedFile<string | undefined>;
}

/** First release with the map, and first release with the annotation that describes it. */
const SINCE = "1.20";
const DESCRIBED_SINCE = "1.21";
const DESCRIPTION =
  "The authorities by which the API server is known under its names inside the cluster. They may not be those of any other address of it.";

/** Runs the controller until the signal is aborted. */
export async function publishRootAuthority(options: RootAuthorityOptions, signal: AbortSignal): Promise<void> {
  const { client, release, authority } = options;
  if (authority.current === undefined) {
    client.log.warn("no CA is published: set --root-ca-file, or add a CA to the client configuration");
    return;
  }
  if (compareReleases(release, SINCE) < 0) return;
  const { annotations, objectNames } = vocabularyOf(client.vocabulary);
  const described =
    compareReleases(release, DESCRIBED_SINCE) < 0 ? undefined : { [annotations.description]: DESCRIPTION };

  const name = objectNames.rootCaCrt;
  const data = (): Record<string, string> => ({ "ca.crt": authority.current ?? "" });
  function mend(found: coreV1.ConfigMap): coreV1.ConfigMap | undefined {
    const wanted = data();
    const isDescribed = described === undefined || found.metadata?.annotations?.[annotations.description] !== undefined;
    if (isDescribed && sameJson(found.data ?? {}, wanted)) return undefined;
    const metadata = { ...found.metadata, annotations: { ...described, ...found.metadata?.annotations } };
    return { ...found, metadata, data: wanted };
  }
  const make = (namespace: string): coreV1.ConfigMap => ({
    metadata: { name, namespace, ...(described && { annotations: described }) },
    data: data(),
  });
  const type = builtInTypes(client.vocabulary).configMaps;
  await maintainObjectPerNamespace(
    { ...options, queue: "root_ca_cert_publisher", type, name, make, mend, follow: authority.follow },
    signal,
  );
}
