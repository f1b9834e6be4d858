// Encryption with KMS v1 (v1beta1): each value has a data key of its own, which precedes it in the form in which the
// service encrypted it. Source: Kubernetes documentation, "Using a KMS provider for data encryption";
// staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/envelope/envelope.go.

import { randomBytes } from "node:crypto";
import * as v1beta1 from "../../generated/kms-v1beta1";
import { openCbc, openedGcm, sealCbc } from "../aes";
import { type Decrypted, EncryptionError, type EncryptionProvider, type KmsTerms } from "../provider";
import { CachedHealth } from "./cached-health";
import { DataKeys, keyIdentity } from "./data-keys";
import { KmsChannel, type KmsChannelDeps, type KmsMethod } from "./kms-channel";
import { quoted, refused } from "./kms-failures";
import { IntervalMeter } from "./kms-observer";

const SERVICE = "/v1beta1.KeyManagementService";
const VERSION: KmsMethod<v1beta1.VersionRequest, v1beta1.VersionResponse> = {
  path: `${SERVICE}/Version`,
  request: v1beta1.VersionRequest,
  answer: v1beta1.VersionResponse,
};
const ENCRYPT: KmsMethod<v1beta1.EncryptRequest, v1beta1.EncryptResponse> = {
  path: `${SERVICE}/Encrypt`,
  request: v1beta1.EncryptRequest,
  answer: v1beta1.EncryptResponse,
};
const DECRYPT: KmsMethod<v1beta1.DecryptRequest, v1beta1.DecryptResponse> = {
  path: `${SERVICE}/Decrypt`,
  request: v1beta1.DecryptRequest,
  answer: v1beta1.DecryptResponse,
};

const API_VERSION = "v1beta1";
const DATA_KEY_BYTES = 32;
const DATA_KEY_LENGTHS: readonly number[] = [16, 24, 32];
/** The length of the encrypted data key precedes it. */
const LENGTH_BYTES = 2;
const ENCRYPTED_KEY_MAX_BYTES = 2 ** 16 - 1;
const PING = Buffer.from("ping");

export class KmsV1 implements EncryptionProvider {
  readonly prefix: string;
  private readonly name: string;
  private readonly channel: KmsChannel;
  private readonly keys: DataKeys;
  private readonly passing: IntervalMeter;
  private readonly health: CachedHealth;
  /** Resolves when the service has confirmed its version. Asked once, and again after a failure. */
  private version: Promise<void> | undefined;

  constructor(
    terms: KmsTerms,
    private readonly deps: KmsChannelDeps,
  ) {
    this.name = terms.name;
    this.prefix = `kms:v1:${terms.name}:`;
    this.channel = new KmsChannel(terms, deps);
    this.keys = new DataKeys(terms.cacheSize);
    this.passing = new IntervalMeter(deps);
    this.health = new CachedHealth(deps.clock, () => this.ping());
  }

  async encrypt(plain: Buffer): Promise<Buffer> {
    this.passing.note("to_storage");
    const { key, encrypted } = await this.freshKey();
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(encrypted.length);
    return Buffer.concat([length, encrypted, sealCbc(key, plain)]);
  }

  decrypt(payload: Buffer, place: string): Decrypted | Promise<Decrypted> {
    this.passing.note("from_storage");
    const { encrypted, sealed } = this.parts(payload);
    const id = keyIdentity([encrypted]);
    const key = this.keys.get(id);
    if (key !== undefined) return this.opened(key, sealed, place);
    this.deps.observer.keyMissed();
    return this.keys.ask(id, () => this.dataKey(encrypted)).then((found) => this.opened(found, sealed, place));
  }

  check(): Promise<void> {
    return this.health.check();
  }

  close(): void {
    this.channel.close();
  }

  private async freshKey(): Promise<{ readonly key: Buffer; readonly encrypted: Buffer }> {
    const { clock, observer } = this.deps;
    const begunAtMs = clock.elapsed();
    try {
      const key = randomBytes(DATA_KEY_BYTES);
      const encrypted = await this.encryptedBy(key);
      observer.keyMade((clock.elapsed() - begunAtMs) / 1000);
      // The value that is written now will soon be read from the store.
      this.keys.keep(keyIdentity([encrypted]), key);
      this.noteKept();
      return { key, encrypted };
    } catch (error) {
      observer.keyFailed();
      throw error;
    }
  }

  private async dataKey(encrypted: Buffer): Promise<Buffer> {
    const key = await this.decryptedBy(encrypted);
    if (!DATA_KEY_LENGTHS.includes(key.length))
      throw refused(this.name, `it returned a data key of ${key.length} bytes`);
    this.noteKept();
    return key;
  }

  private async encryptedBy(plain: Buffer): Promise<Buffer> {
    await this.speaksVersion();
    const { cipher } = await this.channel.call(ENCRYPT, { version: API_VERSION, plain });
    if (cipher === undefined || cipher.length === 0 || cipher.length > ENCRYPTED_KEY_MAX_BYTES) {
      throw refused(this.name, `it returned an encrypted data key of ${cipher?.length ?? 0} bytes`);
    }
    return cipher;
  }

  private async decryptedBy(cipher: Buffer): Promise<Buffer> {
    await this.speaksVersion();
    const { plain } = await this.channel.call(DECRYPT, { version: API_VERSION, cipher });
    return plain ?? Buffer.alloc(0);
  }

  private speaksVersion(): Promise<void> {
    this.version ??= this.askVersion().catch((error: unknown) => {
      this.version = undefined;
      throw error;
    });
    return this.version;
  }

  private async askVersion(): Promise<void> {
    const { version } = await this.channel.call(VERSION, { version: API_VERSION });
    if (version !== API_VERSION)
      throw refused(this.name, `it implements version ${quoted(version ?? "")}, not ${API_VERSION}`);
  }

  private async ping(): Promise<void> {
    this.version = undefined; // another process may serve the socket by now
    const back = await this.decryptedBy(await this.encryptedBy(PING));
    if (!back.equals(PING)) throw refused(this.name, "it cannot decrypt a value that it encrypted");
  }

  private parts(payload: Buffer): { readonly encrypted: Buffer; readonly sealed: Buffer } {
    const length = payload.length < LENGTH_BYTES ? 0 : payload.readUInt16BE(0);
    const end = LENGTH_BYTES + length;
    if (length === 0 || payload.length < end) throw new EncryptionError("the value contains no encrypted data key");
    return { encrypted: payload.subarray(LENGTH_BYTES, end), sealed: payload.subarray(end) };
  }

  private opened(key: Buffer, sealed: Buffer, place: string): Decrypted {
    return { plain: this.open(key, sealed, place), isStale: false };
  }

  /**
   * Newer servers write with AES-GCM. It is tried first, because only an authenticated cipher detects whether it
   * applies.
   */
  private open(key: Buffer, sealed: Buffer, place: string): Buffer {
    return openedGcm(key, sealed, place) ?? openCbc(key, sealed);
  }

  private noteKept(): void {
    const { max, size } = this.keys;
    this.deps.observer.keysKept(max === 0 ? 0 : size / max);
  }
}
