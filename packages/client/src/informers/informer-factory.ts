// Informers shared within a program, one for each collection.

import type { Client } from "../requests/client";
import type { PartOptions, SelectionOptions } from "../requests/options";
import { type ResourceType, resourcePath } from "../requests/resource-type";
import { Informer, type InformerOptions } from "./informer";
import { selected } from "./list-source";

export interface SharedInformerOptions<T>
  extends SelectionOptions,
    PartOptions,
    Omit<InformerOptions<T>, "name" | "indexes"> {
  /** Default: that of the factory; "" for all namespaces. */
  readonly namespace?: string;
}

export interface InformerFactoryOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly resyncMs?: number;
}

export class InformerFactory {
  private readonly informers = new Map<string, Informer<object>>();
  private running: { readonly signal: AbortSignal; readonly done: Promise<void>[] } | undefined;

  constructor(
    private readonly client: Client,
    private readonly options: InformerFactoryOptions = {},
  ) {}

  /** Returns the shared informer for the same part of the same objects. The first caller sets its other options. */
  informer<T extends object>(type: ResourceType<T>, options: SharedInformerOptions<T> = {}): Informer<T> {
    const namespace = options.namespace ?? this.options.namespace ?? "";
    const { labelSelector = "", fieldSelector = "", part = "whole" } = options;
    const { dropsManagedFields = this.client.dropsManagedFields } = options;
    const path = resourcePath(type, namespace === "" || !type.namespaced ? {} : { namespace });
    const id = JSON.stringify([path, labelSelector, fieldSelector, part, dropsManagedFields]);
    const known = this.informers.get(id);
    if (known !== undefined) return known as unknown as Informer<T>;
    const all = this.client.follower.resource(type);
    const selection = { labelSelector, fieldSelector, part, dropsManagedFields };
    const source = selected(namespace === "" ? all : all.namespace(namespace), selection);
    const { resyncMs = this.options.resyncMs ?? this.client.resyncMs, transform, watchMinSeconds } = options;
    const informer = new Informer<T>(
      source,
      {
        name: path,
        ...(resyncMs === undefined ? {} : { resyncMs }),
        ...(transform === undefined ? {} : { transform }),
        ...(watchMinSeconds === undefined ? {} : { watchMinSeconds }),
      },
      this.client,
    );
    this.informers.set(id, informer as unknown as Informer<object>);
    if (this.running !== undefined) this.running.done.push(informer.run(this.running.signal));
    return informer;
  }

  /** Runs all informers, including those requested later, until the signal is aborted. */
  start(signal: AbortSignal): void {
    if (this.running !== undefined) return;
    this.running = { signal, done: [...this.informers.values()].map((informer) => informer.run(signal)) };
  }

  /** Resolves when all informers have synced. @throws the signal's reason */
  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.informers.values()].map((informer) => informer.synced(signal)));
  }

  /** Resolves when all informers have ended, after the signal of `start`. */
  async stopped(): Promise<void> {
    await Promise.all(this.running?.done ?? []);
  }
}
