// Changes of the access to namespaces, by subject, for watches on the accessible namespaces. A forgotten subject counts
// as changed.
import type { UserInfo } from "@orch/machinery";
import type { Binding, Role } from "./binding";
import type { PolicyRule } from "./policy";
import { keyOf, type SubjectKey } from "./subject-grants";

/**
 * Maximum number of subjects whose last change is remembered. Beyond it, and for larger changes, all subjects count as
 * changed.
 */
const REMEMBERED_MAX = 10_000;

export class AccessChanges {
  /** Revision of the last change by subject, the oldest first. */
  private readonly changed = new Map<string, number>();
  private readonly listeners = new Map<string, Set<() => void>>();
  /** Changes at or before this revision are not known. */
  private knownAfter = 0;

  /** Resets the record: the whole policy was read at this revision. */
  begin(revision: number): void {
    this.changed.clear();
    this.everybody(revision);
  }

  bindingChanged({ subjects, namespace }: Binding, revision: number): void {
    if (subjects.length > REMEMBERED_MAX) this.everybody(revision);
    else {
      for (const subject of subjects) {
        const key = keyOf(subject, namespace);
        if (key !== undefined) this.note(textOf(key), revision);
      }
    }
  }

  /** @param before the previous rules of the role */
  roleChanged(role: Role, before: readonly PolicyRule[] | undefined, revision: number): void {
    // In a namespace it only matters whether the role allows anything at all.
    const onlyEverywhere = speaksOfResources(before) === speaksOfResources(role.rules);
    if (role.bindings.size > REMEMBERED_MAX) {
      this.everybody(revision);
      return;
    }
    for (const binding of role.bindings) {
      if (!onlyEverywhere || binding.namespace === "") this.bindingChanged(binding, revision);
    }
  }

  /** Returns whether access may have changed for the user after a revision. */
  isChangedAfter(user: UserInfo, revision: number): boolean {
    if (revision < this.knownAfter) return true;
    return subjectsOf(user).some((subject) => (this.changed.get(subject) ?? 0) > revision);
  }

  /**
   * @param changed called during each change, so it must not read the policy before it returns
   * @returns removes the listener
   */
  listen(user: UserInfo, changed: () => void): () => void {
    const subjects = subjectsOf(user);
    for (const subject of subjects) {
      const known = this.listeners.get(subject);
      if (known === undefined) this.listeners.set(subject, new Set([changed]));
      else known.add(changed);
    }
    return () => {
      for (const subject of subjects) {
        const known = this.listeners.get(subject);
        if (known?.delete(changed) && known.size === 0) this.listeners.delete(subject);
      }
    };
  }

  private note(subject: string, revision: number): void {
    const before = this.changed.get(subject) ?? 0;
    this.changed.delete(subject);
    this.changed.set(subject, Math.max(before, revision));
    if (this.changed.size > REMEMBERED_MAX) this.forgetOldest();
    const listeners = this.listeners.get(subject);
    if (listeners !== undefined) for (const changed of [...listeners]) changed();
  }

  private forgetOldest(): void {
    for (const [subject, revision] of this.changed) {
      this.changed.delete(subject);
      this.knownAfter = Math.max(this.knownAfter, revision);
      return;
    }
  }

  private everybody(revision: number): void {
    this.knownAfter = Math.max(this.knownAfter, revision);
    for (const listeners of this.listeners.values()) for (const changed of [...listeners]) changed();
  }
}

export const speaksOfResources = (rules: readonly PolicyRule[] | undefined): boolean =>
  rules?.some(({ verbs, resources }) => (verbs?.length ?? 0) > 0 && (resources?.length ?? 0) > 0) ?? false;

const textOf = ({ kind, name }: SubjectKey): string => `${kind}:${name}`;

const subjectsOf = ({ name, groups }: UserInfo): readonly string[] => [
  `user:${name}`,
  ...groups.map((group) => `group:${group}`),
];
