// Admission webhook configurations, and checks that they are in force.
import type { AdmissionWebhooks } from "./admission-webhook";
import { eventually } from "./eventually";
import type { ApiClient } from "./https-client";
import { accepts } from "./webhook-behaviours";

const GROUP = "/apis/admissionregistration.orch.io/v1";

export type WebhookKind = "mutating" | "validating";

export interface WebhookEntry {
  /** Name of the entry, without the domain. */
  readonly name: string;
  /** Address of the webhook. */
  readonly clientConfig: object;
  readonly failurePolicy?: "Ignore" | "Fail";
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly sideEffects?: string;
  readonly reinvocationPolicy?: string;
  readonly rules?: readonly object[];
  readonly objectSelector?: object;
  readonly namespaceSelector?: object;
}

export const pathOf = (kind: WebhookKind): string => `${GROUP}/${kind}webhookconfigurations`;

/** A configuration for config maps with a label that names it, unless the entry has other rules. */
export function configurationOf(kind: WebhookKind, name: string, webhooks: readonly WebhookEntry[]): object {
  return {
    apiVersion: "admissionregistration.orch.io/v1",
    kind: kind === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: webhooks.map((entry) => ({
      rules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE", "DELETE"], resources: ["configmaps"] },
      ],
      objectSelector: { matchLabels: { hook: name } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: 5,
      ...entry,
      name: `${entry.name}.example.com`,
    })),
  };
}

const MAPS = "/api/v1/namespaces/default/configmaps";

/** A config map that the named configuration matches. */
export const hooked = (hook: string, name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { hook } },
  ...more,
});

/**
 * Creates a configuration and waits until its webhooks at these paths are called; the behaviours of the test start
 * after that.
 */
export async function enforce(
  client: ApiClient,
  webhooks: AdmissionWebhooks,
  of: {
    readonly kind: WebhookKind;
    readonly name: string;
    readonly entries: readonly WebhookEntry[];
    readonly paths: readonly string[];
  },
): Promise<void> {
  for (const path of of.paths) webhooks.does(path, accepts);
  const created = await client.post(pathOf(of.kind), configurationOf(of.kind, of.name, of.entries));
  if (created.status !== 201) throw new Error(`${of.name}: ${created.body}`);
  await inForce(client, webhooks, of);
  webhooks.asked = [];
}

/** Waits until the webhooks are called. The probes are dry runs. */
export async function inForce(
  client: ApiClient,
  webhooks: AdmissionWebhooks,
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
): Promise<void> {
  await eventually(`${name} is in force`, async () => {
    await client.post(`${MAPS}?dryRun=All`, hooked(name, `canary-${name}`));
    return paths.every((path) => webhooks.askedAt(path).length > 0);
  });
}

export async function lift(client: ApiClient, kind: WebhookKind, name: string): Promise<void> {
  await client.delete(`${pathOf(kind)}/${name}`);
}
