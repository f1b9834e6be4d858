// How many seats a request takes: one for most, more for lists of many objects and for changes that many watchers hear of.
// Source: schema, flowcontrol; facts, http.md "Limits".

export interface RequestWidth {
  readonly seats: number;
  /** For so long they are taken beyond the answer, for what it sets off. */
  readonly afterMs: number;
}

/** What is known of the objects that a request is about. */
export interface ObjectFigures {
  /** In the namespace of the request, or in all. */
  readonly objects: number;
  /** That may have to be told of a change of the object. */
  readonly watchers: number;
}

export interface ListExtent {
  /** 0: all. */
  readonly limit: number;
  /** Only some of the objects are wanted, and all are looked at. */
  readonly selects: boolean;
  /** Objects of a former state may have to be fetched, and are then read twice. */
  readonly isPast: boolean;
}

export const ONE_SEAT: RequestWidth = { seats: 1, afterMs: 0 };

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
  if (wanted === 0) return ONE_SEAT;
  const seats = Math.min(wanted, SEATS_MAX);
  return { seats, afterMs: (wanted * MS_PER_SEAT) / seats };
}

/** By seats: made once. */
const LISTS: readonly RequestWidth[] = Array.from({ length: SEATS_MAX }, (_, at) => ({ seats: at + 1, afterMs: 0 }));
