// The link that opens the console, or without it the explorer, in a browser on this machine. It carries a token that is
// made at each start and is valid until the server stops. The token is in the link's fragment, which browsers do not send.

import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EXPLORER_PATH, type Logger, pageForPeople } from "@orch/apiserver";
import { type LocalToken, PRIVILEGED_GROUP } from "@orch/auth";
import { ADMIN_USER, writeFileAtomically } from "@orch/http-server";
import { makeFolder } from "@orch/platform";
import type { ServerConfig } from "@orch/server-config";
import { unlessDiskIsFull } from "./file-for-others";
import type { ExplorerLink } from "./startup-message";

export interface ExplorerAccess {
  readonly localToken: LocalToken;
  /**
   * Writes the link to a file that only the operator can read, unless the disk is full.
   * @param url of the server
   * @throws Error that names the option when the file cannot be written
   */
  publish(url: string): ExplorerLink;
  /** Removes the file if this server wrote it. */
  end(): void;
}

const TOKEN_BYTES = 32;

/**
 * Makes the explorer token.
 * @param shared the token when several processes form one server; default: a new one
 * @returns undefined when the explorer is switched off, or when the server shares its store with replicas and the
 * option is not set
 */
export function explorerAccess(
  { config, logger }: { readonly config: ServerConfig; readonly logger: Logger },
  shared?: string,
): ExplorerAccess | undefined {
  const isAsked = config["explorer-link-file"] !== "" || config["tls-cert-file"] === "";
  if (!config["explorer-token"] || !isAsked) return undefined;
  const file = resolve(config["explorer-link-file"] || join(config["data-dir"], "explorer.url"));
  const token = shared ?? randomBytes(TOKEN_BYTES).toString("base64url");
  let published = "";
  return {
    localToken: { token, user: { name: ADMIN_USER, groups: [PRIVILEGED_GROUP] } },
    publish(url) {
      const page = pageForPeople(config);
      const link = `${url}${page}#token=${token}`;
      try {
        unlessDiskIsFull({ logger, option: "explorer-link-file" }, () => {
          makeFolder(dirname(file));
          writeFileAtomically(file, `${link}\n`, 0o600);
          published = link;
        });
      } catch (error) {
        throw new Error(`--explorer-link-file: ${(error as Error).message}`, { cause: error });
      }
      return { page: page === EXPLORER_PATH ? "Explorer" : "Console", link, file: published === "" ? undefined : file };
    },
    end() {
      // Another server may have been given the same file.
      if (published !== "" && textOf(file) === `${published}\n`) rmSync(file, { force: true });
    },
  };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
