// Selection of the controllers to run. Source: kube-controller-manager reference, `--controllers`.
import { EVERY_CONTROLLER } from "../controllers/every-controller";
import type { Controller } from "../framework/controller";
import { UPSTREAM_CONTROLLERS } from "./upstream-controllers";

/**
 * Returns the selected controllers.
 * @param names value of `--controllers`: `*` for all that are on by default, a name to enable one, `-name` to disable
 *   one, in any order; names of kube-controller-manager's controllers that are not implemented are ignored
 * @throws RangeError for an unknown name
 */
export function chosenControllers(
  names: readonly string[],
  controllers: readonly Controller[] = EVERY_CONTROLLER,
): readonly Controller[] {
  const unknown = names.filter((name) => name !== "*" && !isKnown(name.replace(/^-/, ""), controllers));
  if (unknown.length > 0) {
    const known = controllers.map(({ name }) => name).join(", ");
    throw new RangeError(`--controllers: unknown controllers ${unknown.join(", ")}; the controllers are ${known}`);
  }
  return controllers.filter((controller) => {
    if (names.some((name) => isNamed(controller, name))) return true;
    if (controller.offByDefault || !names.includes("*")) return false;
    return !names.some((name) => name.startsWith("-") && isNamed(controller, name.slice(1)));
  });
}

/** @returns the requested controllers that kube-controller-manager has and this program does not */
export function unimplementedControllers(
  names: readonly string[],
  controllers: readonly Controller[] = EVERY_CONTROLLER,
): readonly string[] {
  return names.filter((name) => isUpstream(name) && !controllers.some((controller) => isNamed(controller, name)));
}

type Named = Pick<Controller, "name" | "alias">;

const isNamed = (controller: Named, name: string): boolean => controller.name === name || controller.alias === name;

const isUpstream = (name: string): boolean => UPSTREAM_CONTROLLERS.some((controller) => isNamed(controller, name));

const isKnown = (name: string, controllers: readonly Controller[]): boolean =>
  controllers.some((controller) => isNamed(controller, name)) || isUpstream(name);
