// Paths as written in messages. A key may be as long as the body, and is part of the path of each field below it: a
// long path is cut to its end, after `…`.

export const PATH_MAX_CHARACTERS = 2048;

export const shortenedPath = (path: string): string =>
  path.length <= PATH_MAX_CHARACTERS ? path : `…${path.slice(-PATH_MAX_CHARACTERS)}`;

/**
 * Joins steps into a path.
 * @param textOf renders a step with its prefix, such as `.spec` or `[0]`; called only for the steps that are shown
 */
export function joinedPath<Step>(steps: readonly Step[], textOf: (step: Step) => string): string {
  let path = "";
  for (let at = steps.length - 1; at >= 0 && path.length <= PATH_MAX_CHARACTERS; at--) {
    path = textOf(steps[at] as Step) + path;
  }
  return shortenedPath(path);
}
