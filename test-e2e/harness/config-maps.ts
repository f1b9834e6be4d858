// ConfigMaps, the object that most tests use: no defaults, no status, any content.
import type { ApiObject } from "./api-object";
import type { Answer, ApiClient } from "./https-client";

export interface ConfigMapBody {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
}

/** Path of the collection in a namespace. */
export const configMapsPath = (namespace = "default") => `/api/v1/namespaces/${namespace}/configmaps`;

export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): ConfigMapBody & { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/**
 * Creates a namespace for a test, so that lists contain only that test's objects. Returns the path of its ConfigMaps.
 */
export async function freshNamespace(client: ApiClient, name: string): Promise<string> {
  await expectStatus(
    201,
    client.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
  );
  return configMapsPath(name);
}

/** Returns the object of an answer with the expected status. @throws Error with the body otherwise */
export async function expectStatus(status: number, sent: Promise<Answer>): Promise<ApiObject> {
  const answer = await sent;
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.body.slice(0, 500)}`);
  return answer.object();
}

/** Runs `count` tasks, `atOnce` of them at a time. */
export async function inParallel(count: number, atOnce: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
