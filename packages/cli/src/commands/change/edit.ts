// `orch edit`: opens objects in an editor, and writes what changed. A refusal reopens the editor with the errors beside
// their lines. Nothing that was typed is lost.
import { rulesOfStruct, StatusError, UNKNOWN_PATCH_RULES } from "@orch/machinery";
import { isObject, type JsonObject, loadSchema, parseYaml, YamlError } from "@orch/schema";
import type { Command } from "commander";
import { formatted } from "../../output/format";
import { withoutManagedFields } from "../../output/object-printer";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { inOrder, withLastApplied } from "./apply/last-applied";
import { threeWayPatch } from "./apply/three-way";
import { EditedFile, editorOf } from "./edit/editor";
import { type Mark, marked, marksOf, unmarked } from "./edit/marked-text";
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
import { chosenTargets, clientOf, liveObject, type Target, targetText } from "./targets";

interface Options extends FileOptions, SelectorOptions, ValidateOption, ManagerOption {
  readonly subresource?: string;
  readonly saveConfig: boolean;
  readonly showManagedFields: boolean;
}

const HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

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
    const targets = await chosenTargets(session, words, options);
    if (targets.length === 0) session.tell("No resources found");
    for (const target of targets) await edit(session, target, options);
  });
}

async function edit(session: Session, target: Target, options: Options): Promise<void> {
  const live = await liveObject(session, target);
  const before = options.showManagedFields ? live : withoutManagedFields(live);
  const original = HEADER + formatted(before, "yaml");
  const names = await session.vocabulary();
  const editor = editorOf(session.io.environment, names.environment.editor);
  const file = new EditedFile(`${target.type.kind.toLowerCase()}-${target.name.replaceAll(/[^\w.-]/g, "_")}.yaml`);
  let shown = original;
  let typed = original;
  try {
    for (;;) {
      const saved = unmarked(await file.edit(shown, editor));
      if (saved === unmarked(shown) && shown !== original) {
        throw new CliError("Edit cancelled, no valid changes were saved.");
      }
      if (saved === original) {
        session.tell("Edit cancelled, no changes made.");
        break;
      }
      if (isEmpty(saved)) {
        session.tell("Edit cancelled, saved file was empty.");
        break;
      }
      typed = saved;
      const failure = await written(session, { target, before, text: saved, options });
      if (failure === undefined) break;
      session.tell(`error: ${targetText(target)} was not changed: ${failure.map(({ message }) => message).join("; ")}`);
      shown = marked(saved, failure);
    }
    file.remove();
  } catch (error) {
    if (typed === original) file.remove();
    else session.tell(`A copy of your changes has been stored to ${JSON.stringify(file.path)}`);
    throw error;
  }
}

const isEmpty = (text: string): boolean => text.split("\n").every((line) => line.trim() === "" || line.startsWith("#"));

interface Edited {
  readonly target: Target;
  readonly before: JsonObject;
  readonly text: string;
  readonly options: Options;
}

/** Writes the edited object. @returns what is wrong with it */
async function written(session: Session, of: Edited): Promise<readonly Mark[] | undefined> {
  const { target, before, text, options } = of;
  const edited = parsed(text, before);
  if (!("object" in edited)) return [edited];
  const names = await session.vocabulary();
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const object = options.saveConfig
    ? (inOrder(withLastApplied(edited.object, annotation)) as JsonObject)
    : edited.object;
  const { group, version, kind } = target.type;
  const struct = loadSchema(names).objectType(group, version, kind)?.struct;
  const rules = struct === undefined ? UNKNOWN_PATCH_RULES : rulesOfStruct(struct);
  const patch = threeWayPatch(rules, { original: before, modified: object, current: before });
  if (Object.keys(patch).length === 0) {
    session.tell("Edit cancelled, no changes made.");
    return undefined;
  }
  try {
    const client = await clientOf(session, target);
    const result = await client.patch(target.name, struct === undefined ? "merge" : "strategic", patch, {
      ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
      fieldManager: managerOf(names, "edit", options),
      fieldValidation: fieldValidationOf(options),
      signal: session.signal,
    });
    new Outcomes(session, {}).tell(target, "edited", result);
    return undefined;
  } catch (error) {
    // Without the right to write, another text is refused as well.
    if (error instanceof StatusError && error.code !== 401 && error.code !== 403) return marksOf(error);
    throw error;
  }
}

function parsed(text: string, before: JsonObject): Mark | { readonly object: JsonObject } {
  try {
    const { value } = parseYaml(text);
    if (!isObject(value)) return { field: "", message: "the text is not an object" };
    for (const member of ["apiVersion", "kind"]) {
      if (value[member] !== before[member]) return { field: member, message: `${member} may not be changed` };
    }
    const { name } = (value["metadata"] ?? {}) as { readonly name?: string };
    if (name !== (before["metadata"] as { readonly name?: string }).name) {
      return { field: "metadata.name", message: "the name may not be changed" };
    }
    return { object: value };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { field: "", message: error.place === undefined ? error.why : `line ${error.place.line}: ${error.why}` };
  }
}
