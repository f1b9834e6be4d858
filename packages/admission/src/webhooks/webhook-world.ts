// What both webhook plugins see of the world.
import type { AdmissionRule } from "../plugin";
import type { AdmissionWorld } from "../world";
import type { ConsultationDeps } from "./webhook-consultation";
import { WebhookSource } from "./webhook-list";
import type { WebhookType } from "./webhook-observer";

export const WEBHOOK_READS = [
  "vocabulary",
  "release",
  "objects",
  "webhooks",
  "webhookObserver",
  "conversion",
  "valuesHere",
] as const satisfies readonly (keyof AdmissionWorld)[];

export type WebhookWorld = Pick<AdmissionWorld, (typeof WEBHOOK_READS)[number]>;

/** Of which requests there are webhooks is for their configurations to say. */
export const EVERY_OPERATION: readonly AdmissionRule[] = [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }];

/** @param resource of the configurations */
export function webhookSource({ vocabulary, release, objects }: WebhookWorld, resource: string): WebhookSource {
  const configurations = objects.followed({ group: vocabulary.groups.admissionregistration, resource });
  return new WebhookSource({ vocabulary, release, configurations });
}

export function consultationDeps(world: WebhookWorld, type: WebhookType): ConsultationDeps {
  const { vocabulary, release, webhooks: caller, webhookObserver: observer } = world;
  return { type, vocabulary, release, caller, observer };
}
