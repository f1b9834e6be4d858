// `GET /debug/deprecations`: what would break if the next release came today.
import { nextRelease } from "@orch/apis";
import type { ResourceStorage } from "@orch/registry";
import type { PathHandler } from "../handlers/dispatch";
import { answerJson } from "../http/answer";
import type { DeprecatedRequests } from "./deprecated-requests";
import { removedOwners } from "./removed-owners";

export interface DeprecationReportDeps {
  /** That is served. */
  readonly release: string;
  readonly requests: DeprecatedRequests;
  /** At the moment. */
  readonly storages: () => readonly ResourceStorage[];
}

/**
 * Answers `{release, nextRelease, requests, managedFields}`: the clients that asked this server for deprecated versions since its start,
 * and the stored owners of fields who speak a version that the next release does not serve.
 */
export function deprecationReport({ release, requests, storages }: DeprecationReportDeps): PathHandler {
  return async (_request, response) => {
    const next = nextRelease(release);
    const managedFields = await removedOwners(storages(), next);
    answerJson(response, 200, { release, nextRelease: next, requests: requests.report(), managedFields }, 2);
  };
}
