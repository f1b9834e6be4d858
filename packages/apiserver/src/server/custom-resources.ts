// Custom resources, served like built-in ones; see served-definitions.ts of the extensions package.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Features } from "@orch/apis";
import { type ConverterFactory, RecentCosts, type ResourceHost, ServedDefinitions } from "@orch/extensions";
import { type ResourceDefinition, receivedStatusError } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { systemClock } from "@orch/platform";
import type { EventLoopYielder, ResourceStorage } from "@orch/registry";
import { PathConflictError, type ResourceRoutes } from "@orch/request";
import { type JsonObject, type Schema, type Vocabulary, writeJson } from "@orch/schema";
import { type ServedResources, serverWrite } from "@orch/served-resources";
import type { LargeObjectWorkers, WorkerDefinitions } from "../large-objects/large-object-workers";

export interface CustomResourceParts {
  readonly resources: ServedResources;
  /** Storage of custom resource definitions. */
  readonly storage: ResourceStorage;
  readonly schema: Schema;
  readonly features: Features;
  readonly vocabulary: Vocabulary;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
  /** Deletes large objects; undefined when there are no large-object workers. */
  readonly largeObjectWorkers: LargeObjectWorkers | undefined;
  readonly converterFor: ConverterFactory;
}

export function customResources(parts: CustomResourceParts): ServedDefinitions {
  const { storage, schema, features, vocabulary, loop, logger } = parts;
  return new ServedDefinitions({
    definitions: storage,
    host: hostOf(parts),
    types: schema,
    features,
    vocabulary,
    converterFor: parts.converterFor,
    costs: new RecentCosts(systemClock.elapsed),
    loop,
    log: logger,
    write: serverWrite(storage, vocabulary),
    clock: systemClock,
    pause: (ms) => pause(ms, undefined, { ref: false }),
    random: Math.random,
  });
}

/** Time limit for a write of a large definition. */
const WRITE_MS = 60_000;

function patchStatus(
  largeObjectWorkers: LargeObjectWorkers,
  { storage, vocabulary }: CustomResourceParts,
): NonNullable<ResourceHost["patchStatus"]> {
  const { group, version, plural } = { ...storage.definition, ...storage.definition.storage };
  const { user, manager = "" } = serverWrite(storage, vocabulary);
  return async ({ name }, operations) => {
    const path = `/apis/${group}/${version}/${plural}/${encodeURIComponent(name)}/status`;
    const answer = await largeObjectWorkers.write(
      {
        route: `${group}/${version}/${plural}/status`,
        method: "PATCH",
        url: `${path}?fieldManager=${encodeURIComponent(manager)}`,
        httpVersionMajor: 1,
        headers: {
          "content-type": "application/json-patch+json",
          accept: `application/json;as=PartialObjectMetadata;g=${vocabulary.groups.meta};v=v1`,
        },
        body: Buffer.from(writeJson([...operations])),
        user,
        id: randomUUID(),
        pretty: false,
        tellsChanges: false,
        warnings: [],
        timeoutMs: WRITE_MS,
      },
      never(),
    );
    if (answer.failure !== undefined)
      throw receivedStatusError(answer.failure as unknown as JsonObject, { code: answer.code, text: "" });
  };
}

const never = (): AbortSignal => new AbortController().signal;

function hostOf(parts: CustomResourceParts): ResourceHost {
  const { resources, vocabulary, largeObjectWorkers } = parts;
  const inWorkers = largeObjectWorkers !== undefined;
  const installOne = (definition: ResourceDefinition): ResourceStorage | undefined => {
    try {
      return resources.install([definition], { inWorkers })[0];
    } catch (error) {
      if (error instanceof PathConflictError) return undefined;
      throw error;
    }
  };
  return {
    install(definitions) {
      try {
        return resources.install(definitions, { inWorkers });
      } catch (error) {
        if (!(error instanceof PathConflictError)) throw error;
        return definitions.map(installOne);
      }
    },
    ...(largeObjectWorkers && { patchStatus: patchStatus(largeObjectWorkers, parts) }),
    remove: ({ group, plural }) => resources.remove([{ group, resource: plural }]),
    async delete(storage, { entry, ...key }) {
      const write = serverWrite(storage, vocabulary);
      if (largeObjectWorkers === undefined || entry?.isLarge !== true) {
        await storage.delete(key, {}, { ...write, admitted: true });
        return;
      }
      const { group, version } = storage.definition.storage;
      const route = `${group}/${version}/${storage.definition.plural}`;
      const { user, dryRun } = write;
      await largeObjectWorkers.remove({ route, key, options: {}, user, dryRun, pathName: key.name }, never());
    },
  };
}

/** Custom resource definitions for the large-object workers. */
export const workerDefinitions = (routes: ResourceRoutes, served: () => ServedDefinitions): WorkerDefinitions => ({
  definedBy(path) {
    const definition = routes.at(path)?.definition;
    if (definition?.isCustom !== true) return undefined;
    const of = { group: definition.group, resource: definition.plural };
    const source = served().sourceOf(of);
    return source && { ...of, key: source.key, terminating: source.terminating };
  },
  find(of) {
    const source = served().sourceOf(of);
    return source && { key: source.key, ...source.read() };
  },
});
