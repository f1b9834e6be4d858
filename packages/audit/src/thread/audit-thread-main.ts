// Program of the audit thread; see audit-thread.ts.

import { parentPort, workerData } from "node:worker_threads";
import { ConfigurationError } from "@orch/machinery";
import { bufferOf, PortPeer } from "@orch/platform";
import { loadSchema, type Schema, vocabularyOf } from "@orch/schema";
import { readAuditedBody } from "../event/audited-body";
import { readPolicy } from "../policy/read-policy";
import { bodyText } from "../text/event-json";
import type { AuditThreadOffers, AuditThreadStart, PolicyAnswer } from "./audit-work";

/** Maximum number of rules that the main thread takes in one step. */
const RULES_IN_PART = 500;

const port = parentPort;
if (port !== null) {
  const { vocabulary: name, release, versions } = workerData as AuditThreadStart;
  const vocabulary = vocabularyOf(name);
  let schema: Schema | undefined;
  const offers: AuditThreadOffers = {
    async body({ bytes, omitManagedFields, ...of }) {
      schema ??= loadSchema(vocabulary, release);
      return bodyText(await readAuditedBody({ bytes: bufferOf(bytes), ...of }, schema), omitManagedFields);
    },
    async policy(text) {
      try {
        const { policy, warnings } = await readPolicy(text, { vocabulary, release, versions });
        return { rules: partsOf(policy.rules), warnings };
      } catch (error) {
        if (error instanceof ConfigurationError) return { wrong: error.lines } satisfies PolicyAnswer;
        throw error;
      }
    },
  };
  const peer = new PortPeer<object>(port, offers);
  port.on("message", (message) => peer.receive(message));
}

function partsOf(rules: readonly unknown[]): string[] {
  const parts: string[] = [];
  for (let at = 0; at < rules.length; at += RULES_IN_PART) {
    parts.push(JSON.stringify(rules.slice(at, at + RULES_IN_PART)));
  }
  return parts;
}
