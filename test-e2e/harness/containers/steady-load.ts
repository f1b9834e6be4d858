// Clients that write and read without a pause and see whether every request is answered. A request whose connection is lost or
// refused is sent again, and one that the server asks to repeat, as client libraries do with such requests: all are idempotent.

import { sleep } from "../eventually";
import type { Answer, ApiClient } from "../https-client";

const CLIENTS = 8;
/** A request that is not answered by then has failed. */
const ANSWERED_WITHIN_MS = 30_000;
const PAUSE_AFTER_LOSS_MS = 50;

export class SteadyLoad {
  answered = 0;
  /** Connections that were lost or refused. */
  lost = 0;
  /** Answers that ask the client to repeat the request. */
  repeated = 0;
  readonly failures: string[] = [];
  private readonly clients: readonly ApiClient[];
  private readonly done: Promise<unknown>;
  private stopping = false;
  /** Number of loads, for names of their own. */
  private static loads = 0;

  /** @param maps path of config maps */
  constructor(connect: () => ApiClient, maps: string, pauseMs: number) {
    SteadyLoad.loads += 1;
    const prefix = `load-${SteadyLoad.loads}`;
    this.clients = Array.from({ length: CLIENTS }, connect);
    this.done = Promise.all(
      this.clients.map((client, at) => this.work(client, { maps, name: `${prefix}-${at}`, pauseMs })),
    );
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.done;
    for (const client of this.clients) client.close();
  }

  private async work(
    client: ApiClient,
    { maps, name, pauseMs }: { maps: string; name: string; pauseMs: number },
  ): Promise<void> {
    await this.send(() => client.post(maps, { metadata: { name } }), [201, 409]);
    for (let value = 1; !this.stopping; value += 1) {
      const path = `${maps}/${name}`;
      await this.send(() => client.put(path, { metadata: { name }, data: { value: String(value) } }), [200]);
      const read = await this.send(() => client.get(path), [200]);
      const found =
        read === undefined ? undefined : (JSON.parse(read.body) as { data?: { value?: string } }).data?.value;
      if (read !== undefined && found !== String(value))
        this.failures.push(`${name} is ${found} after ${value} was acknowledged`);
      await sleep(pauseMs);
    }
  }

  private async send(request: () => Promise<Answer>, expected: readonly number[]): Promise<Answer | undefined> {
    const deadline = performance.now() + ANSWERED_WITHIN_MS;
    for (;;) {
      try {
        const answer = await request();
        if (answer.status >= 500 && answer.headers["retry-after"] !== undefined && performance.now() < deadline) {
          this.repeated += 1;
          await sleep(PAUSE_AFTER_LOSS_MS);
          continue;
        }
        this.answered += 1;
        if (!expected.includes(answer.status)) this.failures.push(`${answer.status} ${answer.body.slice(0, 300)}`);
        return answer;
      } catch (error) {
        this.lost += 1;
        if (performance.now() > deadline) {
          this.failures.push(`not answered within ${ANSWERED_WITHIN_MS} ms: ${error}`);
          return undefined;
        }
        await sleep(PAUSE_AFTER_LOSS_MS);
      }
    }
  }
}
