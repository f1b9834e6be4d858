// A bounded work queue with round-robin among users: limited concurrency, limited number of waiting items and bytes.
import { ClientGoneError, type EndSignal } from "@orch/platform";

export interface FairQueueOptions {
  /** Maximum number of items that run at a time. */
  readonly running: number;
  /** Maximum number of waiting items, in total and per user. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** Maximum number of waiting bytes, in total. */
  readonly waitingBytes: number;
}

interface Waiting {
  readonly bytes: number;
  begin(): void;
}

export class FairQueue {
  /** Waiting items per user. The user whose turn is next comes first. */
  private readonly waiting = new Map<string, Waiting[]>();
  private waitingCount = 0;
  private waitingBytes = 0;
  private running = 0;

  constructor(private readonly options: FairQueueOptions) {}

  /**
   * Runs the work in its turn.
   * @returns the result of the work; undefined when the queue is full
   * @throws what the work throws; ClientGoneError when the signal is aborted before its turn
   */
  run<Made>(
    { user, bytes }: { readonly user: string; readonly bytes: number },
    signal: EndSignal,
    work: () => Promise<Made>,
  ): Promise<Made> | undefined {
    if (this.running < this.options.running) {
      this.running += 1;
      return this.carryOut(work);
    }
    if (!this.mayWait(user, bytes)) return undefined;
    return this.turnOf(user, bytes, signal).then(() => this.carryOut(work));
  }

  private mayWait(user: string, bytes: number): boolean {
    const { waiting, waitingOfOne, waitingBytes } = this.options;
    return (
      this.waitingCount < waiting &&
      (this.waiting.get(user)?.length ?? 0) < waitingOfOne &&
      this.waitingBytes + bytes <= waitingBytes
    );
  }

  private turnOf(user: string, bytes: number, signal: EndSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.remove(user, each);
        reject(new ClientGoneError("the request ended"));
      };
      const each: Waiting = {
        bytes,
        begin() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const own = this.waiting.get(user);
      if (own === undefined) this.waiting.set(user, [each]);
      else own.push(each);
      this.waitingCount += 1;
      this.waitingBytes += bytes;
      signal.addEventListener("abort", leave);
    });
  }

  /** Runs the work. Its slot is already counted. */
  private async carryOut<Made>(work: () => Promise<Made>): Promise<Made> {
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.next();
    }
  }

  private next(): void {
    for (const [user, own] of this.waiting) {
      const [first] = own;
      if (first === undefined) continue;
      this.remove(user, first);
      // A user whose item has started moves to the end of the rotation.
      if (own.length > 0) {
        this.waiting.delete(user);
        this.waiting.set(user, own);
      }
      this.running += 1;
      first.begin();
      return;
    }
  }

  private remove(user: string, each: Waiting): void {
    const own = this.waiting.get(user);
    const at = own?.indexOf(each) ?? -1;
    if (own === undefined || at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.waiting.delete(user);
    this.waitingCount -= 1;
    this.waitingBytes -= each.bytes;
  }
}
