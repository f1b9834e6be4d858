// Recognizes the service of this API server in a webhook configuration: it is reached at its listening address,
// whatever the cluster network is.
import { DEFAULT_NAMESPACE } from "@orch/apis";
import { type ServiceReference, type ServiceResolver, serviceHostName, type WebhookAddress } from "@orch/extensions";
import { isUnspecified } from "@orch/http-server";
import type { Vocabulary } from "@orch/schema";

const PORT = 443;

export interface OwnAddress {
  /** Configured bind address. */
  readonly bindAddress: string;
  /** Port on which the server listens. */
  readonly securePort: () => number;
}

const ownReference = ({ objectNames }: Vocabulary): ServiceReference => ({
  namespace: DEFAULT_NAMESPACE,
  name: objectNames.product,
  port: PORT,
});

/** `<host>:<port>` */
export function ownServiceTarget(vocabulary: Vocabulary): string {
  const own = ownReference(vocabulary);
  return `${serviceHostName(own)}:${own.port}`;
}

const isSame = (one: ServiceReference, other: ServiceReference): boolean =>
  one.namespace === other.namespace && one.name === other.name && one.port === other.port;

export const isOwnService = (service: WebhookAddress["service"], vocabulary: Vocabulary): boolean =>
  service !== undefined && isSame(service, ownReference(vocabulary));

/** Reports whether an aggregated API server serves a group version. */
export type IsAggregated = (group: string, version: string) => boolean;

/**
 * Returns the reason why a webhook must not be called at the service of this API; undefined for an allowed one. The
 * service leads to this API server. Only the paths of aggregated APIs are allowed, because aggregated API servers may
 * implement webhooks; another path would let the author of a webhook configuration address this API with the
 * credentials and the source address of the server.
 */
export function ownServiceRefusal(
  { service, url }: Pick<WebhookAddress, "service" | "url">,
  vocabulary: Vocabulary,
  isAggregated: IsAggregated,
): string | undefined {
  const own = ownReference(vocabulary);
  if (!isOwnService(service, vocabulary)) return undefined;
  const [, group = "", version = ""] = AGGREGATED.exec(url.pathname) ?? [];
  if (group !== "" && isAggregated(group, version)) return undefined;
  return `service ${own.namespace}/${own.name} is the service of the API itself: only a path of an aggregated API, /apis/<group>/<version>/..., may be called there; name the service of the webhook`;
}

/** Path below a group version, without percent-encoded characters, which may decode to another path. */
const AGGREGATED = /^\/apis\/([a-z0-9.-]+)\/([a-z0-9]+)\/[^%]*$/;

export function withOwnService(
  resolve: ServiceResolver,
  vocabulary: Vocabulary,
  { bindAddress, securePort }: OwnAddress,
): ServiceResolver {
  const own = ownReference(vocabulary);
  return async (asked) =>
    isSame(asked, own)
      ? { host: isUnspecified(bindAddress) ? "127.0.0.1" : bindAddress, port: securePort() }
      : resolve(asked);
}
