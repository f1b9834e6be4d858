// Whose access to namespaces may have changed, and when: for those who watch what they may see. What is forgotten counts as changed.
import type { UserInfo } from "@orch/machinery";
import type { Binding, Role } from "./binding";
import type { PolicyRule } from "./policy";
import { keyOf, type SubjectKey } from "./subject-grants";

/** Subjects whose last change is remembered; beyond that, and for changes of more at once, all count as changed. */
const REMEMBERED_MAX = 10_000;

export class AccessChanges {
  /** Revision of the last change, by subject; the oldest first. */
  private readonly changed = new Map<string, number>();
  private readonly listeners = new Map<string, Set<() => void>>();
  /** Of what was changed before, or at it, nothing is known. */
  private knownAfter = 0;

  /** What there is was read as a whole, at this revision. */
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

  /** @param before the rules that it had */
  roleChanged(role: Role, before: readonly PolicyRule[] | undefined, revision: number): void {
    // In a namespace it matters only whether it allows anything at all.
    const onlyEverywhere = speaksOfResources(before) === speaksOfResources(role.rules);
    if (role.bindings.size > REMEMBERED_MAX) {
      this.everybody(revision);
      return;
    }
    for (const binding of role.bindings) {
      if (!onlyEverywhere || binding.namespace === "") this.bindingChanged(binding, revision);
    }
  }

  /** Whether something may have changed for the user after a revision. */
  isChangedAfter(user: UserInfo, revision: number): boolean {
    if (revision < this.knownAfter) return true;
    return subjectsOf(user).some((subject) => (this.changed.get(subject) ?? 0) > revision);
  }

  /** @param changed called at each change, in the middle of it: it looks later @returns to be called when nobody listens any more */
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
