// Estimates the seats of a request: one for most; more for lists of many objects and for writes that many watchers
// receive. Source: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/request; KEP-1040.

export interface RequestWidth {
  readonly seats: number;
  /** Time for which the seats stay taken after the answer, for the work that it causes. */
  readonly afterMs: number;
  /** Number of watchers that may receive a change; undefined for requests that change nothing. */
  readonly watchers?: number;
}

/** Known figures of the objects that a request is about. */
export interface ObjectFigures {
  /** Number of objects in the namespace of the request, or in all. */
  readonly objects: number;
  /** Number of watchers that may receive a change of the object. */
  readonly watchers: number;
}

export interface ListExtent {
  /** 0: no limit. */
  readonly limit: number;
  /** Whether a selector filters the objects, all of which are read. */
  readonly selects: boolean;
  /** Whether objects of a former state may have to be read from the store, and are then read twice. */
  readonly isPast: boolean;
}

export const ONE_SEAT: RequestWidth = { seats: 1, afterMs: 0 };
const UNWATCHED: RequestWidth = { ...ONE_SEAT, watchers: 0 };

const SEATS_MAX = 10;
const OBJECTS_PER_SEAT = 100;
const WATCHERS_PER_SEAT = 10;
const MS_PER_SEAT = 5;

export function widthOfList({ objects }: Pick<ObjectFigures, "objects">, list: ListExtent): RequestWidth {
  const wanted = list.limit > 0 ? Math.min(list.limit, objects) : objects;
  const looked = list.selects ? objects : wanted;
  const work = list.isPast ? looked + wanted : looked;
  const seats = Math.min(Math.max(Math.ceil(work / OBJECTS_PER_SEAT), 1), SEATS_MAX);
  return LISTS[seats - 1] as RequestWidth;
}

export function widthOfChange({ watchers }: Pick<ObjectFigures, "watchers">): RequestWidth {
  const wanted = Math.ceil(watchers / WATCHERS_PER_SEAT);
  if (wanted === 0) return UNWATCHED;
  const seats = Math.min(wanted, SEATS_MAX);
  return { seats, afterMs: (wanted * MS_PER_SEAT) / seats, watchers };
}

/** Width of a request that reads several resources. */
export function widthOfAll(widths: readonly RequestWidth[]): RequestWidth {
  const seats = widths.reduce((sum, width) => sum + width.seats, 0);
  return LISTS[Math.min(Math.max(seats, 1), SEATS_MAX) - 1] as RequestWidth;
}

/** Precomputed by number of seats. */
const LISTS: readonly RequestWidth[] = Array.from({ length: SEATS_MAX }, (_, at) => ({ seats: at + 1, afterMs: 0 }));
