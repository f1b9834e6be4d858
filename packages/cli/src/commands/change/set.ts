// `orch set`: changes single parts of workloads.
import type { Command } from "commander";
import type { Session } from "../../session/session";
import { addImage, addResources } from "./set/container-changes";
import { addEnv } from "./set/env";
import { addSelector, addServiceAccount, addSubject } from "./set/part-changes";

const PARTS = {
  image: addImage,
  env: addEnv,
  resources: addResources,
  selector: addSelector,
  serviceaccount: addServiceAccount,
  subject: addSubject,
};

export function define(command: Command, session: Session): void {
  for (const [name, add] of Object.entries(PARTS)) {
    add(command.command(name).exitOverride().helpCommand(false).showHelpAfterError(false), session);
  }
  command.addHelpText(
    "after",
    "\nExamples:\n  orch set image deployment/shop web=shop:2\n  orch set env deployment/shop LEVEL=debug OLD-\n  orch set resources deployment/shop --limits=cpu=200m,memory=512Mi",
  );
}
