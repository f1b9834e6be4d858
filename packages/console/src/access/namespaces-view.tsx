import { useState } from "preact/hooks";
import { accessibleNamespaces } from "../discovery/namespaces";
import { resources } from "../discovery/resources";
import { DataTable } from "../parts/data-table";
import { Part, Section } from "../parts/section";
import { useLoaded } from "../parts/use-loaded";
import { accessAddress, kindsAddress } from "../routes/addresses";
import { listableText } from "./listable";
import { useRules } from "./use-rules";

/** Namespaces whose rights are asked for at once. */
const STEP = 20;
/** Namespaces that are shown at most; the filter finds the others. */
const MOST = 200;

/** The namespaces in which the user has any permission, and what they may list there. */
export function NamespacesView() {
  const [text, setText] = useState("");
  const [count, setCount] = useState(STEP);
  const loaded = useLoaded((signal) => accessibleNamespaces(signal), []);
  const found = (loaded.value?.names ?? []).filter((name) => name.includes(text.trim().toLowerCase()));
  const shown = found.slice(0, count);
  const rules = useRules(shown);
  const listable = (namespace: string): string => {
    const answer = rules.get(namespace);
    if (answer === undefined) return "…";
    return answer === "failed" ? "unknown" : listableText(answer, resources.value);
  };
  return (
    <Section title="Accessible namespaces">
      <p class="quiet">Namespaces in which you have any permission.</p>
      <div class="filters">
        <label>
          Filter
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      </div>
      <Part subject="The namespaces" loaded={loaded}>
        {({ names, isWhole }) => (
          <>
            <p class="quiet" role="status">
              {`${shown.length} of ${names.length}${isWhole ? "" : " or more"} namespaces`}
            </p>
            <DataTable
              label="Namespaces"
              head={["Namespace", "May list", "Rights"]}
              rows={shown.map((name) => [
                <a key="name" href={kindsAddress(name)}>
                  {name}
                </a>,
                listable(name),
                <a key="rights" href={accessAddress("rights", { ns: name })} aria-label={`Rights in ${name}`}>
                  Rights
                </a>,
              ])}
              none={names.length === 0 ? "You have no permission in any namespace." : "No namespace has this text."}
            />
            {found.length > shown.length && count < MOST && (
              <button type="button" onClick={() => setCount(count + STEP)}>
                Show {Math.min(STEP, found.length - shown.length)} more
              </button>
            )}
          </>
        )}
      </Part>
    </Section>
  );
}
