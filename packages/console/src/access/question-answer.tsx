import {
  type AskedAction,
  actionText,
  appliesTo,
  type FoundGrants,
  findGrants,
  type GrantedSubject,
  granted,
  type NearGrant,
  nearest,
  ruleText,
  subjectsOf,
} from "@orch/access";
import { DataTable } from "../parts/data-table";
import { Part, Section } from "../parts/section";
import { StateText } from "../parts/state-text";
import { useLoaded } from "../parts/use-loaded";
import { presentUser } from "../session/session";
import { GrantLink } from "./grant-link";
import { rbacSource } from "./rbac-source";
import { type AccessAnswer, reviewAccess } from "./reviews";

/** Whether the user may act, with the reason of the server and the grants that the user may read; and who else may. */
export function QuestionAnswer({ asked }: { readonly asked: AskedAction }) {
  const key = JSON.stringify(asked);
  const review = useLoaded((signal) => reviewAccess(asked, signal), [key]);
  const found = useLoaded((signal) => findGrants(rbacSource(signal), asked, { near: true }), [key]);
  const action = actionText(asked);
  return (
    <>
      <Section title="May I?">
        <Part subject="The review" loaded={review}>
          {(answer) => (
            <>
              <Verdict answer={answer} action={action} />
              {found.value !== undefined && <Reasons found={found.value} asked={asked} isAllowed={answer.allowed} />}
            </>
          )}
        </Part>
      </Section>
      <Section title="Who can?">
        <Part subject="The roles and bindings" loaded={found}>
          {(value) => <Subjects found={value} asked={asked} action={action} />}
        </Part>
      </Section>
    </>
  );
}

function Verdict({ answer, action }: { readonly answer: AccessAnswer; readonly action: string }) {
  const { allowed, reason, evaluationError } = answer;
  return (
    <>
      <p class="verdict" role="status">
        <StateText isGood={allowed}>{allowed ? "Yes" : "No"}</StateText>: {presentUser.value.username}{" "}
        {allowed ? "can" : "cannot"} {action}.
      </p>
      {reason && (
        <p>
          <span class="quiet">Reason of the server:</span> {reason}
        </p>
      )}
      {evaluationError && (
        <p>
          <span class="quiet">Error of an authorizer:</span> <span class="bad">{evaluationError}</span>
        </p>
      )}
    </>
  );
}

interface FoundProps {
  readonly found: FoundGrants;
  readonly asked: AskedAction;
}

/** The grants that let the user act, or those that come near. */
function Reasons({ found: { grants, unread }, asked, isAllowed }: FoundProps & { readonly isAllowed: boolean }) {
  const { username: user, groups = [] } = presentUser.value;
  const own = granted(grants, asked, { user, groups });
  const near = isAllowed ? [] : nearest(grants, asked, { user, groups });
  const isWhole = unread.length === 0;
  return (
    <>
      <GrantItems grants={own} label="Grants" />
      {isAllowed && own.length === 0 && isWhole && <p>No grant of RBAC allows it; another authorizer does.</p>}
      {near.length > 0 && (
        <>
          <h3>Nearest grants</h3>
          <GrantItems grants={near} label="Nearest grants" />
        </>
      )}
      {!isAllowed && near.length === 0 && isWhole && <p>No grant comes near.</p>}
    </>
  );
}

function GrantItems({ grants, label }: { readonly grants: readonly NearGrant[]; readonly label: string }) {
  if (grants.length === 0) return null;
  return (
    <ul class="grants" aria-label={label}>
      {grants.map(({ grant, text }, at) => (
        <li key={at}>
          <GrantLink place={grant} /> {text}, by <GrantLink place={grant.role} />:{" "}
          <code>{ruleText(grant.role.rule)}</code>
        </li>
      ))}
    </ul>
  );
}

function Subjects({ found: { grants, unread }, asked, action }: FoundProps & { readonly action: string }) {
  const isOfNamespace = ({ grant }: GrantedSubject) => Number(grant.namespace !== "");
  const rows = grants
    .filter((grant) => grant.role.allows && appliesTo(grant, asked))
    .flatMap(subjectsOf)
    .sort((one, other) => isOfNamespace(other) - isOfNamespace(one));
  return (
    <>
      {unread.length > 0 && (
        <p class="note">
          {rows.length === 0 ? "The answer is not known" : "The list is incomplete"}: you have no permission to{" "}
          <code>list</code> {unread.join(", ")}.
        </p>
      )}
      {(rows.length > 0 || unread.length === 0) && (
        <DataTable
          label="Subjects"
          head={["Kind", "Subject", "In", "By binding", "By role"]}
          rows={rows.map(({ kind, subject, grant }) => [
            kind,
            subject,
            grant.namespace || "all",
            <GrantLink key="binding" place={grant} />,
            <GrantLink key="role" place={grant.role} />,
          ])}
          none={`No grant of RBAC lets anybody ${action}.`}
        />
      )}
      <p class="quiet">Members of system:masters can do everything. Authorizers other than RBAC may allow more.</p>
    </>
  );
}
