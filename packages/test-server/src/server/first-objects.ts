// The objects that controllers create in each namespace of a new server. They are created before the server is given to
// a test, which would otherwise have to wait for the controllers.
import { builtInTypes, type Client } from "@orch/client";
import { askedRelease, type Controller, hasRootAuthorityMap, rootAuthorityMap } from "@orch/controllers";
import { isCode, nameOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** @param controllers the controllers that will run @param authority PEM of the server's certificate authority */
export async function createFirstObjects(
  client: Client,
  controllers: readonly Controller[],
  authority: string,
): Promise<void> {
  const has = (name: string): boolean => controllers.some((controller) => controller.name === name);
  if (!has("serviceaccount") && !has("root-ca-cert-publisher")) return;
  const { vocabulary } = client;
  const { configMaps, namespaces, serviceAccounts } = builtInTypes(vocabulary);
  const release = await askedRelease(client);
  const publishes = has("root-ca-cert-publisher") && hasRootAuthorityMap(release);
  const { items } = await client.resource(namespaces).list();
  const names = items.map((item) => nameOf(item as JsonObject));
  const accounts = has("serviceaccount") ? names : [];
  const maps = publishes ? names : [];
  await Promise.all([
    ...accounts.map((namespace) =>
      client
        .resource(serviceAccounts)
        .create({ metadata: { name: "default", namespace } })
        .catch(unlessExists),
    ),
    ...maps.map((namespace) =>
      client
        .resource(configMaps)
        .create(rootAuthorityMap({ vocabulary, release }, authority, namespace))
        .catch(unlessExists),
    ),
  ]);
}

const CONFLICT = 409;

function unlessExists(error: unknown): void {
  if (!isCode(error, CONFLICT)) throw error;
}
