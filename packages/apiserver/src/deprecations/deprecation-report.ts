// `GET /debug/deprecations`: uses of the API that the next release would break.
import { nextRelease } from "@orch/apis";
import { answerJson } from "@orch/http-server";
import type { ResourceStorage } from "@orch/registry";
import type { PathHandler } from "../handlers/dispatch";
import type { DeprecatedRequests } from "./deprecated-requests";
import { removedOwners } from "./removed-owners";

export interface DeprecationReportDeps {
  /** Release that is served. */
  readonly release: string;
  readonly requests: DeprecatedRequests;
  /** Current storages. */
  readonly storages: () => readonly ResourceStorage[];
}

/**
 * Answers `{release, nextRelease, requests, managedFields}`: clients that requested deprecated versions since the start
 * of this server,
 * and stored field managers of versions that the next release does not serve.
 */
export function deprecationReport({ release, requests, storages }: DeprecationReportDeps): PathHandler {
  return async (_request, response) => {
    const next = nextRelease(release);
    const managedFields = await removedOwners(storages(), next);
    answerJson(response, 200, { release, nextRelease: next, requests: requests.report(), managedFields }, 2);
  };
}
