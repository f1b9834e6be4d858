// Recognizes the service of this API server in a webhook configuration: it is reached at its listening address,
// whatever the cluster network is.
import { DEFAULT_NAMESPACE } from "@orch/apis";
import { type ServiceReference, type ServiceResolver, serviceHostName } from "@orch/extensions";
import type { Vocabulary } from "@orch/schema";
import { isUnspecified } from "../../http/serving-names";

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
export function ownTarget(vocabulary: Vocabulary): string {
  const own = ownReference(vocabulary);
  return `${serviceHostName(own)}:${own.port}`;
}

export function withOwnService(
  resolve: ServiceResolver,
  vocabulary: Vocabulary,
  { bindAddress, securePort }: OwnAddress,
): ServiceResolver {
  const own = ownReference(vocabulary);
  return async (asked) =>
    asked.namespace === own.namespace && asked.name === own.name && asked.port === own.port
      ? { host: isUnspecified(bindAddress) ? "127.0.0.1" : bindAddress, port: securePort() }
      : resolve(asked);
}
