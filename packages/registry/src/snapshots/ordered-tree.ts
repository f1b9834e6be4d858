// Immutable ordered map: every edit returns a new tree that shares all but one path with the old one. A snapshot is
// therefore a reference to the tree. Nodes hold their sizes, so positions (for paging and remaining counts) cost O(log
// n).

/** Maximum number of entries of a leaf, or children of a branch. */
const NODE_MAX = 64;
const NODE_MIN = NODE_MAX / 4;

interface Leaf<V> {
  readonly children: undefined;
  readonly size: number;
  readonly keys: readonly string[];
  readonly values: readonly V[];
}

interface Branch<V> {
  readonly children: readonly Node<V>[];
  /** Number of entries below. */
  readonly size: number;
  /** Smallest key of each child. */
  readonly keys: readonly string[];
}

type Node<V> = Leaf<V> | Branch<V>;

export class OrderedTree<V> {
  private constructor(private readonly root: Node<V>) {}

  static empty<V>(): OrderedTree<V> {
    return new OrderedTree<V>(leaf([], []));
  }

  /** @param keys ascending, without duplicates; `values` in the same order */
  static fromSorted<V>(keys: readonly string[], values: readonly V[]): OrderedTree<V> {
    const fill = NODE_MAX * 0.75;
    let level: Node<V>[] = [];
    for (let at = 0; at < keys.length; at += fill) {
      level.push(leaf(keys.slice(at, at + fill), values.slice(at, at + fill)));
    }
    while (level.length > 1) {
      const above: Node<V>[] = [];
      for (let at = 0; at < level.length; at += fill) above.push(branch(level.slice(at, at + fill)));
      level = above;
    }
    return new OrderedTree<V>(level[0] ?? leaf([], []));
  }

  get size(): number {
    return this.root.size;
  }

  get(key: string): V | undefined {
    let node = this.root;
    while (node.children !== undefined) node = node.children[childFor(node.keys, key)] as Node<V>;
    const at = lowerBound(node.keys, key);
    return node.keys[at] === key ? node.values[at] : undefined;
  }

  set(key: string, value: V): OrderedTree<V> {
    const made = insert(this.root, key, value);
    return new OrderedTree<V>(made.length === 1 ? (made[0] as Node<V>) : branch(made));
  }

  delete(key: string): OrderedTree<V> {
    let root = remove(this.root, key);
    if (root === this.root) return this;
    while (root.children !== undefined && root.children.length === 1) root = root.children[0] as Node<V>;
    return new OrderedTree<V>(root);
  }

  /** Returns the number of keys smaller than `key`: its position in the order, whether it is present or not. */
  rank(key: string): number {
    let node = this.root;
    let before = 0;
    while (node.children !== undefined) {
      const child = childFor(node.keys, key);
      for (let i = 0; i < child; i += 1) before += (node.children[i] as Node<V>).size;
      node = node.children[child] as Node<V>;
    }
    return before + lowerBound(node.keys, key);
  }

  at(position: number): V | undefined {
    if (position < 0 || position >= this.root.size) return undefined;
    let node = this.root;
    let rest = position;
    while (node.children !== undefined) {
      let child = 0;
      while (rest >= (node.children[child] as Node<V>).size) {
        rest -= (node.children[child] as Node<V>).size;
        child += 1;
      }
      node = node.children[child] as Node<V>;
    }
    return node.values[rest];
  }

  /** Returns the values at positions `from` (included) to `to` (excluded). */
  slice(from = 0, to = this.size): V[] {
    const found: V[] = [];
    collect(this.root, from, Math.min(to, this.size), found);
    return found;
  }
}

function leaf<V>(keys: readonly string[], values: readonly V[]): Leaf<V> {
  return { children: undefined, size: keys.length, keys, values };
}

function branch<V>(children: readonly Node<V>[]): Branch<V> {
  const keys: string[] = [];
  let size = 0;
  for (const child of children) {
    keys.push(child.keys[0] as string);
    size += child.size;
  }
  return { children, size, keys };
}

/** Returns the index of the first key that is not smaller. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the index of the child whose range holds the key: the last child whose smallest key is not greater, or the
 * first child.
 */
function childFor(keys: readonly string[], key: string): number {
  const at = lowerBound(keys, key);
  return at < keys.length && keys[at] === key ? at : Math.max(0, at - 1);
}

/** @returns the node with the entry in it, or the two halves that it was split into */
function insert<V>(node: Node<V>, key: string, value: V): Node<V>[] {
  if (node.children === undefined) return insertIntoLeaf(node, key, value);
  const at = childFor(node.keys, key);
  const made = insert(node.children[at] as Node<V>, key, value);
  const children = node.children.slice();
  children.splice(at, 1, ...made);
  if (children.length <= NODE_MAX) return [branch(children)];
  const half = children.length >>> 1;
  return [branch(children.slice(0, half)), branch(children.slice(half))];
}

function insertIntoLeaf<V>(node: Leaf<V>, key: string, value: V): Node<V>[] {
  const at = lowerBound(node.keys, key);
  const values = node.values.slice();
  if (node.keys[at] === key) {
    values[at] = value;
    return [leaf(node.keys, values)];
  }
  const keys = node.keys.slice();
  keys.splice(at, 0, key);
  values.splice(at, 0, value);
  if (keys.length <= NODE_MAX) return [leaf(keys, values)];
  // Names often come in ascending order; an uneven split then leaves full leaves behind instead of half-empty ones.
  const half = at === keys.length - 1 ? keys.length - 8 : keys.length >>> 1;
  return [leaf(keys.slice(0, half), values.slice(0, half)), leaf(keys.slice(half), values.slice(half))];
}

/** @returns the same node when it does not hold the key; a node of size 0 when nothing is left */
function remove<V>(node: Node<V>, key: string): Node<V> {
  if (node.children === undefined) {
    const at = lowerBound(node.keys, key);
    if (node.keys[at] !== key) return node;
    return leaf(node.keys.toSpliced(at, 1), node.values.toSpliced(at, 1));
  }
  const at = childFor(node.keys, key);
  const child = node.children[at] as Node<V>;
  const next = remove(child, key);
  if (next === child) return node;
  if (next.size === 0) {
    return node.children.length === 1 ? leaf<V>([], []) : branch(node.children.toSpliced(at, 1));
  }
  return branch(mergeSmall(node.children.with(at, next), at));
}

/** Joins the child at `at` to a neighbour when the child has become small and both fit into one node. */
function mergeSmall<V>(children: readonly Node<V>[], at: number): readonly Node<V>[] {
  if (children.length < 2 || (children[at] as Node<V>).keys.length >= NODE_MIN) return children;
  const first = at > 0 ? at - 1 : 0;
  const left = children[first] as Node<V>;
  const right = children[first + 1] as Node<V>;
  if (left.keys.length + right.keys.length > NODE_MAX) return children;
  const merged =
    left.children !== undefined && right.children !== undefined
      ? branch([...left.children, ...right.children])
      : leaf([...left.keys, ...right.keys], [...(left as Leaf<V>).values, ...(right as Leaf<V>).values]);
  return children.toSpliced(first, 2, merged);
}

function collect<V>(node: Node<V>, from: number, to: number, found: V[]): void {
  if (node.children === undefined) {
    const end = Math.min(to, node.values.length);
    for (let at = Math.max(0, from); at < end; at += 1) found.push(node.values[at] as V);
    return;
  }
  let before = 0;
  for (const child of node.children) {
    if (before >= to) return;
    if (before + child.size > from) collect(child, from - before, to - before, found);
    before += child.size;
  }
}
