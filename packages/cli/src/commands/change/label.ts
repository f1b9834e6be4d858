// `orch label`: sets and removes labels.
import type { Command } from "commander";
import type { Session } from "../../session/session";
import { defineKeyChanges } from "./key-changes";

export function define(command: Command, session: Session): void {
  defineKeyChanges(command, session, { member: "labels", command: "label" });
}
