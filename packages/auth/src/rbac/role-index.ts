// Roles of one place, cluster-wide or one namespace, found by what they allow. Bindings may refer to roles that do not
// exist yet or any more: those are kept as lost while a binding refers to them.
import type { Attributes } from "../authorization/authorizer";
import { BroadRules } from "./broad-rules";
import type { PolicyRule, RoleRef } from "./policy";
import { RightNode } from "./right-tree";
import { PREFIX_KEY_MAX, type RightVisitor, visitRights } from "./rule-rights";

/**
 * A role, existing or not, that bindings refer to.
 * @template Binding what refers to it
 */
export class BoundRole<Binding> {
  /** Undefined: the role does not exist. */
  rules: readonly PolicyRule[] | undefined;
  /** The rules that are not indexed right by right. */
  broad: BroadRules | undefined;
  readonly bindings = new Set<Binding>();

  constructor(readonly ref: RoleRef) {}
}

/** Roles that match a request. */
export interface Match<Binding> {
  /** Roles that allow the request. */
  readonly exact: readonly ReadonlySet<BoundRole<Binding>>[];
  /** Roles that may allow the request and must be checked. */
  readonly broad: readonly ReadonlySet<BoundRole<Binding>>[];
}

export class RoleIndex<Binding> {
  /** Roles that are bound but do not exist. */
  readonly lost = new Set<BoundRole<Binding>>();
  private readonly roles = new Map<string, BoundRole<Binding>>();
  /** Roles with so many broad keys that they are checked for every request. */
  private readonly sweeping = new Set<BoundRole<Binding>>();
  private readonly resources = new RightNode<BoundRole<Binding>>();
  private readonly urls = new RightNode<BoundRole<Binding>>();
  private readonly urlPrefixes = new RightNode<BoundRole<Binding>>();
  /** Number of rights indexed under patterns of each length. */
  private readonly prefixLengths = new Array<number>(PREFIX_KEY_MAX + 1).fill(0);

  constructor(private readonly kind: string) {}

  get isEmpty(): boolean {
    return this.roles.size === 0;
  }

  find(name: string): BoundRole<Binding> | undefined {
    return this.roles.get(name);
  }

  bind(ref: RoleRef, binding: Binding): BoundRole<Binding> {
    const role = this.roles.get(ref.name) ?? this.enter(ref);
    if (role.rules === undefined) this.lost.add(role);
    role.bindings.add(binding);
    return role;
  }

  unbind(role: BoundRole<Binding>, binding: Binding): void {
    role.bindings.delete(binding);
    this.leaveIfUnused(role);
  }

  /** @param rules undefined: the role no longer exists */
  put(name: string, rules: readonly PolicyRule[] | undefined): BoundRole<Binding> | undefined {
    const role = this.roles.get(name) ?? (rules && this.enter({ kind: this.kind, name, apiGroup: "" }));
    if (role === undefined) return undefined;
    if (role.rules !== undefined) visitRights(role.rules, this.remover(role));
    role.rules = rules;
    role.broad = undefined;
    if (rules === undefined) {
      if (role.bindings.size > 0) this.lost.add(role);
      this.leaveIfUnused(role);
      return role;
    }
    this.lost.delete(role);
    const broad = visitRights(rules, this.adder(role));
    if (broad.length > 0) role.broad = new BroadRules(broad);
    return role;
  }

  allowing(asked: Attributes): Match<Binding> {
    const found: Found<Binding> = { exact: [], broad: this.sweeping.size === 0 ? [] : [this.sweeping] };
    if (asked.kind === "resource") this.findResource(asked, found);
    else this.findUrl(asked.path, asked.verb, found);
    return found;
  }

  private findResource(
    { resource, subresource, apiGroup, verb, name }: Extract<Attributes, { kind: "resource" }>,
    found: Found<Binding>,
  ): void {
    const { children } = this.resources;
    if (children === undefined) return;
    const full = subresource === "" ? resource : `${resource}/${subresource}`;
    const asked = { apiGroup, verb, name };
    collect(children.get(full), asked, found);
    if (full !== "*") collect(children.get("*"), asked, found);
    // A subresource of any resource.
    if (subresource !== "" && resource !== "*") collect(children.get(`*/${subresource}`), asked, found);
  }

