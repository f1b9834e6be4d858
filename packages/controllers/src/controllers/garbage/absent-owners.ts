// Cache of owners that are known to be absent, so that many dependents of one owner cause one lookup. UIDs are never
// reused: an absent owner stays absent.
import { type Identity, identityText } from "./identity";

/** Maximum number of entries. Source: pkg/controller/garbagecollector/garbagecollector.go. */
const KEPT = 500;

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
