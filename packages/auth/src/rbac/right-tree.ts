// Owners of rights, found by what a right is about, one key per level: resource, group, verb, name. Empty nodes are
// removed.

/** @template Owner compared by identity */
export class RightNode<Owner> {
  /** Owners of exactly the right that the keys down to this node describe. */
  owners: Set<Owner> | undefined;
  /** Owners with some right on the first key, which must be checked for the rest. */
  broad: Set<Owner> | undefined;
  children: Map<string, RightNode<Owner>> | undefined;

  add(keys: readonly string[], owner: Owner): void {
    const node = this.reach(keys);
    node.owners ??= new Set();
    node.owners.add(owner);
  }

  addBroad(key: string, owner: Owner): void {
    const node = this.child(key);
    node.broad ??= new Set();
    node.broad.add(owner);
  }

  remove(keys: readonly string[], owner: Owner, depth = 0): void {
    const key = keys[depth];
    if (key === undefined) {
      this.owners?.delete(owner);
      if (this.owners?.size === 0) this.owners = undefined;
      return;
    }
    const child = this.children?.get(key);
    if (child === undefined) return;
    child.remove(keys, owner, depth + 1);
    this.prune(key, child);
  }

  removeBroad(key: string, owner: Owner): void {
    const child = this.children?.get(key);
    if (child === undefined) return;
    child.broad?.delete(owner);
    if (child.broad?.size === 0) child.broad = undefined;
    this.prune(key, child);
  }

  get isEmpty(): boolean {
    return this.owners === undefined && this.broad === undefined && this.children === undefined;
  }

  private reach(keys: readonly string[]): RightNode<Owner> {
    let node: RightNode<Owner> = this;
    for (const key of keys) node = node.child(key);
    return node;
  }

  private child(key: string): RightNode<Owner> {
    this.children ??= new Map();
    let child = this.children.get(key);
    if (child === undefined) {
      child = new RightNode();
      this.children.set(key, child);
    }
    return child;
  }

  private prune(key: string, child: RightNode<Owner>): void {
    if (!child.isEmpty) return;
    this.children?.delete(key);
    if (this.children?.size === 0) this.children = undefined;
  }
}
