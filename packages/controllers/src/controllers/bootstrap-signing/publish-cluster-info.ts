// Creates the cluster-info config map and makes it readable for everyone, as an operator does once per cluster.
// Source: Kubernetes documentation, "Authenticating with Bootstrap Tokens", "ConfigMap Signing".
import { ANONYMOUS_USER } from "@orch/auth";
import { builtInTypes, type Client, configurationText } from "@orch/client";
import { isCode } from "@orch/machinery";
import { Backoff, pauseUnlessAborted } from "@orch/platform";
import { type coreV1, type rbacV1, vocabularyOf } from "@orch/schema";

/** Name of the config map, from which joining machines learn the API server's address and authority. */
export const CLUSTER_INFO = "cluster-info";

/** Key in the map's data: a client configuration with only the server's address and authority. */
export const CLUSTER_INFO_KEY = "kubeconfig";

export interface PublishedServer {
  /** Address under which joining machines reach the server. */
  readonly server: string;
  /** PEM of the authority that verifies the server. */
  readonly authority: string;
}

/** Field manager of the map's data. */
const MANAGER = "cluster-info-publisher";
const ROLE = "cluster-info-reader";

const PAUSES = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Publishes the map; retries until it succeeds or the signal is aborted. Read access is granted only when the map is
 * created: an operator may have revoked it since. The content that another field manager owns is not overwritten.
 * @param client client with all permissions
 */
export async function publishClusterInfo(client: Client, of: PublishedServer, signal: AbortSignal): Promise<void> {
  const { log, clock, chance } = client;
  const pauses = new Backoff(PAUSES, { clock, chance });
  while (!signal.aborted) {
    try {
      await publish(client, of);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (isCode(error, 409)) {
        log.info("the ConfigMap cluster-info was written by another program and is not changed", {
          conflict: String(error),
        });
        return;
      }
      log.warn("cannot publish the ConfigMap cluster-info yet; retrying", { error: String(error) });
      await pauseUnlessAborted(clock, pauses.next(), signal);
    }
  }
}

/** @throws StatusError, ConnectionError */
async function publish(client: Client, of: PublishedServer): Promise<void> {
  const { public: namespace } = vocabularyOf(client.vocabulary).namespaces;
  const maps = client.resource(builtInTypes(client.vocabulary).configMaps).namespace(namespace);
  // The map is created last: if it exists, the role and its binding have been created.
  if ((await maps.find(CLUSTER_INFO)) === undefined) await letEverybodyRead(client, namespace);
  const map: coreV1.ConfigMap = {
    metadata: { name: CLUSTER_INFO, namespace },
    data: { [CLUSTER_INFO_KEY]: configurationOf(of) },
  };
  await maps.apply(map, { fieldManager: MANAGER });
}

async function letEverybodyRead(client: Client, namespace: string): Promise<void> {
  const { vocabulary } = client;
  const { groups } = vocabularyOf(vocabulary);
  const { roles, roleBindings } = builtInTypes(vocabulary);
  const metadata = { name: ROLE, namespace };
  const role: rbacV1.Role = {
    metadata,
    rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [CLUSTER_INFO], verbs: ["get"] }],
  };
  const binding: rbacV1.RoleBinding = {
    metadata,
    roleRef: { apiGroup: groups.rbac, kind: "Role", name: ROLE },
    subjects: [{ apiGroup: groups.rbac, kind: "User", name: ANONYMOUS_USER }],
  };
  await unlessPresent(client.resource(roles).create(role));
  await unlessPresent(client.resource(roleBindings).create(binding));
}

async function unlessPresent(created: Promise<unknown>): Promise<void> {
  await created.catch((error: unknown) => {
    if (!isCode(error, 409)) throw error;
  });
}

/** Returns the client configuration without a user: everyone may read it. */
function configurationOf({ server, authority }: PublishedServer): string {
  const cluster = { server, "certificate-authority-data": Buffer.from(authority).toString("base64") };
  return configurationText({
    clusters: new Map([["", cluster]]),
    users: new Map(),
    contexts: new Map(),
    currentContext: "",
  });
}
