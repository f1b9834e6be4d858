// Owners by identity: which reference describes which object, and owners that are known to be absent.
import type { OwnerReference } from "@orch/machinery";
import type { Identity } from "../../framework/objects/identity";

/** Returns whether a reference describes this object; references contain no namespace. */
export const matches = (reference: OwnerReference, { uid, kind, name, apiVersion }: Identity): boolean =>
  reference.uid === uid && reference.kind === kind && reference.name === name && reference.apiVersion === apiVersion;

export const identityText = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  JSON.stringify([apiVersion, kind, namespace, name, uid]);

/** Maximum number of absent owners that are kept. Source: pkg/controller/garbagecollector/garbagecollector.go. */
const KEPT = 500;

/**
 * Cache of owners that are known to be absent, so that many dependents of one owner cause one lookup. UIDs are never
 * reused: an absent owner stays absent.
 */
export class AbsentOwners {
  private readonly texts = new Set<string>();

  has(identity: Identity): boolean {
    return this.texts.has(identityText(identity));
  }

  add(identity: Identity): void {
    const text = identityText(identity);
    this.texts.delete(text); // moves the entry to the end: the oldest one is evicted first
    this.texts.add(text);
    if (this.texts.size > KEPT) for (const oldest of this.texts) return void this.texts.delete(oldest);
  }
}
