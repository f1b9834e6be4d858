// `GET /debug/backup`: streams the content of the store at one revision, at the pace of the client.

import { answered, headersOf } from "@orch/http-server";
import { StatusError, tooManyRequests } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { STALL_MS, sendPaced } from "@orch/request";
import type { ServerConfig } from "@orch/server-config";
import type { Store } from "@orch/store";
import type { PathHandler } from "./dispatch";

/** Maximum number of concurrent backups. Each keeps the data of its revision in memory. */
const AT_ONCE_MAX = 2;

export interface BackupDeps {
  readonly store: Pick<Store, "backup">;
  /** The flags that name etcd. */
  readonly etcd: Pick<ServerConfig, (typeof ETCD_FLAGS)[number]>;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Default: STALL_MS. */
  readonly stallMs?: number;
}

/** Flags whose values the refusal of a server on etcd tells, so that a client can take the backup there. */
const ETCD_FLAGS = ["etcd-servers", "etcd-cafile", "etcd-certfile", "etcd-keyfile"] as const;

/** The last frame marks a backup as complete: an incomplete one cannot be restored. */
export function backupHandler({ store, etcd, logger, stallMs = STALL_MS }: BackupDeps): PathHandler {
  let running = 0;
  return async (request, response) => {
    if (store.backup === undefined) {
      throw inEtcd(etcd);
    }
    if (running === AT_ONCE_MAX) throw tooManyRequests("another backup is in progress", { retryAfterSeconds: 10 });
    const { context } = request;
    // The request has no deadline; the backup is bound by its own timeout.
    context.deadline = Number.POSITIVE_INFINITY;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    running += 1;
    try {
      const pieces = store.backup({ signal: gone.signal });
      response.writeHead(200, [
        ...headersOf(response, "application/octet-stream"),
        "Content-Disposition",
        'attachment; filename="backup"',
      ]);
      if (request.method !== "HEAD") for await (const piece of pieces) await sendPaced(response, piece, stallMs);
      response.end();
      logger.info("completed a backup", { user: context.user.name, bytes: context.responseBytes });
    } catch (error) {
      if (!answered(response)) throw error;
      // After the head, only a broken connection can tell the client that the backup is incomplete.
      response.destroy();
      logger.warn("a backup was aborted", { user: context.user.name, error: (error as Error).message });
    } finally {
      running -= 1;
    }
  };
}

/** Names the flags and their values as causes, so that clients need not read the message. */
function inEtcd(etcd: BackupDeps["etcd"]): StatusError {
  const causes = ETCD_FLAGS.map((field) => ({ field, message: [etcd[field]].flat().join(",") }));
  return new StatusError(
    "BadRequest",
    "this server stores its objects in etcd: take a backup with `etcdctl snapshot save FILE`",
    { causes: causes.filter(({ message }) => message !== "") },
  );
}
