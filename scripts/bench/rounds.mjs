// One load on a server, on another one in turns where there is one, and on the bare one, in one run: what else happens on the machine
// happens to all, and what is told is how they compare.
import { median } from "./in-turns.mjs";

/** On each, where there is another one to compare with. */
export const ROUNDS = 3;

/**
 * @param run of a round, counted from 0, on one of them
 * @returns the figures of each; of several rounds the middle ones
 */
export async function eachInTurns({ server, other }, run) {
  if (other === undefined) return { ours: await run(server, 0) };
  const rounds = { ours: [], other: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.ours.push(await run(server, round));
    rounds.other.push(await run(other, round));
  }
  return { ours: middleOf(rounds.ours), other: middleOf(rounds.other) };
}

const middleOf = (rounds) => {
  const names = Object.keys(rounds[0]).filter((name) => rounds[0][name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((figures) => figures[name]))]));
};
