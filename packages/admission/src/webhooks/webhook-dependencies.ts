// Dependencies that both webhook plugins read.
import type { JsonValue } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionRule } from "../contract/plugin";
import type { WebhookType } from "../contract/webhook-observer";
import { credentialsFile } from "./credentials-file";
import { WebhookConsultation } from "./webhook-consultation";
import { WebhookSource } from "./webhook-list";

export const WEBHOOK_READS = [
  "vocabulary",
  "release",
  "objects",
  "authorizer",
  "webhooks",
  "webhookObserver",
  "conversion",
  "valuesHere",
] as const satisfies readonly (keyof AdmissionDependencies)[];

export type WebhookDependencies = Pick<AdmissionDependencies, (typeof WEBHOOK_READS)[number]>;

/** All operations; the rules of the webhook configurations select the requests. */
export const EVERY_OPERATION: readonly AdmissionRule[] = [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }];

export function webhookSource({ vocabulary, release, objects }: WebhookDependencies, type: WebhookType): WebhookSource {
  const kind = KINDS[type];
  const resource = `${kind.toLowerCase()}s`;
  const configurations = objects.lister({ group: vocabulary.groups.admissionregistration, resource });
  return new WebhookSource({ vocabulary, release, kind, configurations });
}

const KINDS = { admit: "MutatingWebhookConfiguration", validating: "ValidatingWebhookConfiguration" } as const;

/**
 * Creates the consultation.
 * @param configuration configuration of the plugin
 * @throws Error for an invalid configuration, or for a file that cannot be used
 */
export function webhookConsultation(
  { vocabulary, release, webhooks, webhookObserver: observer }: WebhookDependencies,
  type: WebhookType,
  configuration: JsonValue | undefined,
): WebhookConsultation {
  const file = credentialsFile(configuration, vocabulary);
  const caller = file === undefined ? webhooks : webhooks?.withCredentials(file);
  return new WebhookConsultation({ type, vocabulary, release, caller, observer });
}
