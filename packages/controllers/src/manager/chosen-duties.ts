// Selection of the controllers to run. Source: kube-controller-manager reference, `--controllers`.
import { EVERY_DUTY } from "../duties/every-duty";
import type { Duty } from "./duty";
import { FIELD_DUTIES } from "./field-duties";

/**
 * Returns the selected controllers.
 * @param names value of `--controllers`: `*` for all that are on by default, a name to enable one, `-name` to disable
 *   one, in any order; names of kube-controller-manager's controllers that are not implemented are ignored
 * @throws RangeError for an unknown name
 */
export function chosenDuties(names: readonly string[], duties: readonly Duty[] = EVERY_DUTY): readonly Duty[] {
  const unknown = names.filter((name) => name !== "*" && !isKnown(name.replace(/^-/, ""), duties));
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

/** @returns the requested controllers that kube-controller-manager has and this program does not */
export function dutiesOfOthers(names: readonly string[], duties: readonly Duty[] = EVERY_DUTY): readonly string[] {
  return names.filter((name) => isOfField(name) && !duties.some((duty) => isNamed(duty, name)));
}

type Named = Pick<Duty, "name" | "alias">;

const isNamed = (duty: Named, name: string): boolean => duty.name === name || duty.alias === name;

const isOfField = (name: string): boolean => FIELD_DUTIES.some((duty) => isNamed(duty, name));

const isKnown = (name: string, duties: readonly Duty[]): boolean =>
  duties.some((duty) => isNamed(duty, name)) || isOfField(name);