  private findUrl(path: string, verb: string, found: Found<Binding>): void {
    collectVerb(this.urls.children?.get(path), verb, found);
    const { children } = this.urlPrefixes;
    if (children === undefined) return;
    const longest = Math.min(path.length, PREFIX_KEY_MAX);
    for (let length = 0; length <= longest; length += 1) {
      if (this.prefixLengths[length] === 0) continue;
      collectVerb(children.get(path.slice(0, length)), verb, found);
    }
  }

  private enter(ref: RoleRef): BoundRole<Binding> {
    const role = new BoundRole<Binding>(ref);
    this.roles.set(ref.name, role);
    return role;
  }

  private leaveIfUnused(role: BoundRole<Binding>): void {
    if (role.rules !== undefined || role.bindings.size > 0) return;
    this.lost.delete(role);
    this.roles.delete(role.ref.name);
  }

  private adder(role: BoundRole<Binding>): RightVisitor {
    return {
      resource: (keys) => this.resources.add(keys, role),
      broadResource: (resource) => this.resources.addBroad(resource, role),
      url: (keys, isPrefix) => this.urlTree(keys[0], isPrefix, 1).add(keys, role),
      broadUrl: (key, isPrefix) => this.urlTree(key, isPrefix, 1).addBroad(key, role),
      sweeping: () => this.sweeping.add(role),
    };
  }

  private remover(role: BoundRole<Binding>): RightVisitor {
    return {
      resource: (keys) => this.resources.remove(keys, role),
      broadResource: (resource) => this.resources.removeBroad(resource, role),
      url: (keys, isPrefix) => this.urlTree(keys[0], isPrefix, -1).remove(keys, role),
      broadUrl: (key, isPrefix) => this.urlTree(key, isPrefix, -1).removeBroad(key, role),
      sweeping: () => this.sweeping.delete(role),
    };
  }

  private urlTree(key: string, isPrefix: boolean, change: 1 | -1): RightNode<BoundRole<Binding>> {
    if (!isPrefix) return this.urls;
    this.prefixLengths[key.length] = (this.prefixLengths[key.length] ?? 0) + change;
    return this.urlPrefixes;
  }
}

interface Found<Binding> {
  readonly exact: ReadonlySet<BoundRole<Binding>>[];
  readonly broad: ReadonlySet<BoundRole<Binding>>[];
}

type Node<Binding> = RightNode<BoundRole<Binding>> | undefined;

function collect<Binding>(
  node: Node<Binding>,
  { apiGroup, verb, name }: { readonly apiGroup: string; readonly verb: string; readonly name: string },
  found: Found<Binding>,
): void {
  if (node === undefined) return;
  if (node.broad !== undefined) found.broad.push(node.broad);
  const { children } = node;
  if (children === undefined) return;
  collectGroup(children.get(apiGroup), verb, name, found);
  if (apiGroup !== "*") collectGroup(children.get("*"), verb, name, found);
}

function collectGroup<Binding>(node: Node<Binding>, verb: string, name: string, found: Found<Binding>): void {
  const children = node?.children;
  if (children === undefined) return;
  collectNames(children.get(verb), name, found);
  if (verb !== "*") collectNames(children.get("*"), name, found);
}

function collectNames<Binding>(node: Node<Binding>, name: string, found: Found<Binding>): void {
  if (node === undefined) return;
  if (node.owners !== undefined) found.exact.push(node.owners);
  const named = node.children?.get(name)?.owners;
  if (named !== undefined) found.exact.push(named);
}

function collectVerb<Binding>(node: Node<Binding>, verb: string, found: Found<Binding>): void {
  if (node === undefined) return;
  if (node.broad !== undefined) found.broad.push(node.broad);
  const { children } = node;
  if (children === undefined) return;
  for (const each of verb === "*" ? ["*"] : [verb, "*"]) {
    const owners = children.get(each)?.owners;
    if (owners !== undefined) found.exact.push(owners);
  }
}
