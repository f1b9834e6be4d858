// Options of `orch history`.
export interface HistoryOptions {
  readonly output?: string;
  readonly showManagedFields?: boolean;
  readonly fields?: boolean;
  readonly revision?: string;
  readonly limit?: string;
  readonly deleted?: boolean;
  readonly allNamespaces?: boolean;
}
