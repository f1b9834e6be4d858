// Watch fan-out in one namespace with many watchers: processor time per event and watcher, the writes included.
import { collection, objectName } from "./objects.mjs";

/**
 * @param order `watchers`, `writes` of a round, `rounds`, `warmupRounds`; `protocol` absent: HTTP/1.1 with one
 * connection per watch
 */
const fanOut = ({ protocol, ...order }) => ({
  async run(bench) {
    const namespace = await bench.namespace();
    const perRound = order.writes * (order.rounds + order.warmupRounds);
    const on = ({ target, pid: serverPid }, firstIndex) =>
      bench.load("fanOut", { target: { ...target, protocol }, serverPid, namespace, ...order, firstIndex });
    const figures = await bench.inTurns((each, round) => on(each, round * perRound));
    const { body } = await bench.fetch(`${collection(namespace)}/${objectName(0)}`);
    const bare = await bench.bare();
    const event = Buffer.from(`{"type":"ADDED","object":${body.toString().trim()}}\n`);
    await bare.give({ status: 201, body: body.toString("base64"), event: event.toString("base64") });
    const target = protocol === "h2" ? bare.http2Target : bare.target;
    return { ...figures, bare: await on({ ...bare, target }, 0), answerBytes: event.length };
  },
});

const HUNDRED = { watchers: 100, writes: 500, rounds: 6, warmupRounds: 2 };
const THOUSAND = { watchers: 1000, writes: 100, rounds: 4, warmupRounds: 1 };

export const WATCH_SCENARIOS = {
  "watch-fan-out": fanOut(HUNDRED),
  "watch-fan-out-http2": fanOut({ ...HUNDRED, protocol: "h2" }),
  "watch-fan-out-1000": fanOut(THOUSAND),
  "watch-fan-out-1000-http2": fanOut({ ...THOUSAND, protocol: "h2" }),
};
