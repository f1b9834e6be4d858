// How the values of one resource lie in the store: the providers that its values may have been encrypted with, the first of which encrypts.
//
//   providers: secretbox new | secretbox old | identity        writes: orch:enc:secretbox:v1:new:…
//   reads      orch:enc:secretbox:v1:new:…   as it is
//              orch:enc:secretbox:v1:old:…   stale: any write of the same brings it under the new key
//              {"kind":"Secret",…}           stale
//              orch:enc:aescbc:v1:old:…      unreadable: no matching prefix found
import type { Clock } from "@orch/platform";
import type { ValueMark } from "../contract";
import { type Decrypted, EncryptionError, type EncryptionProvider } from "./provider";

/** A value as its reader sees it. */
export interface OpenedValue {
  readonly value: Buffer;
  readonly mark?: ValueMark;
  /** It is unreadable because of somebody who is away. */
  readonly isPassing?: boolean;
}

/** Hears of every value that is encrypted or decrypted. */
export type TransformationObserver = (what: {
  readonly type: "to_storage" | "from_storage";
  /** `orch:enc:aescbc:v1:key1`, `identity`; `unknown` for what nothing could read. */
  readonly prefix: string;
  readonly isDone: boolean;
  readonly seconds: number;
}) => void;

export interface ProvidersDeps {
  /** Begins every encrypted value, and no other: `orch:enc:`. */
  readonly marker: string;
  readonly clock: Clock;
  readonly observe: TransformationObserver;
}

export const STALE: ValueMark = { kind: "stale" };

/** Whoever did not answer is not asked again by reads for so long: of thousands of values each would wait for itself. */
const AWAY_MS = 1000;

interface Row {
  readonly provider: EncryptionProvider;
  /** The whole of what its values begin with; undefined for those that are as they are. */
  readonly begin: Buffer | undefined;
  /** For metrics and messages. */
  readonly label: string;
  awayUntilMs: number;
  away: unknown;
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

  /** Never throws: what cannot be read says why. */
  open(stored: Buffer, key: string): OpenedValue | Promise<OpenedValue> {
    return this.openFrom(0, stored, key, undefined);
  }

  /** @param failure of those that come before, where one of them was to know the value */
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
    if (row.away !== undefined) {
      if (this.deps.clock.elapsed() < row.awayUntilMs) throw row.away;
      row.away = undefined;
    }
    const decrypted = this.timed("from_storage", row.label, () => row.provider.decrypt(payload, key));
    if (!(decrypted instanceof Promise)) return decrypted;
    return decrypted.catch((error: unknown) => {
      if (error instanceof EncryptionError && error.isPassing) {
        row.away = error;
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
      away: undefined,
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

/** Of values that no provider is configured for: they are as they are, unless they bear the mark of encryption. */
export function openUnconfigured(stored: Buffer, marker: Buffer): OpenedValue {
  return beginsWith(stored, marker) ? unreadable(stored, undefined) : { value: stored };
}

function opened(value: Buffer, isStale: boolean): OpenedValue {
  return isStale ? { value, mark: STALE } : { value };
}

function unreadable(value: Buffer, failure: EncryptionError | undefined): OpenedValue {
  const { message: why, isPassing } = failure ?? { message: "no matching prefix found", isPassing: false };
  return { value, mark: { kind: "unreadable", why }, isPassing };
}

/** What may be otherwise later says more than what will not. */
const worse = (one: EncryptionError | undefined, other: EncryptionError): EncryptionError =>
  one === undefined || (other.isPassing && !one.isPassing) ? other : one;

/** Names the provider; of an error that is no provider's own, nothing is told of what it says. */
function errorOf(error: unknown, label: string): EncryptionError {
  const isOwn = error instanceof EncryptionError;
  return new EncryptionError(`${label}: ${isOwn ? error.message : "it cannot be decrypted"}`, {
    cause: error,
    isPassing: isOwn && error.isPassing,
  });
}

function beginsWith(bytes: Buffer, begin: Buffer): boolean {
  if (bytes[0] !== begin[0] || bytes.length < begin.length) return false;
  return bytes.compare(begin, 0, begin.length, 0, begin.length) === 0;
}
