// Encryption with KMS v2: one seed for all writes of this server, so that the service is seldom called. Source:
// KEP-3299; Kubernetes documentation, "Using a KMS provider for data encryption".

import { openGcm } from "../aes";
import { type Decrypted, EncryptionError, type EncryptionProvider, type KmsTerms } from "../provider";
import { DataKeys } from "./data-keys";
import { identityOf, type KeyKind, readObject, type StoredObject, writeObject } from "./encrypted-object";
import type { KmsChannelDeps } from "./kms-channel";
import { refused } from "./kms-failures";
import { IntervalMeter } from "./kms-observer";
import { KmsV2Service } from "./kms-v2-service";
import { openBySeed, SEED_BYTES, sealBySeed } from "./seeded-cipher";
import { type Seed, WriteSeed } from "./write-seed";

/** Maximum number of cached keys. Far larger than the number of servers and keys. */
const KEYS_MAX = 1000;
const OPEN = { key: openGcm, seed: openBySeed } as const;
const DATA_KEY_LENGTHS: Readonly<Record<KeyKind, readonly [min: number, max: number]>> = {
  key: [32, 32],
  seed: [SEED_BYTES, 1024],
};

export class KmsV2 implements EncryptionProvider {
  readonly prefix: string;
  private readonly name: string;
  private readonly service: KmsV2Service;
  private readonly keys = new DataKeys(KEYS_MAX);
  private readonly writing: WriteSeed;
  private readonly passing: IntervalMeter;

  constructor(
    terms: KmsTerms,
    private readonly deps: KmsChannelDeps,
  ) {
    this.name = terms.name;
    this.prefix = `kms:v2:${terms.name}:`;
    this.service = new KmsV2Service(terms, deps);
    this.passing = new IntervalMeter(deps);
    // A value written with the seed will soon be read from the store.
    const changed = ({ bytes, key }: Seed) => this.keys.keep(identityOf(key), bytes);
    this.writing = new WriteSeed({ ...deps, provider: terms.name, service: this.service, changed });
  }

  encrypt(plain: Buffer, place: string): Buffer | Promise<Buffer> {
    this.passing.note("to_storage");
    const seed = this.writing.usable();
    if (seed !== undefined) return this.sealed(seed, plain, place);
    return this.writing.awaitUsable().then((found) => this.sealed(found, plain, place));
  }

  decrypt(payload: Buffer, place: string): Decrypted | Promise<Decrypted> {
    this.passing.note("from_storage");
    const stored = readObject(payload);
    if (typeof stored === "string") throw new EncryptionError(stored);
    const id = identityOf(stored.key);
    const key = this.keys.get(id);
    if (key !== undefined) return this.opened(key, stored, place);
    this.deps.observer.keyMissed();
    return this.keys.ask(id, () => this.dataKey(stored)).then((found) => this.opened(found, stored, place));
  }

  private sealed({ bytes, key }: Seed, plain: Buffer, place: string): Buffer {
    this.deps.observer.keyUsed(this.name, key.keyId, "to_storage");
    return writeObject(key, sealBySeed(bytes, plain, place));
  }

  check(): Promise<void> {
    return this.writing.check();
  }

  close(): void {
    this.writing.close();
    this.service.close();
  }

  private async dataKey({ key, kind }: StoredObject): Promise<Buffer> {
    const found = await this.service.decrypt(key);
    const [min, max] = DATA_KEY_LENGTHS[kind];
    if (found.length >= min && found.length <= max) return found;
    throw refused(this.name, `it returned a data key of ${found.length} bytes`);
  }

  private opened(key: Buffer, { kind, sealed, key: { keyId } }: StoredObject, place: string): Decrypted {
    const current = this.writing.keyId;
    this.deps.observer.keyUsed(this.name, keyId, "from_storage");
    return { plain: OPEN[kind](key, sealed, place), isStale: current !== undefined && keyId !== current };
  }
}
