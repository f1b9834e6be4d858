// `GET /debug/definitions`: content of the store and recent costs of each custom resource definition. Source:
// docs/extending.md, "Cost of a definition".

import { type DefinitionOverview, RECENT_MINUTES, type ServedDefinitions } from "@orch/extensions";
import { answerJson } from "@orch/http-server";
import { tooManyRequests } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { EventLoopYielder, ResourceStorage } from "@orch/registry";
import type { PathHandler } from "./dispatch";

export interface DefinitionReportDeps {
  readonly definitions: () => Pick<ServedDefinitions, "overview">;
  readonly loop: EventLoopYielder;
}

/**
 * Answers `{minutes, definitions}`, by name; with `?definition=<name>` for that definition alone. The objects are
 * counted in the store, page by page, one definition after the other and for one client at a time. Members of a
 * definition:
 *   name, group, kind, scope  the last three only once its names are accepted
 *   served                    whether this server serves it
 *   storageVersion            version in which its objects are written
 *   storedVersions            as in its status: versions in which objects may be stored
 *   instances, bytes          content of the store; absent when it is not served
 *   inVersions                number of objects stored in each version; "" for unreadable ones
 *   unusedVersions            stored versions without objects, which can be removed from the status
 *   conversion, rules         figures of this server over the last `minutes`
 */
export function definitionReport({ definitions, loop }: DefinitionReportDeps): PathHandler {
  let isRunning = false;
  return async (request, response) => {
    if (isRunning) throw tooManyRequests("another report on definitions is in progress", { retryAfterSeconds: 10 });
    isRunning = true;
    try {
      const { context } = request;
      // The request has no deadline; each read of the store has its own.
      context.deadline = Number.POSITIVE_INFINITY;
      const asked = context.info.query?.get("definition");
      const found: object[] = [];
      for (const overview of definitions().overview()) {
        if (asked !== null && asked !== undefined && overview.name !== asked) continue;
        if (context.end.aborted) return;
        if (loop.isOver) await loop.next();
        found.push(await described(overview, context.end));
      }
      answerJson(response, 200, { minutes: RECENT_MINUTES, definitions: found }, 2);
    } finally {
      isRunning = false;
    }
  };
}

async function described({ name, served, storage, storedVersions, costs }: DefinitionOverview, signal: EndSignal) {
  return {
    name,
    ...(served && { group: served.group, kind: served.kind, scope: served.scope }),
    served: storage !== undefined,
    ...(served && { storageVersion: served.storage.version }),
    storedVersions,
    ...(storage && (await counted(storage, storedVersions, signal))),
    ...(costs && {
      conversion: {
        calls: costs.conversionCalls,
        failures: costs.conversionFailures,
        objects: costs.convertedObjects,
        seconds: costs.conversionSeconds,
      },
      rules: { objects: costs.ruleObjects, cost: costs.ruleCost, seconds: costs.ruleSeconds },
    }),
  };
}

async function counted(storage: ResourceStorage, storedVersions: readonly string[], signal: EndSignal) {
  const countObjects = await storage.countObjects?.({ signal });
  if (countObjects === undefined) return {};
  const { group, storage: stored } = storage.definition;
  const inVersions = Object.fromEntries(
    [...countObjects.versions]
      .map(([apiVersion, count]) => [apiVersion.replace(`${group}/`, ""), count] as const)
      .sort(),
  );
  const unusedVersions = storedVersions.filter((each) => each !== stored.version && inVersions[each] === undefined);
  return { instances: countObjects.objects, bytes: countObjects.bytes, inVersions, unusedVersions };
}
