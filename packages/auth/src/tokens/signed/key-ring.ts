// Keys whose tokens are accepted at present. They come from files that change.
import type { CompactToken } from "./compact-token";
import { hasSigned, type VerificationKey } from "./token-keys";

export class KeyRing {
  /** Changes whenever the keys change. */
  version = 0;
  private byId: ReadonlyMap<string, VerificationKey> = new Map();
  private readonly sources = new Map<string, readonly VerificationKey[]>();

  /** All keys, each once. */
  get keys(): readonly VerificationKey[] {
    return [...this.byId.values()];
  }

  /** Replaces the keys of a source, such as a file. */
  replace(source: string, keys: readonly VerificationKey[]): void {
    this.sources.set(source, keys);
    this.byId = new Map([...this.sources.values()].flat().map((key) => [key.id, key]));
    this.version += 1;
  }

  /**
   * Returns whether one of the keys signed the token. If the token names a known key, only that key is tried; otherwise
   * all keys are, since the signer may use another name for one of them.
   */
  hasSigned(token: CompactToken): boolean {
    const named = this.byId.get(token.keyId);
    if (named !== undefined) return hasSigned(named, token);
    for (const key of this.byId.values()) if (hasSigned(key, token)) return true;
    return false;
  }
}
