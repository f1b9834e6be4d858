import { DataTable } from "../parts/data-table";
import { Section } from "../parts/section";
import { hasToken, impersonation, presentUser, signIn, tokenFacts } from "../session/session";
import { timeUntil } from "../values/age";
import { timeNow } from "../values/clock";

/** The user as the server sees them, and how they signed in. */
export function UserView() {
  const { username, uid, groups = [], extra = {} } = presentUser.value;
  const attributes = Object.entries(extra).sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <>
      <Section title="User">
        <dl class="facts">
          <dt>Name</dt>
          <dd>{username}</dd>
          <dt>Groups</dt>
          <dd>
            {groups.length === 0 ? (
              "none"
            ) : (
              <ul class="plain">
                {groups.map((group) => (
                  <li key={group}>{group}</li>
                ))}
              </ul>
            )}
          </dd>
          <dt>Uid</dt>
          <dd>{uid || "none"}</dd>
        </dl>
        {attributes.length > 0 && (
          <>
            <h3>More attributes</h3>
            <DataTable
              label="More attributes"
              head={["Key", "Values"]}
              rows={attributes.map(([key, values]) => [key, values.join(", ")])}
              none=""
            />
          </>
        )}
      </Section>
      <SignInFacts />
    </>
  );
}

function SignInFacts() {
  const { issuer, expires } = tokenFacts.value;
  const own = signIn.value.state === "signedIn" ? signIn.value.user.username : "";
  const left = timeUntil(expires, timeNow());
  return (
    <Section title="Sign-in">
      <dl class="facts">
        <dt>By</dt>
        <dd>{hasToken.value ? "a bearer token" : "the certificate of the browser, or without a credential"}</dd>
        {impersonation.value !== undefined && (
          <>
            <dt>As</dt>
            <dd>{own}, who acts as the user above</dd>
          </>
        )}
        {issuer !== undefined && (
          <>
            <dt>Issuer</dt>
            <dd>{issuer}</dd>
          </>
        )}
        {hasToken.value && (
          <>
            <dt>Valid until</dt>
            <dd>
              {expires === undefined ? (
                "unknown: the token does not tell"
              ) : (
                <time dateTime={expires}>{left === "" ? `${expires}, which is past` : `${expires}, in ${left}`}</time>
              )}
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}
