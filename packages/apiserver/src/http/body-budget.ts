// How much of requests' bodies is kept in memory at once, in bytes: of all together, and of what one user may have of it. A user may
// have as much as is left for others; so there is always something left.

/** Some 80 of the largest bodies. */
const BUDGET_BYTES = 256 * 1024 * 1024;

export class BodyBudget {
  private taken = 0;
  private readonly byUser = new Map<string, number>();

  constructor(private readonly maxBytes = BUDGET_BYTES) {}

  /** @returns false where so much cannot be had; nothing is taken then */
  take(user: string, bytes: number): boolean {
    const taken = this.taken + bytes;
    const ofUser = (this.byUser.get(user) ?? 0) + bytes;
    if (ofUser > this.maxBytes - taken) return false;
    this.taken = taken;
    this.byUser.set(user, ofUser);
    return true;
  }

  giveBack(user: string, bytes: number): void {
    if (bytes === 0) return;
    this.taken -= bytes;
    const ofUser = (this.byUser.get(user) ?? 0) - bytes;
    if (ofUser > 0) this.byUser.set(user, ofUser);
    else this.byUser.delete(user);
  }

  get bytes(): number {
    return this.taken;
  }
}
