import { DiffView } from "../parts/diff-view";
import { FailureNote } from "../parts/failure-note";
import type { ApiObject } from "../values/api-object";
import { comparable } from "../values/comparable";
import { yamlOf } from "../values/yaml-text";
import type { AdmissionStep, Trial } from "./write";

interface Props {
  readonly trial: Trial;
  /** The object as it is now; undefined for a new one. */
  readonly present: ApiObject | undefined;
  readonly unremovable: readonly string[];
}

/** The result of a trial: what the write would change, or why it is refused, and what admission did. */
export function ReviewView({ trial, present, unremovable }: Props) {
  const { object, failure, steps } = trial;
  return (
    <section class="review" aria-label="Review">
      <h2>Review</h2>
      {failure !== undefined && <FailureNote failure={failure} subject="The server refuses the write" />}
      {unremovable.length > 0 && (
        <p class="note">
          An apply does not remove fields that other managers have: <code>{unremovable.join(", ")}</code>. Replace the
          object to remove them.
        </p>
      )}
      {object !== undefined && (
        <DiffView
          label="Changes of the write"
          before={present === undefined ? "" : yamlOf(comparable(present))}
          after={yamlOf(comparable(object))}
        />
      )}
      {steps !== undefined && steps.length > 0 && <AdmissionTable steps={steps} />}
      {steps === undefined && failure === undefined && (
        <p class="quiet">
          You may not see what admission did: the verb <code>explain</code> on the resource is needed.
        </p>
      )}
    </section>
  );
}

function AdmissionTable({ steps }: { readonly steps: readonly AdmissionStep[] }) {
  const telling = steps.filter(({ decision, message, patch }) => decision !== "allowed" || message || patch?.length);
  const shown = telling.length > 0 ? telling : steps;
  return (
    <details open={telling.length > 0}>
      <summary>
        Admission: {steps.length} steps{telling.length > 0 && `, ${telling.length} of them with an effect`}
      </summary>
      <div class="scrolled">
        <table>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Phase</th>
              <th scope="col">Decision</th>
              <th scope="col">Message and changes</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ plugin, phase, decision, message, patch }, index) => (
              <tr key={`${index} ${plugin}`}>
                <td>{plugin}</td>
                <td>{phase}</td>
                <td>{decision}</td>
                <td>
                  {message}
                  {patch !== undefined && patch.length > 0 && <pre>{yamlOf(patch).trimEnd()}</pre>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
