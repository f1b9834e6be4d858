// `POST /debug/migrate?resource=…` requests a migration, `GET /debug/migrate` shows the progress of each.

import { answerJson, methodNotAllowed, READING_METHODS } from "@orch/http-server";
import { badRequest, type GroupResource, resourceText } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { PathHandler } from "../handlers/dispatch";
import type { MigrationRecord } from "./migration-record";
import { RECORD_NAME } from "./migration-record";
import { resourceOf, type StorageMigration } from "./storage-migration";

export interface MigrationHandlerDeps {
  readonly migration: StorageMigration;
  readonly record: MigrationRecord;
  readonly find: (resource: GroupResource) => ResourceStorage | undefined;
  /** The resources that are stored at the time of the call. */
  readonly storages: () => readonly ResourceStorage[];
}

/** Selects every stored resource. */
const ALL = "*";
const RESOURCES_MAX = 100;
const METHODS = [...READING_METHODS, "POST"];

/**
 * Answers `{migrations}`: a row for each resource that was ever requested, or for each `resource` of the query; see
 * migration-row.ts. The rows are also in the object that records them. A POST is answered (202) before any object is
 * migrated.
 * @throws StatusError BadRequest (400) for a resource that is not stored here
 */
export function migrationHandler(deps: MigrationHandlerDeps): PathHandler {
  return async (request, response) => {
    const { info } = request.context;
    if (!METHODS.includes(info.method)) throw methodNotAllowed(response, METHODS);
    const asked = info.query?.getAll("resource") ?? [];
    const isRequest = info.method === "POST";
    const resources = resourcesOf(deps, asked, isRequest);
    if (isRequest) await deps.migration.request(resources);
    const names = new Set(resources.map(resourceText));
    const migrations = [...(await deps.record.rows())]
      .filter(([name]) => names.size === 0 || names.has(name))
      .map(([resource, row]) => ({ resource, ...row }));
    answerJson(response, isRequest ? 202 : 200, { record: RECORD_NAME, migrations }, 2);
  };
}

function resourcesOf(
  { find, storages }: MigrationHandlerDeps,
  asked: readonly string[],
  isRequest: boolean,
): readonly GroupResource[] {
  const names = asked.flatMap((each) => each.split(",")).map((name) => name.trim());
  if (names.length === 0 && isRequest) {
    throw badRequest(`resource: must name a resource, such as secrets or widgets.example.com, or ${ALL} for all`);
  }
  if (names.includes(ALL)) {
    return storages().map(({ definition: { group, plural } }) => ({ group, resource: plural }));
  }
  if (names.length > RESOURCES_MAX)
    throw badRequest(`resource: must name at most ${RESOURCES_MAX} resources, or ${ALL} for all`);
  return names.map((name) => {
    const resource = resourceOf(name);
    if (find(resource)?.outdated === undefined)
      throw badRequest(`resource: ${JSON.stringify(name)} is not a stored resource; use <plural>[.<group>]`);
    return resource;
  });
}
