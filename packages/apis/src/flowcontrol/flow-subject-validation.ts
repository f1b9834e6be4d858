// Validation of the subjects of flow schemas. Source: pkg/apis/flowcontrol/validation/validation.go.

import { fields, forbidden, format, label1123, type Rule, required } from "@orch/apis-model";
import { subdomainErrors } from "@orch/machinery";
import type { flowcontrolV1 } from "@orch/schema";

type Kind = "Group" | "ServiceAccount" | "User";

const ANY = "*";

const group = required(fields<flowcontrolV1.GroupSubject>({ name: required() }));
const user = required(fields<flowcontrolV1.UserSubject>({ name: required() }));
const serviceAccount = required(
  fields<flowcontrolV1.ServiceAccountSubject>({
    name: required(format((name: string) => (name === ANY ? [] : subdomainErrors(name)))),
    namespace: required(label1123),
  }),
);

/** Each kind of subject has its own field, and must not set the others. */
const ofOtherKind = forbidden("is for subjects of another kind");

const BY_KIND: Readonly<Record<Kind, Rule<flowcontrolV1.Subject>>> = {
  Group: fields<flowcontrolV1.Subject>({ group, user: ofOtherKind, serviceAccount: ofOtherKind }),
  ServiceAccount: fields<flowcontrolV1.Subject>({ serviceAccount, user: ofOtherKind, group: ofOtherKind }),
  User: fields<flowcontrolV1.Subject>({ user, group: ofOtherKind, serviceAccount: ofOtherKind }),
};

const KINDS = Object.keys(BY_KIND);

export const flowSubject: Rule<flowcontrolV1.Subject> = (subject, at, report) => {
  if (KINDS.includes(subject.kind)) BY_KIND[subject.kind as Kind](subject, at, report);
  else report.notSupported(at.field("kind"), subject.kind, KINDS);
};
