// The seed with which this server encrypts, encrypted by the present key of the service. The service is polled for its
// key id. If it cannot be reached for long, encryption stops, because the key may have been revoked.

import { randomBytes } from "node:crypto";
import { CachedHealth } from "./cached-health";
import type { EncryptedKey } from "./encrypted-object";
import type { KmsChannelDeps } from "./kms-channel";
import { kmsUnavailable, refused } from "./kms-failures";
import type { KmsV2Service } from "./kms-v2-service";
import { SEED_BYTES } from "./seeded-cipher";

const POLL_MS = 60_000;
const POLL_AFTER_FAILURE_MS = 10_000;
/** How long a seed may be used after the request of the last status that confirmed its key. */
const WRITES_FOR_MS = 180_000;

export interface Seed {
  readonly bytes: Buffer;
  readonly key: EncryptedKey;
}

export interface WriteSeedDeps extends KmsChannelDeps {
  readonly provider: string;
  readonly service: KmsV2Service;
  /** Called when a new seed is used. */
  readonly changed: (seed: Seed) => void;
}

export class WriteSeed {
  private current: { readonly seed: Seed; untilMs: number } | undefined;
  private readonly standing: CachedHealth;
  private cancelPoll: () => void = () => {};
  private closed = false;

  constructor(private readonly deps: WriteSeedDeps) {
    this.standing = new CachedHealth(deps.clock, () => this.look());
    this.poll();
  }

  /** Id of the key used for writes; undefined: unknown. */
  get keyId(): string | undefined {
    return this.current?.seed.key.keyId;
  }

  /** Returns the seed that may be used now. */
  usable(): Seed | undefined {
    const { current } = this;
    return current !== undefined && this.deps.clock.elapsed() < current.untilMs ? current.seed : undefined;
  }

  /** @throws EncryptionError when there is no usable seed after a status call */
  async awaitUsable(): Promise<Seed> {
    let why = "";
    await this.standing.check().catch((error: unknown) => {
      why = `: ${(error as Error).message}`;
    });
    const seed = this.usable();
    if (seed !== undefined) return seed;
    const since = this.current === undefined ? "" : ` for ${WRITES_FOR_MS / 1000} s`;
    throw kmsUnavailable(this.deps.provider, `not used for writes because it has been unhealthy${since}${why}`);
  }

  /** @throws EncryptionError when the service is not healthy */
  check(): Promise<void> {
    return this.standing.check();
  }

  close(): void {
    this.closed = true;
    this.cancelPoll();
  }

  private poll(): void {
    const again = (afterMs: number): void => {
      if (this.closed) return;
      this.cancelPoll = this.deps.clock.after(afterMs, () => this.poll(), { background: true });
    };
    this.standing.lookNow().then(
      () => again(POLL_MS),
      () => again(POLL_AFTER_FAILURE_MS),
    );
  }

  private async look(): Promise<void> {
    const { clock, service } = this.deps;
    const untilMs = clock.elapsed() + WRITES_FOR_MS;
    const keyId = await service.currentKeyId();
    if (this.current?.seed.key.keyId === keyId) {
      this.current.untilMs = untilMs;
      return;
    }
    // The former seed stays in use, as long as it may, until there is a new one.
    const seed = await this.freshSeed();
    this.current = { seed, untilMs };
    this.deps.changed(seed);
  }

  private async freshSeed(): Promise<Seed> {
    const { clock, observer, service } = this.deps;
    const begunAtMs = clock.elapsed();
    try {
      const bytes = randomBytes(SEED_BYTES);
      const key = await service.encrypt(bytes);
      // Thousands of values will depend on the seed, so it is verified before its first use.
      if (!(await service.decrypt(key)).equals(bytes))
        throw refused(this.deps.provider, "it cannot decrypt a value that it encrypted");
      observer.keyMade((clock.elapsed() - begunAtMs) / 1000);
      return { bytes, key };
    } catch (error) {
      observer.keyFailed();
      throw error;
    }
  }
}
