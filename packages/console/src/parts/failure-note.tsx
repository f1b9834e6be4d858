import { type Failure, remedyOf } from "../requests/failure";
import { refusedAction } from "../requests/refused-action";
import { questionAddress } from "../routes/addresses";

interface Props {
  readonly failure: Failure;
  /** The request that failed, as a noun: "The list of pods". */
  readonly subject?: string;
  readonly again?: () => void;
}

/** Tells of a failed request: reason, message, causes and remedy. */
export function FailureNote({ failure, subject, again }: Props) {
  const { reason, message, causes } = failure;
  const refused = refusedAction(failure);
  return (
    <div class="note failure" role="alert">
      <p>
        <strong>{subject === undefined ? reason : `${subject}: ${reason}`}</strong>
      </p>
      <p class="message">{message}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map(({ field, message: text }) => (
            <li key={`${field} ${text}`}>
              {field !== undefined && <code>{field}</code>} {text}
            </li>
          ))}
        </ul>
      )}
      <p>
        {remedyOf(failure)} {refused !== undefined && <a href={questionAddress(refused)}>Why?</a>}
      </p>
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
