// Limits of the concurrent requests to a remote token service. An attacker can invent unknown tokens at no cost, so
// these are limited by address and by connection, and all of them together leave room for tokens that were accepted
// before.
import { hash, randomBytes } from "node:crypto";
import type { PeerConnection } from "../authentication/authenticator";
import { RecentEntries } from "./recent-entries";

export interface PlaceBounds {
  readonly total: number;
  /** Limit for tokens that were not accepted before. */
  readonly unknown: number;
  readonly unknownOfAddress: number;
  readonly unknownOfConnection: number;
}

const BOUNDS: PlaceBounds = { total: 256, unknown: 128, unknownOfAddress: 16, unknownOfConnection: 8 };
const GOOD = { entriesMax: 16_384, bytesMax: 4 * 2 ** 20 };
const ENTRY_BYTES = 150;

export class TokenRequestLimits {
  /** Keyed digests of tokens that were accepted at their last check. */
  private readonly good = new RecentEntries<true>(GOOD);
  private readonly key = randomBytes(32).toString("base64");
  private taken = 0;
  private unknown = 0;
  private readonly byAddress = new Map<string, number>();
  private readonly byConnection = new Map<PeerConnection, number>();

  constructor(private readonly bounds: PlaceBounds = BOUNDS) {}

  /**
   * Takes a place.
   * @param connection absent: a token review, whose sender is authenticated
   * @returns releases the place; undefined when there is none
   */
  take(token: string, connection: PeerConnection | undefined): (() => void) | undefined {
    const { bounds } = this;
    if (this.taken >= bounds.total) return undefined;
    const isGood = this.good.get(this.digest(token)) !== undefined;
    if (isGood) return this.counted(1, () => {});
    const address = connection?.address ?? "";
    const ofAddress = this.byAddress.get(address) ?? 0;
    const ofConnection = (connection && this.byConnection.get(connection)) ?? 0;
    if (this.unknown >= bounds.unknown) return undefined;
    if (address !== "" && ofAddress >= bounds.unknownOfAddress) return undefined;
    if (connection !== undefined && address !== "" && ofConnection >= bounds.unknownOfConnection) return undefined;
    this.unknown += 1;
    add(this.byAddress, address, 1);
    if (connection !== undefined) add(this.byConnection, connection, 1);
    return this.counted(1, () => {
      this.unknown -= 1;
      add(this.byAddress, address, -1);
      if (connection !== undefined) add(this.byConnection, connection, -1);
    });
  }

  /** Records the result for a token. */
  settled(token: string, isGood: boolean): void {
    const digest = this.digest(token);
    if (isGood) this.good.set(digest, true, ENTRY_BYTES);
    else this.good.delete(digest);
  }

  private counted(places: number, giveBack: () => void): () => void {
    this.taken += places;
    return () => {
      this.taken -= places;
      giveBack();
    };
  }

  private digest(token: string): string {
    return hash("sha256", this.key + token, "base64");
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
