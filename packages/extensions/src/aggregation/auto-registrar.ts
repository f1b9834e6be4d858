// Registers the group versions that this server serves as APIServices. Every replica does so and writes only what it
// finds missing. A replica that comes second gets AlreadyExists or Conflict and reads again. Registration therefore
// needs no leader.
import { isReason, metaOf } from "@orch/machinery";
import { errorFields, type Log, messageOf } from "@orch/platform";
import type { ObjectKey, ResourceStorage, WriteContext } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type AutomaticStep, automaticStep, type WantedRegistration } from "./automatic-registration";
import type { Registration } from "./registration";
import type { Registrations } from "./registrations";

export interface AutoRegistrarParts {
  /** Storage of APIServices. */
  readonly storage: ResourceStorage;
  readonly registrations: Registrations;
  readonly vocabulary: Vocabulary;
  /** Returns the group versions served now, by APIService name. */
  readonly wanted: () => ReadonlyMap<string, WantedRegistration>;
  readonly write: WriteContext;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
}

const WRITERS = 8;
const RETRY_MS = 1000;
/**
 * Delay between two passes. Without it, a replica that has not received a deletion yet could undo this replica's writes
 * at once.
 */
const BETWEEN_MS = 20;

export class AutoRegistrar {
  private readonly existedAtStart = new Set<string>();
  private readonly done = new Set<string>();
  /** Last logged error of each failing name. An unchanged error is not logged again at each retry. */
  private readonly failing = new Map<string, string>();
  /** New failures of this pass, grouped by message: all may have one cause, such as a full store. */
  private readonly news = new Map<
    string,
    { readonly error: unknown; readonly step: string; readonly names: string[] }
  >();
  /** Names served at the start and not yet seen registered. Undefined before the start. */
  private awaited: Set<string> | undefined;
  /** Callbacks that wait for the end of a pass without failures. */
  private readonly waiting = new Set<() => void>();
  private working: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(private readonly parts: AutoRegistrarParts) {}

  /**
   * Registers everything served at the start, and resolves when that is done. Failures are retried. Another call
   * repeats the whole work, for example after the store was restored to an earlier state.
   */
  async start(): Promise<void> {
    const { registrations, wanted } = this.parts;
    const isFirst = this.awaited === undefined;
    this.done.clear();
    for (const { name, automation } of registrations.all()) if (automation === "onstart") this.existedAtStart.add(name);
    this.awaited = new Set(wanted().keys());
    if (isFirst) registrations.onChange((now, before) => this.noticed(now, before));
    const seenTo = new Promise<void>((resolve) => this.waiting.add(resolve));
    void this.work();
    await seenTo;
    await this.parts.storage.caughtUp?.();
  }

  private noticed(now: Registration | undefined, before: Registration | undefined): void {
    const isOwn = now?.automation === "true" || before?.automation === "true";
    if (isOwn || (now !== undefined && this.parts.wanted().has(now.name))) this.wake();
  }

  /** Starts a pass because the served or the registered group versions have changed. */
  wake(): void {
    if (this.awaited !== undefined && !this.closed) void this.work();
  }

  /** Returns the names served since the start that have not been seen registered yet. */
  missing(): readonly string[] {
    const { registrations, wanted } = this.parts;
    if (this.awaited === undefined) return [...wanted().keys()];
    for (const name of this.awaited) if (registrations.get(name) !== undefined) this.awaited.delete(name);
    return [...this.awaited];
  }

  close(): void {
    this.closed = true;
  }

  private work(): Promise<void> {
    this.again = true;
    this.working ??= this.workThrough().finally(() => {
      this.working = undefined;
      if (this.closed) this.letGo([...this.waiting]);
    });
    return this.working;
  }

  private letGo(waiting: readonly (() => void)[]): void {
    for (const resolve of waiting) {
      this.waiting.delete(resolve);
      resolve();
    }
  }

  private async workThrough(): Promise<void> {
    while (this.again && !this.closed) {
      this.again = false;
      const waiting = [...this.waiting];
      const failed = await this.lookAtAll();
      if (failed) this.again = true;
      else this.letGo(waiting);
      if (this.again) await this.parts.pause(failed ? RETRY_MS : BETWEEN_MS);
    }
  }

