import { useState } from "preact/hooks";
import { DataTable } from "../parts/data-table";
import { NamespaceField } from "../parts/namespace-field";
import type { PageProps } from "../parts/page-view";
import { Part, Section } from "../parts/section";
import { useLoaded } from "../parts/use-loaded";
import { setQuery } from "../routes/router";
import { reviewRules } from "./reviews";
import { rightsOf, rightsWith } from "./rights";

const DEFAULT_NAMESPACE = "default";

/** The rights of the user in one namespace, and outside of namespaces. */
export function RightsView({ route }: PageProps) {
  const namespace = route.query["ns"] || DEFAULT_NAMESPACE;
  const [text, setText] = useState("");
  const loaded = useLoaded((signal) => reviewRules(namespace, signal), [namespace]);
  return (
    <Section title="Rights">
      <div class="filters">
        <NamespaceField value={namespace} choose={(chosen) => setQuery({ ns: chosen })} />
        <label>
          Filter
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      </div>
      <Part subject="The rights" loaded={loaded}>
        {(answer) => {
          const all = rightsOf(answer);
          const shown = rightsWith(all, text);
          return (
            <>
              {answer.incomplete === true && (
                <div class="note">
                  <p>
                    The list is incomplete: an authorizer of the server cannot list its rules. It may allow more. Ask
                    about a single action to know.
                  </p>
                  {answer.evaluationError && <p>{answer.evaluationError}</p>}
                </div>
              )}
              <p class="quiet" role="status">
                {shown.length === all.length ? `${all.length} rights` : `${shown.length} of ${all.length} rights`}
              </p>
              <DataTable
                label="Rights"
                head={["Resource or path", "Limited to", "Verbs"]}
                rows={shown.map(({ target, name, verbs }) => [target, name, verbs.join(", ")])}
                none={all.length === 0 ? "No rule lets you do anything here." : "No right has this text."}
              />
            </>
          );
        }}
      </Part>
    </Section>
  );
}
