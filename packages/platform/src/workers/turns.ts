// Turns of processes at what one of them may do at a time, in the order in which they ask.

export class Turns<Member> {
  /** By what they want to do; the first is at it. */
  private readonly queues = new Map<string, Member[]>();

  /** @param begin tells the member that it is its turn */
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

  /** It may have died in its turn. */
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
