// What both webhook plugins see of the world.
import type { JsonValue } from "@orch/schema";
import type { AdmissionRule } from "../plugin";
import type { AdmissionWorld } from "../world";
import { credentialsFile } from "./credentials-file";
import { WebhookConsultation } from "./webhook-consultation";
import { WebhookSource } from "./webhook-list";
import type { WebhookType } from "./webhook-observer";

export const WEBHOOK_READS = [
  "vocabulary",
  "release",
  "objects",
  "authorizer",
  "webhooks",
  "webhookObserver",
  "conversion",
  "valuesHere",
] as const satisfies readonly (keyof AdmissionWorld)[];

export type WebhookWorld = Pick<AdmissionWorld, (typeof WEBHOOK_READS)[number]>;

/** Of which requests there are webhooks is for their configurations to say. */
export const EVERY_OPERATION: readonly AdmissionRule[] = [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }];

export function webhookSource({ vocabulary, release, objects }: WebhookWorld, type: WebhookType): WebhookSource {
  const kind = KINDS[type];
  const resource = `${kind.toLowerCase()}s`;
  const configurations = objects.followed({ group: vocabulary.groups.admissionregistration, resource });
  return new WebhookSource({ vocabulary, release, kind, configurations });
}

const KINDS = { admit: "MutatingWebhookConfiguration", validating: "ValidatingWebhookConfiguration" } as const;

/**
 * @param configuration of the plugin
 * @throws Error for one that breaks its rules, or that names a file which cannot be used
 */
export function webhookConsultation(
  { vocabulary, release, webhooks, webhookObserver: observer }: WebhookWorld,
  type: WebhookType,
  configuration: JsonValue | undefined,
): WebhookConsultation {
  const file = credentialsFile(configuration, vocabulary);
  const caller = file === undefined ? webhooks : webhooks?.withCredentials(file);
  return new WebhookConsultation({ type, vocabulary, release, caller, observer });
}
