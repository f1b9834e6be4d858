// Registers what this server itself serves. Every replica does: each writes only what it does not find written, so that of several the first
// has written and the others find it; who comes second is told AlreadyExists or Conflict, and looks again. No replica has to wait for a
// leader to be listed, and none is needed to take back what is gone.
import { isReason, metaOf } from "@orch/machinery";
import { errorFields, type Log, messageOf } from "@orch/platform";
import type { ObjectKey, ResourceStorage, WriteContext } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type AutomaticStep, automaticStep, type WantedRegistration } from "./automatic-registration";
import type { Registration } from "./registration";
import type { Registrations } from "./registrations";

export interface AutoRegistrarParts {
  /** Of APIServices. */
  readonly storage: ResourceStorage;
  readonly registrations: Registrations;
  readonly vocabulary: Vocabulary;
  /** What is served now, by name. */
  readonly wanted: () => ReadonlyMap<string, WantedRegistration>;
  readonly write: WriteContext;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
}

const WRITERS = 8;
const RETRY_MS = 1000;
/** Another replica may not have heard yet of what has gone, and undo at once what is done here. */
const BETWEEN_MS = 20;

export class AutoRegistrar {
  private readonly existedAtStart = new Set<string>();
  private readonly done = new Set<string>();
  /** What was told of those that fail: what stays so is not told again each time it is tried. */
  private readonly failing = new Map<string, string>();
  /** Failures of this pass that are news, by what they say: all may have one reason, such as a store that is full. */
  private readonly news = new Map<
    string,
    { readonly error: unknown; readonly step: string; readonly names: string[] }
  >();
  /** Of the start, not seen yet. */
  private awaited: Set<string> | undefined;
  /** Whoever waits for the end of a pass in which nothing failed. */
  private readonly waiting = new Set<() => void>();
  private working: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(private readonly parts: AutoRegistrarParts) {}

  /**
   * Resolves once everything that is served at the start has been seen to; what fails is tried again. Called again, it sees to everything once
   * more, as where the store was brought back to an earlier state.
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

  /** Something else is served, or registered. */
  wake(): void {
    if (this.awaited !== undefined && !this.closed) void this.work();
  }

  /** Names of those that are served since the start, and were not seen to be registered yet. */
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

  /** @returns whether something has to be tried again */
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
      // Another replica has been first: what it has written is on its way here.
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
      this.parts.log.warn("an API was not registered", { name: names[0], step, ...others, ...errorFields(error) });
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
