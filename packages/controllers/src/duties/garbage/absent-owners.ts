// Owners that are known to be gone, so that many dependents of one owner cost one question. Uids are never used twice: what is
// absent once is absent for ever.
import { type Identity, identityText } from "./identity";

/** Source: facts, controllers.md "garbagecollector". */
const KEPT = 500;

export class AbsentOwners {
  private readonly texts = new Set<string>();

  has(identity: Identity): boolean {
    return this.texts.has(identityText(identity));
  }

  add(identity: Identity): void {
    const text = identityText(identity);
    this.texts.delete(text); // to the end: the longest unused goes first
    this.texts.add(text);
    if (this.texts.size > KEPT) for (const oldest of this.texts) return void this.texts.delete(oldest);
  }
}
