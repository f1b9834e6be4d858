// The keys whose tokens are taken now: they come from files that change.
import type { CompactToken } from "./compact-token";
import { isSignedBy, type VerificationKey } from "./token-keys";

export class KeyRing {
  /** Another number whenever the keys are others. */
  version = 0;
  private byId: ReadonlyMap<string, VerificationKey> = new Map();
  private readonly sources = new Map<string, readonly VerificationKey[]>();

  /** All keys, each once. */
  get keys(): readonly VerificationKey[] {
    return [...this.byId.values()];
  }

  /** Takes the place of what came from the same source, such as a file, before. */
  replace(source: string, keys: readonly VerificationKey[]): void {
    this.sources.set(source, keys);
    this.byId = new Map([...this.sources.values()].flat().map((key) => [key.id, key]));
    this.version += 1;
  }

  /** The key that the token names is asked alone; where it is none of these, any of them may have signed it under another name. */
  hasSigned(token: CompactToken): boolean {
    const named = this.byId.get(token.keyId);
    if (named !== undefined) return isSignedBy(token, named);
    for (const key of this.byId.values()) if (isSignedBy(token, key)) return true;
    return false;
  }
}
