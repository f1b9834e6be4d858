// The authorizer in expressions. A decision that is not available yet ends the run, which is repeated after the
// decision has arrived.

import { OpaqueValue } from "./cel-value";
import { PendingValue } from "./evaluation-error";

export type AccessCheck = { readonly kind: "path"; readonly path: string } | ResourceAccessCheck;

export interface ResourceAccessCheck {
  readonly kind: "resource";
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Text of the field selector of a list, watch or collection deletion. */
  readonly fieldSelector?: string;
  /** Text of the label selector. */
  readonly labelSelector?: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Subject of a check: undefined for the request's user, otherwise a service account. */
export type AccessSubject = { readonly namespace: string; readonly name: string } | undefined;

/**
 * Decides on access.
 * @param asked.verb API verb, or HTTP method in lower case
 */
export type AskAccess = (
  asked: AccessCheck & { readonly verb: string },
  account: AccessSubject,
) => AccessDecision | Promise<AccessDecision>;

/** Authorizer with the cached decisions of one evaluation: each check is made once. */
export class AuthorizerValue extends OpaqueValue {
  readonly typeName = "kubernetes.authorization.Authorizer";
  private readonly answers: Map<string, DecisionValue>;

  constructor(
    private readonly ask: AskAccess,
    private readonly account: AccessSubject = undefined,
    answers = new Map<string, DecisionValue>(),
  ) {
    super();
    this.answers = answers;
  }

  forAccount(namespace: string, name: string): AuthorizerValue {
    return new AuthorizerValue(this.ask, { namespace, name }, this.answers);
  }

  /**
   * Returns the decision.
   * @throws PendingValue when it must be awaited
   */
  decide(asked: AccessCheck, verb: string): DecisionValue {
    const key = JSON.stringify([this.account, asked, verb]);
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const answer = this.ask({ ...asked, verb }, this.account);
    if (!(answer instanceof Promise)) return this.keep(key, answer);
    throw new PendingValue(async () => {
      this.keep(key, await answer);
    });
  }

  private keep(key: string, decision: AccessDecision): DecisionValue {
    const value = new DecisionValue(decision);
    this.answers.set(key, value);
    return value;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

export class GroupValue extends OpaqueValue {
  readonly typeName = "kubernetes.authorization.GroupCheck";
  constructor(
    readonly authorizer: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

export class CheckValue extends OpaqueValue {
  readonly typeName: string;
  constructor(
    readonly authorizer: AuthorizerValue,
    readonly asked: AccessCheck,
  ) {
    super();
    this.typeName = `kubernetes.authorization.${asked.kind === "path" ? "PathCheck" : "ResourceCheck"}`;
  }
  decide(verb: string): DecisionValue {
    return this.authorizer.decide(this.asked, verb);
  }
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

export class DecisionValue extends OpaqueValue {
  readonly typeName = "kubernetes.authorization.Decision";
  constructor(readonly decision: AccessDecision) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}
