/** The objects of a server at one time, held in memory. */
export interface Snapshot {
  /** Number of stored objects. */
  readonly objects: number;
}
