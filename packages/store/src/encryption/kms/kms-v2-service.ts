// Calls of the KMS v2 service, with validation of its answers.

import { randomUUID } from "node:crypto";
import * as v2 from "../../generated/kms-v2";
import type { KmsTerms } from "../provider";
import { type EncryptedKey, encryptedKeyProblem, KEY_ID_PROBLEM, keyIdProblem } from "./encrypted-object";
import { KmsChannel, type KmsChannelDeps, type KmsMethod } from "./kms-channel";
import { kmsUnavailable, quoted, refused } from "./kms-failures";

const SERVICE = "/v2.KeyManagementService";
const STATUS: KmsMethod<v2.StatusRequest, v2.StatusResponse> = {
  path: `${SERVICE}/Status`,
  request: v2.StatusRequest,
  answer: v2.StatusResponse,
};
const ENCRYPT: KmsMethod<v2.EncryptRequest, v2.EncryptResponse> = {
  path: `${SERVICE}/Encrypt`,
  request: v2.EncryptRequest,
  answer: v2.EncryptResponse,
};
const DECRYPT: KmsMethod<v2.DecryptRequest, v2.DecryptResponse> = {
  path: `${SERVICE}/Decrypt`,
  request: v2.DecryptRequest,
  answer: v2.DecryptResponse,
};
const VERSIONS: readonly string[] = ["v2", "v2beta1"];
const NOTHING = Buffer.alloc(0);

export class KmsV2Service {
  private readonly channel: KmsChannel;

  constructor(
    private readonly terms: KmsTerms,
    private readonly deps: KmsChannelDeps,
  ) {
    this.channel = new KmsChannel(terms, deps);
  }

  /**
   * @returns the id of the key with which the service encrypts now
   * @throws EncryptionError when the service is not healthy
   */
  async currentKeyId(): Promise<string> {
    const { version = "", healthz = "", keyId = "" } = await this.channel.call(STATUS, {});
    if (!VERSIONS.includes(version))
      throw refused(this.terms.name, `it implements version ${quoted(version)}, not ${VERSIONS[0]}`);
    if (healthz !== "ok") throw kmsUnavailable(this.terms.name, `it reports the health ${quoted(healthz)}`);
    const problem = keyIdProblem(keyId);
    if (problem === undefined) {
      this.deps.observer.keyNamed(this.terms.name, keyId);
      return keyId;
    }
    this.deps.observer.invalidKeyId(this.terms.name, problem);
    throw refused(this.terms.name, KEY_ID_PROBLEM[problem]);
  }

  async encrypt(plaintext: Buffer): Promise<EncryptedKey> {
    const answer = await this.channel.call(ENCRYPT, { plaintext, uid: randomUUID() });
    const { keyId = "", ciphertext: source = NOTHING, annotations = {} } = answer;
    const key = { keyId, source, annotations };
    const problem = encryptedKeyProblem(key);
    if (problem !== undefined) throw refused(this.terms.name, problem);
    return key;
  }

  async decrypt({ source, keyId, annotations }: EncryptedKey): Promise<Buffer> {
    const request = { ciphertext: source, uid: randomUUID(), keyId, annotations };
    const { plaintext = NOTHING } = await this.channel.call(DECRYPT, request);
    return plaintext;
  }

  close(): void {
    this.channel.close();
  }
}
