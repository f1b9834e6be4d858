// `orch cordon`: keeps new pods off nodes.
import type { Command } from "commander";
import type { Session } from "../../session/session";
import { defineSchedulable } from "./node/schedulable";

export function define(command: Command, session: Session): void {
  defineSchedulable(command, session, true);
}
