// Texts of violations. The number of names in a text is limited, because a request has room for a hundred thousand.

const NAMED_MAX = 100;
/** Maximum number of distinct values that are kept for sorting. */
const VALUES_MAX = 1000;

/** Formats `"a", "b"`. */
export const quotedList = (names: readonly string[]): string => list(names, JSON.stringify);

export const plainList = (names: readonly string[]): string => list(names, (name) => name);

/** Formats `container "a"`, `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural("container", names)} ${quotedList(names)}`;

export const plural = (word: string, of: { readonly length: number }, many = `${word}s`): string =>
  of.length === 1 ? word : many;

/** Formats `pod and container "a"`. @param others further setters, as text */
export function settersText(podDoes: boolean, containers: readonly string[], ...others: readonly string[]): string {
  return [...(podDoes ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : []), ...others].join(
    " and ",
  );
}

/** Distinct values, listed in order. */
export class Values {
  private readonly kept = new Set<string>();
  private isCut = false;

  add(value: string): void {
    if (this.kept.size < VALUES_MAX) this.kept.add(value);
    else this.isCut ||= !this.kept.has(value);
  }

  get length(): number {
    return this.kept.size;
  }

  get quoted(): string {
    return this.told(JSON.stringify);
  }

  get plain(): string {
    return this.told((value) => value);
  }

  private told(text: (value: string) => string): string {
    const sorted = [...this.kept].sort();
    if (!this.isCut) return list(sorted, text);
    return `${sorted.slice(0, NAMED_MAX).map(text).join(", ")} and more`;
  }
}

function list(names: readonly string[], text: (name: string) => string): string {
  if (names.length <= NAMED_MAX) return names.map(text).join(", ");
  return `${names.slice(0, NAMED_MAX).map(text).join(", ")} and ${names.length - NAMED_MAX} more`;
}
