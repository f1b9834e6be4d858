// Paths as messages spell them. A key may be as long as the body, and stand in the path of each field below it: of a long one the end is
// told, behind `…`.

export const PATH_MAX_CHARACTERS = 2048;

export const shortenedPath = (path: string): string =>
  path.length <= PATH_MAX_CHARACTERS ? path : `…${path.slice(-PATH_MAX_CHARACTERS)}`;

/** @param textOf a step with its mark in front, such as `.spec` or `[0]`; it is asked for no more of them than are told */
export function joinedPath<Step>(steps: readonly Step[], textOf: (step: Step) => string): string {
  let path = "";
  for (let at = steps.length - 1; at >= 0 && path.length <= PATH_MAX_CHARACTERS; at--) {
    path = textOf(steps[at] as Step) + path;
  }
  return shortenedPath(path);
}
