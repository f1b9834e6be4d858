// The form of an edited or new object: the editor, a trial of the write, and the write.
import { useEffect, useMemo, useState } from "preact/hooks";
import { parse } from "yaml";
import type { Resource } from "../discovery/resource";
import { FailureNote } from "../parts/failure-note";
import { useIsShown } from "../parts/use-is-shown";
import { useLoaded } from "../parts/use-loaded";
import { asFailure, type Failure, hasManagerConflict } from "../requests/failure";
import { type ApiObject, isRecord } from "../values/api-object";
import { changedFields } from "./changed-fields";
import "./edit.css";
import { type KindSchema, loadSchema } from "./load-schema";
import { ReviewView } from "./review-view";
import { carryOut, MANAGER, type Method, type Trial, tryWrite, type Write } from "./write";
import { YamlEditor } from "./yaml-editor";

interface Props {
  readonly resource: Resource;
  readonly text: string;
  /** The object that the text began with, and its present state; undefined for a new one. */
  readonly original?: ApiObject | undefined;
  readonly present?: ApiObject | undefined;
  readonly namespace: string | undefined;
  readonly schema?: KindSchema | undefined;
  readonly done: (object: ApiObject) => void;
}

export function Editing({ resource, text, original, present, namespace, schema, done }: Props) {
  const [edited, setEdited] = useState(text);
  const [method, setMethod] = useState<Method>(original === undefined ? "create" : "apply");
  const [isForced, setForced] = useState(false);
  const [trial, setTrial] = useState<Trial & { readonly of: string; readonly unremovable: readonly string[] }>();
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const loaded = useLoaded((signal) => loadSchema(resource, signal).catch(() => undefined), [resource]);
  const isShown = useIsShown();
  useEffect(() => setEdited(text), [text]);
  const parsed = useMemo(() => parsedObject(edited), [edited]);
  const key = JSON.stringify([edited, method, isForced, present?.metadata.resourceVersion]);

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(asFailure(error));
    }
    setBusy(false);
  };
  const written = (object: ApiObject): { write: Write; unremovable: readonly string[] } => {
    const { name, namespace: own = namespace } = object.metadata;
    const base = { method, resource, namespace: own, name: original?.metadata.name ?? name, isForced };
    if (method !== "apply" || original === undefined) return { write: { ...base, body: object }, unremovable: [] };
    const { configuration, unremovable } = changedFields(original, object, MANAGER);
    return { write: { ...base, body: configuration }, unremovable };
  };
  const review = (object: ApiObject) =>
    run(async () => {
      const { write, unremovable } = written(object);
      setTrial({ ...(await tryWrite(write)), of: key, unremovable });
    });
  const go = (object: ApiObject) =>
    run(async () => {
      const stored = await carryOut(written(object).write);
      // A user who has left the page meanwhile is not taken away from where they are.
      if (isShown()) done(stored);
    });

  const isReviewed = trial?.of === key && trial.object !== undefined;
  const hasConflict = hasManagerConflict(trial?.failure?.causes ?? []);
  const hasChanged = original !== undefined && present?.metadata.resourceVersion !== original.metadata.resourceVersion;
  return (
    <>
      {hasChanged && (
        <p class="note" role="status">
          The object has changed since you began. An apply keeps the changes of others; a replacement is refused.
        </p>
      )}
      <YamlEditor text={text} schema={schema ?? loaded.value} label={`${resource.kind} as YAML`} changed={setEdited} />
      {"problem" in parsed && (
        <p class="note failure" role="status">
          {parsed.problem}
        </p>
      )}
      <div class="filters edit-actions">
        {original !== undefined && (
          <label>
            Way of writing
            <select value={method} onChange={(event) => setMethod(event.currentTarget.value as Method)}>
              <option value="apply">Apply the changed fields</option>
              <option value="replace">Replace the object</option>
            </select>
          </label>
        )}
        {(hasConflict || isForced) && method === "apply" && (
          <label class="check">
            <input type="checkbox" checked={isForced} onChange={(event) => setForced(event.currentTarget.checked)} />
            Take the fields over from their managers
          </label>
        )}
        <button
          type="button"
          disabled={isBusy || "problem" in parsed}
          onClick={() => "object" in parsed && review(parsed.object)}
        >
          Review
        </button>
        <button
          type="button"
          class="primary"
          disabled={isBusy || !isReviewed}
          onClick={() => "object" in parsed && go(parsed.object)}
        >
          {TITLES[method]}
        </button>
      </div>
      {failure !== undefined && <FailureNote failure={failure} subject="The write" />}
      {trial !== undefined && <ReviewView trial={trial} present={present} unremovable={trial.unremovable} />}
    </>
  );
}

/** Length of a text whose keys are compared with each other, which takes the square of their number. */
const UNIQUE_KEYS_MAX = 100_000;

const TITLES: Readonly<Record<Method, string>> = { create: "Create", replace: "Replace", apply: "Apply" };

type Parsed = { readonly object: ApiObject } | { readonly problem: string };

function parsedObject(text: string): Parsed {
  try {
    const value: unknown = parse(text, { uniqueKeys: text.length < UNIQUE_KEYS_MAX });
    if (!isRecord(value))
      return { problem: "The text is not an object: it needs fields such as apiVersion, kind and metadata." };
    if (!isRecord(value["metadata"])) return { problem: "The field metadata is missing." };
    return { object: value as unknown as ApiObject };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: message.split("\n")[0] ?? message };
  }
}
