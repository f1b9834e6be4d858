// All options of the program: the manager's own and those of every controller.
import type { FlagTable } from "@orch/machinery";
import { EVERY_CONTROLLER } from "../controllers/every-controller";
import type { Controller } from "../framework/controller";
import { ACCEPTED_FLAGS } from "./accepted-flags";
import { MANAGER_FLAGS } from "./manager-flags";

/**
 * Returns all options, with those accepted without effect.
 * @throws Error for an option that two controllers define differently
 */
export function managerOptions(known: readonly Controller[] = EVERY_CONTROLLER): FlagTable {
  const { controllers, ...own } = MANAGER_FLAGS;
  const help = `${controllers.help}; the controllers are ${namesOf(known)}`;
  const tables: readonly FlagTable[] = [
    { controllers: { ...controllers, help } },
    own,
    ...known.map(({ flags }) => flags),
  ];
  const all: Record<string, FlagTable[string]> = {};
  for (const [name, row] of tables.flatMap((table) => Object.entries(table))) {
    if (Object.hasOwn(all, name) && all[name] !== row) throw new Error(`two controllers define the flag --${name}`);
    all[name] = row;
  }
  const others = Object.entries(ACCEPTED_FLAGS).filter(([name]) => !Object.hasOwn(all, name));
  return { ...all, ...Object.fromEntries(others) };
}

function namesOf(controllers: readonly Controller[]): string {
  return listed(controllers.map(({ name, offByDefault }) => (offByDefault ? `${name} (off by default)` : name)));
}

const NAME_WIDTH = 36;

/** Returns a line for each controller: its name, and what it does. The text after a long name has a line of its own. */
export function describeControllers(controllers: readonly Controller[] = EVERY_CONTROLLER): string {
  const widths = controllers.map(({ name }) => name.length).filter((width) => width <= NAME_WIDTH);
  const width = Math.max(...widths);
  return controllers
    .map(
      ({ name, does }) => `  ${name.length > width ? `${name}\n  ${" ".repeat(width)}` : name.padEnd(width)}  ${does}`,
    )
    .join("\n");
}

const listed = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(", ")}${words.length > 1 ? " and " : ""}${words.at(-1) ?? ""}`;
