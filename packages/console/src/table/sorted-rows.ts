// The rows of a table in their order, filtered. Single changes move one row; many at once are merged.
import type { Row } from "./row";
import type { Compare } from "./row-order";

/** Number of changes from which merging two sorted lists takes less time than to move single rows. */
const MERGED_FROM = 32;

export class SortedRows {
  private readonly all = new Map<string, Row>();
  /** Rows that the filter accepts, in the order of `compare`, which is total. */
  private shown: Row[] = [];
  private compare: Compare;
  private accepts: (row: Row) => boolean;

  constructor(compare: Compare, accepts: (row: Row) => boolean) {
    this.compare = compare;
    this.accepts = accepts;
  }

  /** Number of rows without the filter. */
  get total(): number {
    return this.all.size;
  }

  get length(): number {
    return this.shown.length;
  }

  at(index: number): Row | undefined {
    return this.shown[index];
  }

  slice(start: number, end: number): readonly Row[] {
    return this.shown.slice(start, end);
  }

  /** Returns the index of a row among those that are shown; -1 for others. */
  indexOf(key: string): number {
    const row = this.all.get(key);
    if (row === undefined) return -1;
    const index = this.place(row);
    return this.shown[index] === row ? index : -1;
  }

  clear(): void {
    this.all.clear();
    this.shown = [];
  }

  /** Keeps only the rows with these keys: those that a list of all objects has. */
  retain(keys: ReadonlySet<string>): void {
    this.remove([...this.all.keys()].filter((key) => !keys.has(key)));
  }

  put(rows: readonly Row[]): void {
    if (rows.length < MERGED_FROM) {
      for (const row of rows) this.putOne(row);
      return;
    }
    const latest = new Map(rows.map((row) => [row.key, row]));
    this.removeMany(new Set([...latest.keys()].filter((key) => this.all.has(key))));
    for (const [key, row] of latest) this.all.set(key, row);
    this.merge([...latest.values()].filter(this.accepts).sort(this.compare));
  }

  remove(keys: readonly string[]): void {
    if (keys.length < MERGED_FROM) for (const key of keys) this.removeOne(key);
    else this.removeMany(new Set(keys));
  }

  /** Shows the rows in another order or with another filter. */
  rearrange(compare: Compare, accepts: (row: Row) => boolean): void {
    this.compare = compare;
    this.accepts = accepts;
    this.shown = [...this.all.values()].filter(accepts).sort(compare);
  }

  private putOne(row: Row): void {
    const former = this.all.get(row.key);
    const index = former === undefined ? -1 : this.indexOf(row.key);
    this.all.set(row.key, row);
    const isShown = this.accepts(row);
    // Most changes leave a row where it is.
    if (index >= 0 && isShown && former !== undefined && this.compare(former, row) === 0) {
      this.shown[index] = row;
      return;
    }
    if (index >= 0) this.shown.splice(index, 1);
    if (isShown) this.shown.splice(this.place(row), 0, row);
  }

  private removeOne(key: string): void {
    const index = this.indexOf(key);
    if (index >= 0) this.shown.splice(index, 1);
    this.all.delete(key);
  }

  private removeMany(keys: ReadonlySet<string>): void {
    if (keys.size === 0) return;
    this.shown = this.shown.filter((row) => !keys.has(row.key));
    for (const key of keys) this.all.delete(key);
  }

  private merge(added: readonly Row[]): void {
    const last = this.shown.at(-1);
    const first = added[0];
    if (first === undefined) return;
    if (last === undefined || this.compare(last, first) < 0) {
      for (const row of added) this.shown.push(row); // pages of a list come in order
      return;
    }
    const merged: Row[] = [];
    let next = 0;
    for (const row of this.shown) {
      for (let each = added[next]; each !== undefined && this.compare(each, row) < 0; each = added[next]) {
        merged.push(each);
        next += 1;
      }
      merged.push(row);
    }
    this.shown = [...merged, ...added.slice(next)];
  }

  /** Returns the index of the first row that does not come before the given one. */
  private place(row: Row): number {
    let low = 0;
    let high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.shown[middle];
      if (other !== undefined && this.compare(other, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
