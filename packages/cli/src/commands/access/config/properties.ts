// Single values of the configuration by their path: `orch config set` and `unset`. Source:
// kubectl/pkg/cmd/config/navigation_step_parser.go.
import { deleteEntry, type EntryFields, type EntryList, setEntry } from "../../../connection/configuration-entries";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { CliError } from "../../../process/cli-error";
import { likelyText } from "../../../process/likely-text";
import type { Session } from "../../../session/session";
import { FIELDS, type FieldKind } from "./fields";

interface PropertyOptions {
  /** Absent: the value is removed. */
  readonly value?: string;
  readonly setRawBytes?: boolean;
}

export async function setProperty(session: Session, property: string, options: PropertyOptions): Promise<void> {
  const files = new ConfigurationFiles(session);
  const { value } = options;
  if (property === "current-context") {
    await files.setCurrentContext(value ?? "");
  } else {
    const { list, name, fields } = placeOf(property, files);
    if (fields.length === 0) {
      if (value !== undefined) throw new CliError(`can't set a map to a value: ${property}`);
      await files.changeEntry(list, name, (file) => deleteEntry(file, list, name));
    } else {
      const stored =
        value === undefined ? undefined : storedValue(FIELDS[list][fields[0] as string], options, property);
      const before = (files.load()[list].get(name) ?? {}) as EntryFields;
      const [field = "", ...inner] = fields;
      await files.changeEntry(list, name, (file) =>
        setEntry(file, list, name, { [field]: withValue(before[field], inner, stored) }),
      );
    }
  }
  session.write(`Property ${JSON.stringify(property)} ${value === undefined ? "unset" : "set"}.\n`);
}

/** Returns a copy of a value with one member set, or removed when the member is undefined. */
function withValue(whole: unknown, [field, ...inner]: readonly string[], value: unknown): unknown {
  if (field === undefined) return value;
  const before = (typeof whole === "object" && whole !== null && !Array.isArray(whole) ? whole : {}) as EntryFields;
  return { ...before, [field]: withValue(before[field], inner, value) };
}

interface Place {
  readonly list: EntryList;
  readonly name: string;
  readonly fields: readonly string[];
}

/** Names may contain dots: the name of an entry that exists is preferred, then the text before a known field. */
function placeOf(property: string, files: ConfigurationFiles): Place {
  const dot = property.indexOf(".");
  const list = (dot === -1 ? property : property.slice(0, dot)) as EntryList;
  const lists = Object.keys(FIELDS);
  if (!lists.includes(list)) {
    throw new CliError(
      `unable to parse ${property}: it starts with current-context, ${lists.join(", ")}${likelyText(list, lists)}`,
    );
  }
  const rest = dot === -1 ? "" : property.slice(dot + 1);
  if (rest === "") throw new CliError(`unable to parse ${property}: name an entry, as in ${list}.NAME`);
  const known = Object.keys(FIELDS[list]);
  const names = [...files.load()[list].keys()].sort((one, other) => other.length - one.length);
  const existing = names.find((name) => rest === name || rest.startsWith(`${name}.`));
  if (existing !== undefined) {
    const inner = rest.slice(existing.length + 1);
    if (inner === "") return { list, name: existing, fields: [] };
    const fields = inner.split(".");
    if (known.includes(fields[0] as string)) return { list, name: existing, fields };
  }
  const words = rest.split(".");
  const at = words.findIndex((word, place) => place > 0 && known.includes(word));
  if (at > 0) return { list, name: words.slice(0, at).join("."), fields: words.slice(at) };
  if (existing === undefined && words.length === 1) return { list, name: rest, fields: [] };
  const last = words.at(-1) as string;
  throw new CliError(
    `unable to parse ${property}: ${JSON.stringify(last)} is no field of ${list}${likelyText(last, known)}`,
  );
}

function storedValue(kind: FieldKind | undefined, { value = "", setRawBytes }: PropertyOptions, property: string) {
  switch (kind) {
    case "boolean":
      if (value === "true" || value === "false") return value === "true";
      throw new CliError(`${property}: ${JSON.stringify(value)} is neither true nor false`);
    case "data": {
      if (setRawBytes === true) return Buffer.from(value).toString("base64");
      // The lines of base64 -w are accepted too.
      const bytes = Buffer.from(value, "base64").toString("base64");
      if (bytes.replace(/=+$/, "") === value.replaceAll(/[\r\n]/g, "").replace(/=+$/, "")) return bytes;
      throw new CliError(`${property}: the value is not base64; --set-raw-bytes stores any value`);
    }
    case "list":
      return value.split(",");
    case "text":
    case "path":
    case "object":
    case undefined:
      return value;
  }
}
