// `orch edit`: opens objects in an editor, and writes what changed.
import { rulesOfStruct, UNKNOWN_PATCH_RULES } from "@orch/machinery";
import { type JsonObject, loadSchema } from "@orch/schema";
import type { Command } from "commander";
import { inKeyOrder } from "../../output/format";
import { withoutManagedFields } from "../../output/object-printer";
import type { Session } from "../../session/session";
import { withLastApplied } from "./apply/last-applied";
import { threeWayPatch } from "./apply/three-way";
import { editObject } from "./edit/edit-object";
import { throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import {
  addFiles,
  addSelectors,
  addSwitch,
  addValidate,
  type FileOptions,
  fieldValidationOf,
  type SelectorOptions,
  type ValidateOption,
} from "./options";
import { Outcomes } from "./outcome";
import { chosenTargets, clientOf, liveObject, type Target } from "./targets";

interface Options extends FileOptions, SelectorOptions, ValidateOption, ManagerOption {
  readonly subresource?: string;
  readonly saveConfig: boolean;
  readonly showManagedFields: boolean;
}

export function define(command: Command, session: Session): void {
  command.argument("[resources...]", "resource and name, such as deployment/shop");
  addFiles(command, "edit");
  addSelectors(command);
  command.option("--subresource <name>", "edit a subresource, such as status");
  addSwitch(command, "--save-config", "keep the edited object in an annotation, for client-side apply");
  addSwitch(command, "--show-managed-fields", "show metadata.managedFields");
  addFieldManager(command);
  addValidate(command);
  command.addHelpText(
    "after",
    "\nThe editor is that of ORCH_EDITOR or EDITOR, else vi.\n\nExamples:\n  orch edit deployment/shop\n  EDITOR=nano orch edit configmap settings",
  );
  command.action(async (words: string[], options: Options) => {
    const { targets, errors } = await chosenTargets(session, words, options);
    throwAll(errors);
    if (targets.length === 0) session.tell("No resources found");
    for (const target of targets) await edit(session, target, options);
  });
}

async function edit(session: Session, target: Target, options: Options): Promise<void> {
  const live = await liveObject(session, target);
  const before = options.showManagedFields ? live : withoutManagedFields(live);
  await editObject(session, {
    target,
    before,
    participle: "changed",
    write: (object) => write(session, { target, before, edited: object, options }),
  });
}

interface Edited {
  readonly target: Target;
  readonly before: JsonObject;
  readonly edited: JsonObject;
  readonly options: Options;
}

async function write(session: Session, { target, before, edited, options }: Edited): Promise<void> {
  const names = await session.vocabulary();
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const object = options.saveConfig ? (inKeyOrder(withLastApplied(edited, annotation)) as JsonObject) : edited;
  const { group, version, kind } = target.type;
  const struct = loadSchema(names).objectType(group, version, kind)?.struct;
  const rules = struct === undefined ? UNKNOWN_PATCH_RULES : rulesOfStruct(struct);
  const patch = threeWayPatch(rules, { original: before, modified: object, current: before });
  if (Object.keys(patch).length === 0) {
    session.tell("Edit cancelled, no changes made.");
    return;
  }
  const client = await clientOf(session, target);
  const result = await client.patch(target.name, struct === undefined ? "merge" : "strategic", patch, {
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
    fieldManager: managerOf(names, "edit", options),
    fieldValidation: fieldValidationOf(options),
    signal: session.signal,
  });
  new Outcomes(session, {}).tell(target, "edited", result);
}
