// Which duties run. Source: facts, flags.json "controllerNames".
import { EVERY_DUTY } from "../duties/every-duty";
import type { Duty } from "./duty";

/**
 * @param names as `--controllers` has them: `*` for all but those that are off by default, a name for one, `-name` for not that one; the
 *   order means nothing
 * @throws RangeError for a name that no duty has
 */
export function chosenDuties(names: readonly string[], duties: readonly Duty[] = EVERY_DUTY): readonly Duty[] {
  const unknown = names.filter((name) => name !== "*" && !duties.some((duty) => isNamed(duty, name.replace(/^-/, ""))));
  if (unknown.length > 0) {
    const known = duties.map(({ name }) => name).join(", ");
    throw new RangeError(`--controllers: no duty is named ${unknown.join(", ")}; there are ${known}`);
  }
  return duties.filter((duty) => {
    if (names.some((name) => isNamed(duty, name))) return true;
    if (duty.offByDefault || !names.includes("*")) return false;
    return !names.some((name) => name.startsWith("-") && isNamed(duty, name.slice(1)));
  });
}

const isNamed = (duty: Duty, name: string): boolean => duty.name === name || duty.alias === name;
