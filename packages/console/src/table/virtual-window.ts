// The rows of a long list that are in view.

export interface Window {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Rows above and below the view, so that a quick scroll does not show an empty place. */
const MARGIN = 8;

/** Returns the rows to show. Their number depends on the height of the view only. */
export function windowOf(scrollTop: number, viewHeight: number, rowHeight: number, count: number): Window {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight) - MARGIN;
  const size = Math.ceil(viewHeight / rowHeight) + 2 * MARGIN + 1;
  const start = Math.max(0, Math.min(first, count - size));
  return { start, end: Math.min(count, start + size) };
}

/** Returns the scroll position at which a row is in view, nearest to the present one. */
export function scrollTo(index: number, scrollTop: number, viewHeight: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - viewHeight);
}
