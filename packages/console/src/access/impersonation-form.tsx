import { useState } from "preact/hooks";
import { FailureNote } from "../parts/failure-note";
import { focusMain } from "../parts/focus-main";
import { NamespaceField } from "../parts/namespace-field";
import { asFailure, type Failure } from "../requests/failure";
import { assume } from "../requests/identity";
import { refusedAction } from "../requests/refused-action";
import { names } from "../session/settings";
import { type IdentityDraft, identityOf, NO_IDENTITY } from "./identity";

const KINDS = [
  { kind: "user", title: "User" },
  { kind: "serviceAccount", title: "Service account" },
] as const;

/** Asks for the identity. The server tells whether the user may assume it before the console does so. */
export function ImpersonationForm() {
  const [draft, setDraft] = useState(NO_IDENTITY);
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const change = (changes: Partial<IdentityDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = async (event: Event) => {
    event.preventDefault();
    setFailure(undefined);
    const identity = identityOf(draft);
    setProblem(typeof identity === "string" ? identity : undefined);
    if (typeof identity === "string") return;
    setBusy(true);
    try {
      await assume(identity, names().authentication);
      focusMain(); // the page is shown anew
    } catch (error) {
      setFailure(asFailure(error));
      setBusy(false);
    }
  };
  return (
    <form aria-label="Impersonate" onSubmit={submit}>
      <fieldset class="choice">
        <legend>Kind</legend>
        {KINDS.map(({ kind, title }) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => change({ kind })} /> {title}
          </label>
        ))}
      </fieldset>
      <div class="filters">
        {draft.kind === "user" ? (
          <label>
            User
            <input
              value={draft.user}
              spellcheck={false}
              onInput={(event) => change({ user: event.currentTarget.value })}
            />
          </label>
        ) : (
          <>
            <NamespaceField value={draft.namespace} placeholder="" choose={(namespace) => change({ namespace })} />
            <label>
              Name
              <input
                value={draft.name}
                spellcheck={false}
                onInput={(event) => change({ name: event.currentTarget.value })}
              />
            </label>
          </>
        )}
        <label>
          Groups, one a line
          <textarea
            rows={3}
            value={draft.groups}
            placeholder={draft.kind === "user" ? "none" : "those of the service account"}
            spellcheck={false}
            onInput={(event) => change({ groups: event.currentTarget.value })}
          />
        </label>
        <label>
          Uid
          <input
            value={draft.uid}
            placeholder="none"
            spellcheck={false}
            onInput={(event) => change({ uid: event.currentTarget.value })}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Act as this user
        </button>
      </div>
      {problem !== undefined && (
        <p class="note failure" role="alert">
          {problem}
        </p>
      )}
      {failure !== undefined && <RefusalNote failure={failure} />}
    </form>
  );
}

/** The refused request is the first one of the assumed user, so that a permission of the asking user would not help. */
function RefusalNote({ failure }: { readonly failure: Failure }) {
  const refused = refusedAction(failure);
  if (refused?.kind !== "resource" || refused.resource !== "selfsubjectreviews" || refused.verb !== "create")
    return <FailureNote failure={failure} subject="The impersonation" />;
  return (
    <div class="note failure" role="alert">
      <p>The console begins with the question who the assumed user is, and the server does not let this user ask it.</p>
      <p class="message">{failure.message}</p>
    </div>
  );
}
