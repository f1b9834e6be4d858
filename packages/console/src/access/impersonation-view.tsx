import { actionText } from "@orch/access";
import { useState } from "preact/hooks";
import { leaveImpersonation } from "../parts/leave-impersonation";
import { Part, Section } from "../parts/section";
import { useLoaded } from "../parts/use-loaded";
import { impersonation } from "../session/session";
import { names } from "../session/settings";
import { constrainedImpersonations, IMPERSONATIONS } from "./identity";
import { ImpersonationForm } from "./impersonation-form";
import { reviewAccess } from "./reviews";

/** Assumes the identity of another user, to see what they see. */
export function ImpersonationView() {
  return (
    <Section title="Impersonate">
      <p>
        The whole console then has the rights of the other user, for reading and for writing. The audit log names both
        users. It ends with the button above the page, with the sign-out and with a reload.
      </p>
      {impersonation.value === undefined ? <Beginning /> : <Present />}
    </Section>
  );
}

const Present = () => (
  <p>
    You act as <strong>{impersonation.value?.user.username}</strong>.{" "}
    <button type="button" onClick={leaveImpersonation}>
      Be yourself again
    </button>
  </p>
);

/** Shows the form to users who may impersonate. A permission for single names cannot be found, so that others can try. */
function Beginning() {
  const [isTrying, setTrying] = useState(false);
  const asked = [...IMPERSONATIONS, ...constrainedImpersonations(names().authentication)];
  const loaded = useLoaded((signal) => Promise.all(asked.map((each) => reviewAccess(each, signal))), []);
  return (
    <Part subject="The permission" loaded={loaded}>
      {(answers) => {
        if (isTrying || answers.some(({ allowed }) => allowed)) return <ImpersonationForm />;
        return (
          <div class="note">
            <p>You have neither the permission to {IMPERSONATIONS.map(actionText).join(" nor to ")}.</p>
            <p>You may still have it for single users, or for the service accounts of a namespace.</p>
            <button type="button" onClick={() => setTrying(true)}>
              Try one
            </button>
          </div>
        );
      }}
    </Part>
  );
}
