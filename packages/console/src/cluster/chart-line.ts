// The line of a chart as the data of an SVG path.

export interface Spot {
  /** Place in time, in any unit. */
  readonly at: number;
  /** Undefined where there is a gap. */
  readonly value: number | undefined;
}

export interface Extent {
  readonly width: number;
  readonly height: number;
}

/** Returns the path. The values begin at zero, and the largest one is at the top. Gaps are left out. */
export function linePath(spots: readonly Spot[], { width, height }: Extent): string {
  const first = spots[0]?.at ?? 0;
  const span = (spots.at(-1)?.at ?? 0) - first;
  const top = Math.max(...spots.map(({ value = 0 }) => value), 0);
  const parts: string[] = [];
  let isDrawing = false;
  for (const { at, value } of spots) {
    if (value === undefined || !Number.isFinite(value)) {
      isDrawing = false;
      continue;
    }
    const x = span === 0 ? width : ((at - first) / span) * width;
    const y = top === 0 ? height : height - (value / top) * height;
    // A line to the same place makes a value between gaps visible.
    parts.push(isDrawing ? `L${round(x)} ${round(y)}` : `M${round(x)} ${round(y)}h0`);
    isDrawing = true;
  }
  return parts.join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;
