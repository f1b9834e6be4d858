// The loop of an editor over one object: a refusal reopens it with the errors beside their lines. Nothing that was typed
// is lost.
import { StatusError } from "@orch/machinery";
import { isObject, type JsonObject, parseYaml, YamlError } from "@orch/schema";
import { formatted } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { type Target, targetText } from "../targets";
import { EditedFile, editorOf } from "./editor";
import { type Mark, marked, marksOf, unmarked } from "./marked-text";

const HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

interface Editing {
  readonly target: Target;
  /** The object that the editor shows. */
  readonly before: JsonObject;
  /** Past participle for messages, such as `changed`. */
  readonly participle: string;
  /** Writes the object that was saved. Its refusals reopen the editor. */
  readonly write: (object: JsonObject) => Promise<void>;
  /** Whether the name may be another. */
  readonly mayRename?: boolean;
}

/** Opens an object in the editor of the person until what was saved is written, or nothing is to be. */
export async function editObject(session: Session, editing: Editing): Promise<void> {
  const { target, before } = editing;
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
      const failure = await written(editing, saved);
      if (failure === undefined) break;
      session.tell(
        `error: ${targetText(target)} was not ${editing.participle}: ${failure.map(({ message }) => message).join("; ")}`,
      );
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

/** Writes what was saved. @returns what is wrong with it */
async function written(editing: Editing, text: string): Promise<readonly Mark[] | undefined> {
  const edited = parsed(text, editing);
  if (!("object" in edited)) return [edited];
  try {
    await editing.write(edited.object);
    return undefined;
  } catch (error) {
    // Without the right to write, another text is refused as well.
    if (error instanceof StatusError && error.code !== 401 && error.code !== 403) return marksOf(error);
    throw error;
  }
}

function parsed(text: string, { before, mayRename = false }: Editing): Mark | { readonly object: JsonObject } {
  try {
    const { value } = parseYaml(text);
    if (!isObject(value)) return { field: "", message: "the text is not an object" };
    for (const member of ["apiVersion", "kind"]) {
      if (value[member] !== before[member]) return { field: member, message: `${member} may not be changed` };
    }
    const { name } = (value["metadata"] ?? {}) as { readonly name?: string };
    if (!mayRename && name !== (before["metadata"] as { readonly name?: string }).name) {
      return { field: "metadata.name", message: "the name may not be changed" };
    }
    return { object: value };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { field: "", message: error.place === undefined ? error.why : `line ${error.place.line}: ${error.why}` };
  }
}
