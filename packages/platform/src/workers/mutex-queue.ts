// Mutual exclusion between processes, in the order of their requests.

export class MutexQueue<Member> {
  /** Queues by the name of the work; the first member has the turn. */
  private readonly queues = new Map<string, Member[]>();

  /** @param begin tells a member that it has the turn */
  constructor(private readonly begin: (member: Member, at: string) => void) {}

  want(member: Member, at: string): void {
    const queue = this.queues.get(at);
    if (queue !== undefined) {
      queue.push(member);
      return;
    }
    this.queues.set(at, [member]);
    this.begin(member, at);
  }

  over(member: Member, at: string): void {
    const queue = this.queues.get(at) ?? [];
    if (queue[0] === member) this.goOn(at, queue.slice(1));
  }

  /** Removes a member, which may have ended during its turn. */
  gone(member: Member): void {
    for (const [at, queue] of this.queues) {
      const rest = queue.filter((each) => each !== member);
      if (queue[0] === member) this.goOn(at, rest);
      else this.queues.set(at, rest);
    }
  }

  private goOn(at: string, rest: Member[]): void {
    const [next] = rest;
    if (next === undefined) {
      this.queues.delete(at);
      return;
    }
    this.queues.set(at, rest);
    this.begin(next, at);
  }
}
