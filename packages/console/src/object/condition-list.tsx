import { TimeText } from "../parts/time-text";
import { type ApiObject, isRecord } from "../values/api-object";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The conditions of an object's status, when it has any. */
export function ConditionList({ object }: { readonly object: ApiObject }) {
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return null;
  return (
    <section aria-label="Conditions" class="scrolled">
      <table>
        <thead>
          <tr>
            <th scope="col">Condition</th>
            <th scope="col">Status</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <tr key={type}>
              <td>{type}</td>
              <td>{status}</td>
              <td>{reason}</td>
              <td>{message}</td>
              <td>
                <TimeText time={lastTransitionTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function conditionsOf({ status }: ApiObject): readonly Condition[] {
  const conditions = isRecord(status) ? status["conditions"] : undefined;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter((each): each is Condition => isRecord(each) && typeof each["type"] === "string");
}
