// Root CA certificate publisher: writes the authorities of the API server into a config map in every namespace, which
// pods mount.
// Source: pkg/controller/certificates/rootcacertpublisher/publisher.go.
import { builtInTypes, type Client, type QueueMetrics } from "@orch/client";
import { sameJson } from "@orch/machinery";
import { compareReleases, type coreV1, type VocabularyName, vocabularyOf } from "@orch/schema";
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

/** Returns the config map of a namespace. @param authority PEM */
export function rootAuthorityMap(
  { vocabulary, release }: { readonly vocabulary: VocabularyName; readonly release: string },
  authority: string,
  namespace: string,
): coreV1.ConfigMap {
  const { annotations, objectNames } = vocabularyOf(vocabulary);
  const isDescribed = compareReleases(release, DESCRIBED_SINCE) >= 0;
  return {
    metadata: {
      name: objectNames.rootCaCrt,
      namespace,
      ...(isDescribed && { annotations: { [annotations.description]: DESCRIPTION } }),
    },
    data: { "ca.crt": authority },
  };
}

/** Reports whether a release has the map. */
export const hasRootAuthorityMap = (release: string): boolean => compareReleases(release, SINCE) >= 0;

/** Runs the controller until the signal is aborted. */
export async function publishRootAuthority(options: RootAuthorityOptions, signal: AbortSignal): Promise<void> {
  const { client, release, authority } = options;
  if (authority.current === undefined) {
    client.log.warn("no CA is published: set --root-ca-file, or add a CA to the client configuration");
    return;
  }
  if (!hasRootAuthorityMap(release)) return;
  const { vocabulary } = client;
  const { annotations, objectNames } = vocabularyOf(vocabulary);
  const name = objectNames.rootCaCrt;
  const make = (namespace: string) => rootAuthorityMap({ vocabulary, release }, authority.current ?? "", namespace);
  function mend(found: coreV1.ConfigMap): coreV1.ConfigMap | undefined {
    const { metadata, data = {} } = make("");
    const described = metadata?.annotations;
    const isDescribed = described === undefined || found.metadata?.annotations?.[annotations.description] !== undefined;
    if (isDescribed && sameJson(found.data ?? {}, data)) return undefined;
    return {
      ...found,
      metadata: { ...found.metadata, annotations: { ...described, ...found.metadata?.annotations } },
      data,
    };
  }
  const type = builtInTypes(client.vocabulary).configMaps;
  await maintainObjectPerNamespace(
    { ...options, queue: "root_ca_cert_publisher", type, name, make, mend, follow: authority.follow },
    signal,
  );
}
