// Memory budget for request bodies, in bytes: for all bodies, and for those of one user. A user may take as much as is
// left for the others, so that there is always a rest.

/** About 80 bodies of the maximum size. */
const BUDGET_BYTES = 256 * 1024 * 1024;

export class BodyBudget {
  private taken = 0;
  private readonly byUser = new Map<string, number>();

  constructor(private readonly maxBytes = BUDGET_BYTES) {}

  /** @returns false when the budget does not allow it; nothing is taken then */
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
