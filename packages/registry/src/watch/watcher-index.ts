// Index of the watchers that a change may concern. Each watcher is filed under its narrowest criterion, so a change
// costs a few lookups instead of a test of thousands of watchers.

import type { Change } from "../changes/change";
import type { WatchRequest } from "../contract/operations";
import { objectPath } from "../objects/key-layout";
import { nameSelected } from "../objects/selection";

/** The criterion under which a watcher is filed: its object, the value of one field, its namespace, or nothing. */
type Drawer =
  | { readonly by: "object"; readonly path: string }
  | { readonly by: "field"; readonly field: string; readonly value: string }
  | { readonly by: "namespace"; readonly namespace: string }
  | { readonly by: "nothing" };

export class WatcherIndex<W> {
  private readonly all = new Set<W>();
  private readonly unfiled = new Set<W>();
  private readonly byObject = new Map<string, Set<W>>();
  private readonly byNamespace = new Map<string, Set<W>>();
  private readonly byField = new Map<string, Map<string, Set<W>>>();

  get size(): number {
    return this.all.size;
  }

  [Symbol.iterator](): IterableIterator<W> {
    return this.all[Symbol.iterator]();
  }

  add(watcher: W, request: WatchRequest, namespaced: boolean): void {
    this.all.add(watcher);
    const drawer = drawerOf(request, namespaced);
    switch (drawer.by) {
      case "nothing":
        this.unfiled.add(watcher);
        return;
      case "object":
        file(this.byObject, drawer.path, watcher);
        return;
      case "namespace":
        file(this.byNamespace, drawer.namespace, watcher);
        return;
      case "field": {
        const values = this.byField.get(drawer.field) ?? new Map<string, Set<W>>();
        this.byField.set(drawer.field, values);
        file(values, drawer.value, watcher);
      }
    }
  }

  remove(watcher: W, request: WatchRequest, namespaced: boolean): void {
    this.all.delete(watcher);
    const drawer = drawerOf(request, namespaced);
    switch (drawer.by) {
      case "nothing":
        this.unfiled.delete(watcher);
        return;
      case "object":
        unfile(this.byObject, drawer.path, watcher);
        return;
      case "namespace":
        unfile(this.byNamespace, drawer.namespace, watcher);
        return;
      case "field": {
        const values = this.byField.get(drawer.field);
        if (values === undefined) return;
        unfile(values, drawer.value, watcher);
        if (values.size === 0) this.byField.delete(drawer.field);
      }
    }
  }

  /** Returns the number of watchers that may see a change of an object, without those that select by a field value. */
  concernedBy(namespace: string, path: string): number {
    const ofNamespace = this.byNamespace.size === 0 ? 0 : (this.byNamespace.get(namespace)?.size ?? 0);
    const ofObject = this.byObject.size === 0 ? 0 : (this.byObject.get(path)?.size ?? 0);
    return this.unfiled.size + ofNamespace + ofObject;
  }

  /** Calls `tell` for every watcher that may see the change; for some of them twice. */
  forEachConcerned(change: Change, tell: (watcher: W) => void): void {
    if (this.all.size === 0) return;
    this.unfiled.forEach(tell);
    if (this.byObject.size > 0) this.byObject.get(change.path)?.forEach(tell);
    if (this.byNamespace.size > 0) {
      const namespace = (change.entry ?? change.previous)?.namespace ?? "";
      this.byNamespace.get(namespace)?.forEach(tell);
    }
    for (const [field, values] of this.byField) {
      const after = change.entry?.field(field);
      const before = change.previous?.field(field);
      if (after !== undefined) values.get(after)?.forEach(tell);
      if (before !== undefined && before !== after) values.get(before)?.forEach(tell);
    }
  }
}

function drawerOf({ namespace, selection }: WatchRequest, namespaced: boolean): Drawer {
  const name = nameSelected(selection);
  if (name !== undefined && (namespace !== "" || !namespaced))
    return { by: "object", path: objectPath(namespace, name) };
  const equality = selection.fields?.find(({ operator }) => operator === "=");
  if (equality !== undefined) return { by: "field", field: equality.field, value: equality.value };
  return namespace === "" ? { by: "nothing" } : { by: "namespace", namespace };
}

function file<W>(drawers: Map<string, Set<W>>, key: string, watcher: W): void {
  const drawer = drawers.get(key);
  if (drawer === undefined) drawers.set(key, new Set([watcher]));
  else drawer.add(watcher);
}

function unfile<W>(drawers: Map<string, Set<W>>, key: string, watcher: W): void {
  const drawer = drawers.get(key);
  if (drawer?.delete(watcher) && drawer.size === 0) drawers.delete(key);
}
