// How controls say who breaks them. What a pod holds may be named as long as that is of use: a body has room for a hundred thousand names.

const NAMED_MAX = 100;
/** Of values that are told sorted, so many different ones are kept. */
const VALUES_MAX = 1000;

/** `"a", "b"`. */
export const quotedList = (names: readonly string[]): string => list(names, JSON.stringify);

export const plainList = (names: readonly string[]): string => list(names, (name) => name);

/** `container "a"`, `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural("container", names)} ${quotedList(names)}`;

export const plural = (word: string, of: { readonly length: number }, many = `${word}s`): string =>
  of.length === 1 ? word : many;

/** Those who set something: `pod and container "a"`. @param others what else does, in words */
export function settersText(podDoes: boolean, containers: readonly string[], ...others: readonly string[]): string {
  return [...(podDoes ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : []), ...others].join(
    " and ",
  );
}

/** Different values, told in order. */
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
