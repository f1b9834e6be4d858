// The editor of YAML. It is in a shadow root, because CodeMirror then adds its styles through the object model, which the
// content security policy allows; in a document it would add a style element.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { parseDocument } from "yaml";
import type { KindSchema } from "./load-schema";
import { fieldsAt, valuesAt } from "./schema-fields";
import { placeAt } from "./yaml-place";

interface Props {
  /** Text at the beginning. Another text makes another editor. */
  readonly text: string;
  readonly schema: KindSchema | undefined;
  readonly label: string;
  readonly changed: (text: string) => void;
}

export function YamlEditor({ text, schema, label, changed }: Props) {
  const host = useRef<HTMLDivElement>(null);
  /** The schema may come after the editor was opened. */
  const known = useRef(schema);
  known.current = schema;
  const tell = useRef(changed);
  tell.current = changed;
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          ...LOOK,
          EditorView.contentAttributes.of({ "aria-label": label }),
          autocompletion({ override: [(context) => complete(context, known.current)] }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [text, label]);
  return <div class="editor" ref={host} />;
}

function complete(context: CompletionContext, schema: KindSchema | undefined): CompletionResult | null {
  if (schema === undefined) return null;
  const { state, pos, explicit } = context;
  const place = placeAt(state.sliceDoc(0, pos));
  if (place === undefined || (place.typed === "" && !explicit && place.completes === "name")) return null;
  const from = pos - place.typed.length;
  const { schemas, root } = schema;
  if (place.completes === "value") {
    const values = valuesAt(schemas, root, place.path);
    return values.length === 0 ? null : { from, options: values.map((label) => ({ label, type: "enum" })) };
  }
  const options = fieldsAt(schemas, root, place.path).map(({ name, type, description, isRequired }) => ({
    label: name,
    detail: isRequired ? `${type}, required` : type,
    info: description,
    type: "property",
    boost: isRequired ? 1 : 0,
    apply: type === "object" || type.startsWith("list") ? `${name}:` : `${name}: `,
  }));
  return options.length === 0 ? null : { from, options, validFor: /^[\w./$-]*$/ };
}

function diagnose(view: EditorView): Diagnostic[] {
  const document = parseDocument(view.state.doc.toString(), { uniqueKeys: false });
  const { length } = view.state.doc;
  return [...document.errors, ...document.warnings].map(({ pos: [from, to], message, name }) => ({
    from: Math.min(from, length),
    to: Math.min(to, length),
    severity: name === "YAMLWarning" ? "warning" : "error",
    message: message.split("\n")[0] ?? message,
  }));
}

const STYLE = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.comment, tags.meta], color: "var(--quiet)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.keyword, tags.bool, tags.number, tags.null], color: "var(--good)" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.9rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--surface)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--selected) 40%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selected)",
  },
  ".cm-tooltip, .cm-panels": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--accent-text)", background: "var(--accent)" },
  ".cm-completionDetail": { color: "inherit", fontStyle: "normal", marginLeft: "1rem" },
  ".cm-completionInfo": { maxWidth: "24rem" },
});

/**
 * Replaces selected text itself. A browser that replaces it gives the new text the style of the former, in an attribute, which
 * the content security policy does not allow.
 */
const REPLACING = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const LOOK = [
  REPLACING,
  lineNumbers(),
  history(),
  drawSelection(),
  highlightActiveLine(),
  indentOnInput(),
  yaml(),
  search({ top: true }),
  linter(diagnose),
  syntaxHighlighting(STYLE),
  THEME,
  EditorView.lineWrapping,
  // The key Tab moves the focus on, as everywhere else on the page.
  keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
];
