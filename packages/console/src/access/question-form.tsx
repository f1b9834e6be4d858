import { PATH_VERBS, RESOURCE_VERBS } from "@orch/access";
import { useId, useState } from "preact/hooks";
import { qualifiedName } from "../discovery/resource";
import { resources } from "../discovery/resources";
import { NamespaceField } from "../parts/namespace-field";
import { setQuery } from "../routes/router";
import { isPath, type Question, questionQuery } from "./question";

/** Asks for an action. Its parts are completed from what the server serves. */
export function QuestionForm({ question }: { readonly question: Question }) {
  const [draft, setDraft] = useState(question);
  const change = (changes: Partial<Question>) => setDraft((before) => ({ ...before, ...changes }));
  const [verbs, types, subresources] = [useId(), useId(), useId()];
  const isAboutPath = isPath(draft);
  const submit = (event: Event) => {
    event.preventDefault();
    const { verb, resource, ...rest } = draft;
    const place = isPath(draft) ? { subresource: "", name: "", namespace: "" } : rest;
    setQuery(questionQuery({ verb: verb.trim(), resource: resource.trim(), ...place }));
  };
  return (
    <form class="filters" aria-label="Question" onSubmit={submit}>
      <label>
        Verb
        <input
          list={verbs}
          value={draft.verb}
          placeholder="get"
          required
          spellcheck={false}
          onInput={(event) => change({ verb: event.currentTarget.value })}
        />
        <Choices id={verbs} values={isAboutPath ? PATH_VERBS : RESOURCE_VERBS} />
      </label>
      <label>
        Resource or path
        <input
          list={types}
          value={draft.resource}
          placeholder="deployments.apps, /metrics"
          required
          spellcheck={false}
          onInput={(event) => change({ resource: event.currentTarget.value })}
        />
        <Choices id={types} values={resources.value.map(qualifiedName)} />
      </label>
      {!isAboutPath && (
        <>
          <label>
            Subresource
            <input
              list={subresources}
              value={draft.subresource}
              placeholder="none"
              spellcheck={false}
              onInput={(event) => change({ subresource: event.currentTarget.value.trim() })}
            />
            <Choices id={subresources} values={subresourcesOf(draft.resource)} />
          </label>
          <label>
            Name
            <input
              value={draft.name}
              placeholder="any"
              spellcheck={false}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
          </label>
          <NamespaceField value={draft.namespace} choose={(namespace) => change({ namespace })} />
        </>
      )}
      <button type="submit" class="primary">
        Ask
      </button>
    </form>
  );
}

const Choices = ({ id, values }: { readonly id: string; readonly values: readonly string[] }) => (
  <datalist id={id}>
    {values.map((value) => (
      <option key={value} value={value} />
    ))}
  </datalist>
);

const subresourcesOf = (type: string): readonly string[] =>
  resources.value.find((each) => qualifiedName(each) === type)?.subresources ?? [];
