// The providers of the values of one resource. The first provider encrypts; all of them may decrypt.
//
//   providers: secretbox new | secretbox old | identity        writes: orch:enc:secretbox:v1:new:…
//   reads      orch:enc:secretbox:v1:new:…   current
//              orch:enc:secretbox:v1:old:…   stale: any write of the same value uses the new key
//              {"kind":"Secret",…}           stale
//              orch:enc:aescbc:v1:old:…      unreadable: no matching prefix found
import type { Clock } from "@orch/platform";
import type { ValueMark } from "../contract/contract";
import { type Decrypted, EncryptionError, type EncryptionProvider } from "./provider";

/** A value as its reader sees it. */
export interface OpenedValue {
  readonly value: Buffer;
  readonly mark?: ValueMark;
  /** Whether the value is unreadable only because a service is unavailable. */
  readonly isTransient?: boolean;
}

/** Called for every value that is encrypted or decrypted. */
export type TransformationObserver = (what: {
  readonly type: "to_storage" | "from_storage";
  /** `orch:enc:aescbc:v1:key1`, `identity`; `unknown` for a value that no provider could read. */
  readonly prefix: string;
  readonly isDone: boolean;
  readonly seconds: number;
}) => void;

export interface ProvidersDeps {
  /** Prefix of every encrypted value, and of no other: `orch:enc:`. */
  readonly marker: string;
  readonly clock: Clock;
  readonly observe: TransformationObserver;
}

const STALE: ValueMark = { kind: "stale" };

/**
 * Time for which reads do not ask an unavailable service again. Otherwise each of thousands of values would wait for
 * the timeout.
 */
const AWAY_MS = 1000;

interface Row {
  readonly provider: EncryptionProvider;
  /** The whole prefix of its values; undefined for unencrypted values. */
  readonly begin: Buffer | undefined;
  /** Label in metrics and messages. */
  readonly label: string;
  awayUntilMs: number;
  unavailable: unknown;
}

export class ValueProviders {
  private readonly marker: Buffer;
  private readonly rows: readonly [Row, ...Row[]];

  constructor(
    private readonly deps: ProvidersDeps,
    [first, ...others]: readonly [EncryptionProvider, ...EncryptionProvider[]],
  ) {
    this.marker = Buffer.from(deps.marker);
    this.rows = [this.row(first), ...others.map((provider) => this.row(provider))];
  }

  /** @throws EncryptionError */
  seal(plain: Buffer, key: string): Buffer | Promise<Buffer> {
    const [{ provider, begin, label }] = this.rows;
    if (begin === undefined) {
      this.deps.observe({ type: "to_storage", prefix: label, isDone: true, seconds: 0 });
      return plain;
    }
    return this.timed("to_storage", label, (): Buffer | Promise<Buffer> => {
      const payload = provider.encrypt(plain, key);
      return payload instanceof Promise
        ? payload.then((bytes) => Buffer.concat([begin, bytes]))
        : Buffer.concat([begin, payload]);
    });
  }

  /** Decrypts a stored value. Never throws: an unreadable value carries the reason. */
  open(stored: Buffer, key: string): OpenedValue | Promise<OpenedValue> {
    return this.openFrom(0, stored, key, undefined);
  }

  /** @param failure error of an earlier provider that matched the value */
  private openFrom(
    from: number,
    stored: Buffer,
    key: string,
    failure: EncryptionError | undefined,
  ): OpenedValue | Promise<OpenedValue> {
    const isMarked = beginsWith(stored, this.marker);
    let failed = failure;
    for (let at = from; at < this.rows.length; at += 1) {
      const row = this.rows[at] as Row;
      if (row.begin === undefined ? isMarked : !isMarked || !beginsWith(stored, row.begin)) continue;
      if (row.begin === undefined) {
        this.deps.observe({ type: "from_storage", prefix: row.label, isDone: true, seconds: 0 });
        return opened(stored, at > 0);
      }
      try {
        const decrypted = this.decrypt(row, stored.subarray(row.begin.length), key);
        if (!(decrypted instanceof Promise)) return opened(decrypted.plain, at > 0 || decrypted.isStale);
        return decrypted.then(
          ({ plain, isStale }) => opened(plain, at > 0 || isStale),
          (error: unknown) => this.openFrom(at + 1, stored, key, worse(failed, errorOf(error, row.label))),
        );
      } catch (error) {
        failed = worse(failed, errorOf(error, row.label));
      }
    }
    if (failed === undefined) this.deps.observe({ type: "from_storage", prefix: "unknown", isDone: false, seconds: 0 });
    return unreadable(stored, failed);
  }

  private decrypt(row: Row, payload: Buffer, key: string): Decrypted | Promise<Decrypted> {
    if (row.unavailable !== undefined) {
      if (this.deps.clock.elapsed() < row.awayUntilMs) throw row.unavailable;
      row.unavailable = undefined;
    }
    const decrypted = this.timed("from_storage", row.label, () => row.provider.decrypt(payload, key));
    if (!(decrypted instanceof Promise)) return decrypted;
    return decrypted.catch((error: unknown) => {
      if (error instanceof EncryptionError && error.isTransient) {
        row.unavailable = error;
        row.awayUntilMs = this.deps.clock.elapsed() + AWAY_MS;
      }
      throw error;
    });
  }

  private row(provider: EncryptionProvider): Row {
    const { marker } = this.deps;
    const { prefix } = provider;
    return {
      provider,
      begin: prefix === undefined ? undefined : Buffer.from(marker + prefix),
      label: prefix === undefined ? "identity" : `${marker}${prefix.slice(0, -1)}`,
      awayUntilMs: 0,
      unavailable: undefined,
    };
  }

  private timed<T>(type: "to_storage" | "from_storage", prefix: string, act: () => T | Promise<T>): T | Promise<T> {
    const begun = performance.now();
    const told = (isDone: boolean) =>
      this.deps.observe({ type, prefix, isDone, seconds: (performance.now() - begun) / 1000 });
    try {
      const made = act();
      if (made instanceof Promise) {
        made.then(
          () => told(true),
          () => told(false),
        );
      } else told(true);
      return made;
    } catch (error) {
      told(false);
      throw error;
    }
  }
}

/** Returns a value for which no provider is configured: unchanged, unless it begins with the encryption marker. */
export function openUnconfigured(stored: Buffer, marker: Buffer): OpenedValue {
  return beginsWith(stored, marker) ? unreadable(stored, undefined) : { value: stored };
}

function opened(value: Buffer, isStale: boolean): OpenedValue {
  return isStale ? { value, mark: STALE } : { value };
}

function unreadable(value: Buffer, failure: EncryptionError | undefined): OpenedValue {
  const { message: why, isTransient } = failure ?? { message: "no matching prefix found", isTransient: false };
  return { value, mark: { kind: "unreadable", why }, isTransient };
}

/** Returns the more useful error: one that may pass later is preferred. */
const worse = (one: EncryptionError | undefined, other: EncryptionError): EncryptionError =>
  one === undefined || (other.isTransient && !one.isTransient) ? other : one;

/** Adds the provider's label. The message of a foreign error is not included. */
function errorOf(error: unknown, label: string): EncryptionError {
  const isOwn = error instanceof EncryptionError;
  return new EncryptionError(`${label}: ${isOwn ? error.message : "it cannot be decrypted"}`, {
    cause: error,
    isTransient: isOwn && error.isTransient,
  });
}

function beginsWith(bytes: Buffer, begin: Buffer): boolean {
  if (bytes[0] !== begin[0] || bytes.length < begin.length) return false;
  return bytes.compare(begin, 0, begin.length, 0, begin.length) === 0;
}
