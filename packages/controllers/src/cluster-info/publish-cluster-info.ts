// Makes the map by which machines that join find the API server, and lets everybody read it: what an operator does once for a cluster.
// Source: access-control, "Discovery map".
import { ANONYMOUS_USER } from "@orch/auth";
import { builtInTypes, type Client, configurationText } from "@orch/client";
import { isCode } from "@orch/machinery";
import { Backoff, pauseUnlessAborted } from "@orch/platform";
import { type coreV1, type rbacV1, vocabularyOf } from "@orch/schema";
import { CLUSTER_INFO, CLUSTER_INFO_KEY } from "./cluster-info";

export interface PublishedServer {
  /** Where machines reach it. */
  readonly server: string;
  /** PEM of the authority by which they know it. */
  readonly authority: string;
}

/** Of the map's field, which tells this one from those of others. */
const MANAGER = "cluster-info-publisher";
const ROLE = "cluster-info-reader";

const PAUSES = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Tries until it is done or the signal is aborted. Who may read the map is said when it is made, and never again: an operator may have taken
 * it back. A map that somebody else has written stays.
 * @param client of somebody who may do everything
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
        log.info("cluster-info is left as somebody else has written it", { conflict: String(error) });
        return;
      }
      log.warn("cluster-info is not published yet", { error: String(error) });
      await pauseUnlessAborted(clock, pauses.next(), signal);
    }
  }
}

/** @throws StatusError, ConnectionError */
async function publish(client: Client, of: PublishedServer): Promise<void> {
  const { public: namespace } = vocabularyOf(client.vocabulary).namespaces;
  const maps = client.resource(builtInTypes(client.vocabulary).configMaps).namespace(namespace);
  // The map last: where it is, the rest has been made.
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

/** Says nothing of any user: everybody may read it. */
function configurationOf({ server, authority }: PublishedServer): string {
  const cluster = { server, "certificate-authority-data": Buffer.from(authority).toString("base64") };
  return configurationText({
    clusters: new Map([["", cluster]]),
    users: new Map(),
    contexts: new Map(),
    currentContext: "",
  });
}
