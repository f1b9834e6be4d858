import { expect, test } from "@jest/globals";
import { FairnessControl, type ReleaseSeat } from "@orch/flow-control";
import type { Connection } from "@orch/http-server";
import { ServerMetrics } from "@orch/observability";
import { RequestContext, type RequestInfo } from "@orch/request";
import { vocabularyOf } from "@orch/schema";
import { ManualClock } from "@orch/testing";

const INFO = { kind: "question", verb: "get", group: "", resource: "pods", subresource: "", namespace: "a" };
const QUEUING = { queues: 128, handSize: 6, lengthMax: 50 };
/** Number of requests of one user that a busy loop admits together. */
const AT_ONCE = 16;

/**
 * One level for all requests. An admitted request waits, like a read, until the store is asked again, and is answered
 * together with all that wait for it.
 */
async function start(isBusy: boolean) {
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const control = new FairnessControl({
    maxReading: 400,
    maxMutating: 200,
    requestTimeoutMs: 60_000,
    metrics: new ServerMetrics({ disabled: [], process: false, release: "1.23", showHidden: false, warn() {} }),
    vocabulary: vocabularyOf("orch"),
    clock,
    isBusy: () => isBusy,
    later: (turn) => turns.push(turn),
    seed: 1,
  });
  const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
  const anybody = { kind: "User", user: { name: "*" } };
  const limited = { shares: 1, lendablePercent: 0, borrowingLimitPercent: undefined, queuing: QUEUING };
  const rules = [{ subjects: [anybody], resourceRules: [everything], nonResourceRules: [] }];
  await control.replace(
    {
      levels: [{ name: "all", uid: "", limited }],
      flows: [{ name: "all", uid: "", precedence: 1, level: "all", distinguisher: "ByUser", rules }],
    },
    () => undefined,
  );
  let asking: (() => void)[] = [];
  let toAsk: (() => void)[] = [];
  const come = (name: string, answered: () => void): void => {
    const context = new RequestContext(undefined as never, undefined as unknown as Connection);
    context.user = { name, groups: [] };
    context.info = INFO as unknown as RequestInfo;
    const work = (leave: ReleaseSeat | undefined): void => {
      toAsk.push(() => {
        leave?.();
        answered();
      });
    };
    const admitted = control.admit(context);
    if (typeof admitted === "object") admitted.whenSettled(work);
    else work(admitted);
  };
  /** Runs one turn of the event loop. @returns number of requests answered in it */
  const turn = (): number => {
    clock.advance(20);
    const answering = asking;
    asking = toAsk;
    toAsk = [];
    for (const answer of answering) answer();
    for (const each of turns.splice(0)) each();
    return answering.length;
  };
  return { control, come, turn };
}

test("while the loop is busy and others come, a flood is answered a few at a time, and who comes waits for two such turns at most", async () => {
  const { control, come, turn } = await start(true);
  come("quiet", () => {});
  let flood = 0;
  const again = (): void => {
    flood += 1;
    come("flooder", again);
  };
  for (let at = 0; at < 200; at += 1) come("flooder", again);
  for (let at = 0; at < 50; at += 1) turn();
  const runInSlices = Array.from({ length: 50 }, turn);
  expect(Math.max(...runInSlices)).toBeLessThanOrEqual(AT_ONCE);
  for (let at = 0; at < 20; at += 1) {
    const before = flood;
    let waited: number | undefined;
    come("quiet", () => {
      waited = flood - before;
    });
    while (waited === undefined) turn();
    expect(waited).toBeLessThanOrEqual(2 * AT_ONCE);
  }
  control.close();
});

test("while the loop has time to spare one user's requests go on together, as many as there are seats for", async () => {
  const { control, come, turn } = await start(false);
  let most = 0;
  const again = (): void => come("flooder", again);
  for (let at = 0; at < 200; at += 1) come("flooder", again);
  for (let at = 0; at < 50; at += 1) most = Math.max(most, turn());
  expect(most).toBeGreaterThan(10 * AT_ONCE);
  control.close();
});
