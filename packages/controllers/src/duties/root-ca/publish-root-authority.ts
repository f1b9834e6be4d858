// Writes the authorities by which the API server is known into a config map of every namespace, for pods to mount.
// Source: facts, controllers.md "root-ca-cert-publisher".
import { builtInTypes, type Client, type QueueMetrics } from "@orch/client";
import { sameJson } from "@orch/machinery";
import { compareReleases, type coreV1, vocabularyOf } from "@orch/schema";
import type { FollowedFile } from "../../manager/followed-file";
import { keepOneInEachNamespace } from "../../manager/one-in-each-namespace";

export interface RootAuthorityOptions {
  readonly client: Client;
  /** That the server emulates: `1.23`. */
  readonly release: string;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** PEM. */
  readonly authority: FollowedFile<string | undefined>;
}

/** Releases before it have no such map, and those before the other say nothing of its use. */
const SINCE = "1.20";
const DESCRIBED_SINCE = "1.21";
const DESCRIPTION =
  "The authorities by which the API server is known under its names inside the cluster. They may not be those of any other address of it.";

/** Works until the signal is aborted. */
export async function publishRootAuthority(options: RootAuthorityOptions, signal: AbortSignal): Promise<void> {
  const { client, release, authority } = options;
  if (authority.current === undefined) {
    client.log.warn("no authority is published: --root-ca-file names none, and the client configuration has none");
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
  await keepOneInEachNamespace(
    { ...options, queue: "root_ca_cert_publisher", type, name, make, mend, follow: authority.follow },
    signal,
  );
}
