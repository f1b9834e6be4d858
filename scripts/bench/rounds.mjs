// Runs one load on a server and in turns on another server if there is one, so that other load on the machine affects
// both and only the ratio matters.
import { median } from "./in-turns.mjs";

/** Number of rounds on each server when there are two. */
export const ROUNDS = 3;

/**
 * @param run runs a round, counted from 0, on one of the servers
 * @returns the figures of each server; the median of several rounds
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
