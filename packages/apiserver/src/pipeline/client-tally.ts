// Counts requests by client: a user with a program. `GET /debug/clients` shows them.
import { RecentMap } from "@orch/platform";
import type { ApiResponse, RequestContext } from "@orch/request";

export interface ClientFigures {
  readonly user: string;
  readonly userAgent: string;
  /** Finished requests since the start of the server. */
  readonly requests: number;
  /** Time from the receipt of a request to its end, without watches and the time in queues. */
  readonly seconds: number;
  /**
   * Time for which the event loop of this server has worked for requests and watches of the client, in the sections that
   * are measured. Source: docs/observability.md, "Work for clients".
   */
  readonly cpuSeconds: number;
  /** Watches and other streams under way. */
  readonly streams: number;
}

interface Tally {
  readonly user: string;
  readonly userAgent: string;
  requests: number;
  ms: number;
  workedMs: number;
}

/** Maximum number of clients. The one with the oldest request is dropped. */
const CLIENTS_MAX = 500;
const AGENT_CHARACTERS = 200;

export class ClientTally {
  private readonly tallies = new RecentMap<string, Tally>(CLIENTS_MAX);
  /** Client of the last request, which is often the next one's as well. */
  private last: Tally | undefined;

  finished({ user, info, receivedAt, queuedMs, workedMs }: RequestContext, agent: string, nowMs: number): void {
    let tally = this.last;
    if (tally === undefined || tally.user !== user.name || tally.userAgent !== agent) {
      tally = this.tallyOf(user.name, agent);
      this.last = tally;
    }
    tally.requests += 1;
    tally.workedMs += workedMs;
    if (!info.longRunning) tally.ms += nowMs - receivedAt - queuedMs;
  }

  /** @param running requests without a time limit that are under way */
  report(running: readonly ApiResponse[]): readonly ClientFigures[] {
    const streams = new Map<Tally, number>();
    const working = new Map<Tally, number>();
    for (const { req } of running) {
      const { user, workedMs } = req.context;
      const tally = this.tallyOf(user.name, agentOf(req.headers["user-agent"]));
      streams.set(tally, (streams.get(tally) ?? 0) + 1);
      working.set(tally, (working.get(tally) ?? 0) + workedMs);
    }
    return [...this.tallies.values()]
      .map((tally) => ({
        user: tally.user,
        userAgent: tally.userAgent,
        requests: tally.requests,
        seconds: Math.round(tally.ms) / 1000,
        cpuSeconds: (tally.workedMs + (working.get(tally) ?? 0)) / 1000,
        streams: streams.get(tally) ?? 0,
      }))
      .sort((one, other) => other.requests - one.requests);
  }

  private tallyOf(user: string, userAgent: string): Tally {
    const key = `${user}\n${userAgent}`;
    let tally = this.tallies.get(key);
    if (tally === undefined) {
      tally = { user, userAgent, requests: 0, ms: 0, workedMs: 0 };
      this.tallies.set(key, tally);
    }
    return tally;
  }
}

/** Returns the name of a program as it is counted. */
export const agentOf = (header: string | undefined = ""): string =>
  header.length > AGENT_CHARACTERS ? header.slice(0, AGENT_CHARACTERS) : header;
