// Credentials of this server for each webhook, by the users of a client configuration file. Source: Kubernetes
// documentation, "Dynamic Admission Control", "Authenticate API servers".
import { readFileSync } from "node:fs";
import type { ClientConfiguration, Identity } from "@orch/client";

export interface WebhookCredentials {
  /** @param target `<host>:<port>` @throws Error for a user that cannot be used */
  of(target: string): Identity | undefined;
}

export interface PodIdentity {
  /** The service of this API server, `<host>:<port>`. */
  readonly target: string;
  /** Credentials of the pod that this process runs in; undefined when it runs in none. */
  readonly identity: () => Identity | undefined;
}

/** Maximum number of webhooks whose user is cached; the others are looked up again. */
const TARGETS_MAX = 1_000;

/** @throws Error for a file that cannot be read or is invalid */
export function openCredentials(file: string, pod: PodIdentity): WebhookCredentials {
  // The client package is loaded only when there is such a file.
  const { parseConfiguration, resolveUser } = require("@orch/client") as typeof import("@orch/client");
  const configuration = parseConfiguration(readFileSync(file, "utf8"), file);
  const known = new Map<string, Identity | undefined>();
  const identityOf = (target: string): Identity | undefined => {
    const found = userFor(target, configuration, pod);
    if (typeof found !== "string") return found;
    return resolveUser(configuration.users.get(found) ?? {}, found);
  };
  return {
    of(target) {
      if (!known.has(target)) {
        if (known.size >= TARGETS_MAX) known.clear();
        known.set(target, identityOf(target));
      }
      return known.get(target);
    },
  };
}

/** @returns the name of an entry of `users`, or an identity without one */
function userFor(target: string, configuration: ClientConfiguration, pod: PodIdentity): string | Identity | undefined {
  const { users, contexts, currentContext } = configuration;
  const named = namesFor(target).find((name) => users.has(name));
  if (named !== undefined) return named;
  const asPod = target === pod.target ? pod.identity() : undefined;
  if (asPod !== undefined) return asPod;
  if (users.has("*")) return "*";
  const user = contexts.get(currentContext)?.user ?? "";
  return users.has(user) ? user : undefined;
}

const HTTPS_PORT = ":443";

/** Entries in the order of precedence. */
export function namesFor(target: string): readonly string[] {
  const withPort = [target, ...wildcards(target)];
  if (!target.endsWith(HTTPS_PORT)) return withPort;
  const host = target.slice(0, -HTTPS_PORT.length);
  return [...withPort, host, ...wildcards(host)];
}

/** `*.` and the part after each dot, the longest first. */
const wildcards = (name: string): readonly string[] =>
  name.split(".").flatMap((_, at, parts) => (at === 0 ? [] : [`*.${parts.slice(at).join(".")}`]));
