// Paths of fields as JSON pointers (RFC 6901), which are keys of maps.

export type Step = string | number;

export const pointerOf = (path: readonly Step[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Returns the pointer of the field that holds a field; undefined for the root. */
export function parentOf(pointer: string): string | undefined {
  return pointer === "" ? undefined : pointer.slice(0, pointer.lastIndexOf("/"));
}

export function stepsOf(pointer: string): string[] {
  return pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