  /** Runs a pass over all names. @returns whether a write failed and must be retried */
  private async lookAtAll(): Promise<boolean> {
    const { registrations } = this.parts;
    const wanted = this.parts.wanted();
    const steps: { readonly name: string; readonly step: AutomaticStep }[] = [];
    const names = new Set(wanted.keys());
    for (const { name, automation } of registrations.all()) if (automation !== undefined) names.add(name);
    for (const name of names) {
      const state = { existedAtStart: this.existedAtStart.has(name), isDone: this.done.has(name) };
      const step = automaticStep(registrations.get(name), wanted.get(name), state);
      if (step === "leave") this.done.add(name);
      else steps.push({ name, step });
    }
    let failed = false;
    let next = 0;
    const write = async (): Promise<void> => {
      for (let at = next++; at < steps.length && !this.closed; at = next++) {
        const { name, step } = steps[at] as (typeof steps)[number];
        if (!(await this.take(step, name, wanted.get(name)))) failed = true;
      }
    };
    await Promise.all(Array.from({ length: Math.min(WRITERS, steps.length) }, write));
    this.tellNews();
    return failed;
  }

  private async take(step: AutomaticStep, name: string, wanted: WantedRegistration | undefined): Promise<boolean> {
    const { storage, write, registrations } = this.parts;
    const key = { namespace: "", name };
    try {
      if (step === "delete") {
        const { uid } = registrations.get(name) ?? {};
        await storage.delete(key, { preconditions: uid === undefined ? {} : { uid } }, write);
      } else if (wanted !== undefined && step === "create") {
        if (wanted.automation === "onstart") await storage.seed(this.objectOf(wanted), write);
        else await storage.create(this.objectOf(wanted), { namespace: "", name: "" }, write);
      } else if (wanted !== undefined) await this.correct(key, wanted);
      this.done.add(name);
      this.failing.delete(name);
      return true;
    } catch (error) {
      // Another replica wrote first. Its write reaches this replica through the watch.
      if (isReason(error, "AlreadyExists") || isReason(error, "NotFound")) {
        this.done.add(name);
        return true;
      }
      if (!isReason(error, "Conflict") && this.failing.get(name) !== messageOf(error)) {
        this.failing.set(name, messageOf(error));
        const known = this.news.get(messageOf(error));
        if (known === undefined) this.news.set(messageOf(error), { error, step, names: [name] });
        else known.names.push(name);
      }
      return false;
    }
  }

  private tellNews(): void {
    for (const { error, step, names } of this.news.values()) {
      const others = names.length === 1 ? {} : { others: names.length - 1 };
      this.parts.log.warn("cannot register an APIService", { name: names[0], step, ...others, ...errorFields(error) });
    }
    this.news.clear();
  }

  private async correct(key: ObjectKey, wanted: WantedRegistration): Promise<void> {
    const { storage, write, vocabulary } = this.parts;
    const object = storage.peek(key)?.object();
    if (object === undefined) return;
    const { labels = {} } = metaOf(object);
    const metadata = {
      ...(object["metadata"] as JsonObject),
      labels: { ...labels, [vocabulary.labels.aggregatorAutomanaged]: wanted.automation },
    };
    await storage.update({ ...object, metadata, spec: specOf(wanted) }, key, write);
  }

  private objectOf(wanted: WantedRegistration): JsonObject {
    const { storage, vocabulary } = this.parts;
    const { apiVersion, kind } = storage.definition.storage;
    const labels = { [vocabulary.labels.aggregatorAutomanaged]: wanted.automation };
    return { kind, apiVersion, metadata: { name: wanted.name, labels }, spec: specOf(wanted) };
  }
}

const specOf = ({
  group,
  version,
  groupPriority,
  versionPriority,
}: Pick<Registration, "group" | "version" | "groupPriority" | "versionPriority">): JsonObject => ({
  ...(group === "" ? {} : { group }),
  version,
  groupPriorityMinimum: groupPriority,
  versionPriority,
});
