// `orch annotate`: sets and removes annotations.
import type { Command } from "commander";
import type { Session } from "../../session/session";
import { defineKeyChanges } from "./key-changes";

export function define(command: Command, session: Session): void {
  defineKeyChanges(command, session, { member: "annotations", command: "annotate" });
}
