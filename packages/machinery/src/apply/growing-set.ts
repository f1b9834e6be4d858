// Builds a node of a field set while a value is walked. List items may share an element, although validation refuses
// that. Their nodes are united once at the end, because a list may have thousands of them.
import { type FieldSet, inOrder, LEAF, MEMBER, type MutableFieldSet, unionOfAllNodes } from "./field-set";

export class GrowingSet {
  private readonly node: MutableFieldSet;
  private repeated: Map<string, FieldSet[]> | undefined;

  /** @param isMember whether the node itself is a member of the set */
  constructor(isMember: boolean) {
    this.node = isMember ? { [MEMBER]: LEAF } : {};
  }

  add(element: string, node: FieldSet): void {
    const known = this.node[element];
    if (known === undefined) this.node[element] = node;
    else if (known !== node) this.repeat(element, known, node);
  }

  /**
   * Returns the finished node.
   * @param isSorted whether the elements were added in sorted order
   */
  finish(isSorted = false): FieldSet {
    for (const [element, nodes] of this.repeated ?? []) this.node[element] = unionOfAllNodes(nodes);
    return isSorted ? this.node : inOrder(this.node);
  }

  private repeat(element: string, known: FieldSet, node: FieldSet): void {
    this.repeated ??= new Map();
    const nodes = this.repeated.get(element);
    if (nodes === undefined) this.repeated.set(element, [known, node]);
    else nodes.push(node);
  }
}
