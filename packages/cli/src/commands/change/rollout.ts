// `orch rollout`: follows, repeats, stops and takes back the rollouts of workloads.
import type { Command } from "commander";
import type { Session } from "../../session/session";
import { addHistory, addUndo } from "./rollout/history";
import { addStatus } from "./rollout/status";
import { addPause, addRestart, addResume } from "./rollout/switches";

export function define(command: Command, session: Session): void {
  const adders: Readonly<Record<string, (subcommand: Command, session: Session) => void>> = {
    status: addStatus,
    history: addHistory,
    undo: addUndo,
    restart: addRestart,
    pause: addPause,
    resume: addResume,
  };
  for (const [name, add] of Object.entries(adders)) {
    const subcommand = command.command(name).exitOverride().helpCommand(false).showHelpAfterError(false);
    add(subcommand.argument("[resources...]", "such as deployment shop, or daemonset/log"), session);
  }
}
