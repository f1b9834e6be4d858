// Times that a watch of one resource and a watch of several share.

export const BOOKMARK_EVERY_MS = 60_000;
export const BOOKMARK_BEFORE_END_MS = 2_000;
/** How long a client may still read pending events after its deadline before the watch is ended. */
export const LAST_READ_WITHIN_MS = 30_000;
