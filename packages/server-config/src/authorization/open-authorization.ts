// Opens the authorization that the options describe: the authorizers, their order and their inputs. Files are read
// again when they change; while a new version is being read, and when it is invalid, the last valid one decides.

import {
  type Attributes,
  type Authorizer,
  authorizerFor,
  type Decision,
  type ExplanationScope,
  type NodeAuthorizerDeps,
  namespacesOf,
  type RbacGrants,
  type ResourceScopes,
  rulesFor,
} from "@orch/auth";
import { ConfigurationError, readConfigurationFile, type UserInfo } from "@orch/machinery";
import { type EgressSelector, isLoopback, type Log, type NamedMetrics } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { FeatureGates } from "../flags/feature-gates";
import type { ServerConfig } from "../flags/server-flags";
import { type ConfigurationInfoMetrics, noteConfiguration } from "../option-files/configuration-hash";
import { type ReloadParts, reloadWhenChanged } from "../option-files/reloaded-file";
import { planOfOptions } from "../settings/authorization-options";
import type { AuthorizationPlan } from "../settings/authorization-plan";
import { namingOption } from "../settings/named-option";
import { PolicyFile } from "./policy-file";
import { readConfiguration } from "./read-configuration";
import { type OpenWebhook, openWebhook, type WebhookAccessMetrics } from "./webhook-access";

export interface AuthorizationParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly gates: Pick<FeatureGates, "AuthorizeWithSelectors">;
  readonly logger: Log;
  readonly egress?: EgressSelector;
  readonly metrics: WebhookAccessMetrics &
    ReloadParts["metrics"] &
    ConfigurationInfoMetrics &
    NamedMetrics<"apiserver_authorization_decisions_total">;
}

/** State of the server that authorizers decide by. */
export interface AuthorizationState {
  readonly rbac: RbacGrants;
  /**
   * Called when the Node authorizer is first used.
   * @returns a promise until it is up to date, when its objects are followed already
   */
  node(): Promise<NodeAuthorizerDeps> | NodeAuthorizerDeps;
}

/** Maximum size of the configuration: expressions and names. */
const CONFIGURATION_MAX_BYTES = 128 * 1024;
const POLICY_OPTION = "authorization-policy-file";

interface ReadPlan {
  readonly plan: AuthorizationPlan;
  /** Content of the file; undefined for other options. */
  readonly text?: string;
}

interface OpenedPlan extends ReadPlan {
  readonly webhooks: ReadonlyMap<string, OpenWebhook>;
}

/** @throws SettingsError for an invalid file */
export async function openAuthorization(parts: AuthorizationParts): Promise<OpenAuthorization> {
  const authorization = new OpenAuthorization(parts);
  try {
    await authorization.open();
  } catch (error) {
    authorization.close();
    throw error;
  }
  return authorization;
}

export class OpenAuthorization implements Authorizer {
  private opened: OpenedPlan | undefined;
  private current: Authorizer | undefined;
  private state: AuthorizationState | undefined;
  private policies: PolicyFile | undefined;
  private readonly stops: (() => void)[] = [];
  private closed = false;

  constructor(private readonly parts: AuthorizationParts) {}

  /** Whether authorizers receive the selectors of requests, reviews and expressions. */
  private get withSelectors(): boolean {
    return this.parts.gates.AuthorizeWithSelectors;
  }

  /** Whether every request is allowed. */
  get allowsEverything(): boolean {
    return this.opened?.plan.authorizers.some(({ type }) => type === "AlwaysAllow") ?? false;
  }

  async open(): Promise<void> {
    const { config } = this.parts;
    const policyFile = config[POLICY_OPTION];
    if (policyFile !== "") {
      const policies = this.policyFile(policyFile);
      await namingOption(POLICY_OPTION, () => policies.load());
      this.policies = policies;
      this.stops.push(
        reloadWhenChanged(this.parts, { option: POLICY_OPTION, file: policyFile }, () => policies.load()),
      );
    }
    const file = config["authorization-config"];
    const option = file === "" ? "authorization-webhook-config-file" : "authorization-config";
    this.opened = await namingOption(option, async () => this.openPlan(await this.readPlan()));
    this.inForce(this.opened);
    if (file === "") return;
    this.stops.push(reloadWhenChanged(this.parts, { option, file }, () => this.reload()));
  }

  /** Sets the state that the authorizers decide by. */
  start(state: AuthorizationState): void {
    this.state = state;
    const node = needsNodes(this.opened) ? state.node() : undefined;
    if (node instanceof Promise) throw new Error("the node authorizer was used before its informers started");
    this.current = this.chain(this.opened as OpenedPlan, state, node);
  }

  authorize(attributes: Attributes) {
    return (this.current as Authorizer).authorize(this.withSelectors ? attributes : withoutSelectors(attributes));
  }

  rulesFor(user: UserInfo, namespace: string) {
    return rulesFor(this.current as Authorizer, user, namespace);
  }

  namespacesOf(user: UserInfo, scopes: ResourceScopes) {
    return namespacesOf(this.current as Authorizer, user, scopes);
  }

  explain(attributes: Attributes, decision: Decision, scope: ExplanationScope) {
    return this.current?.explain?.(attributes, decision, scope);
  }

  close(): void {
    this.closed = true;
    for (const stop of this.stops) stop();
    closeWebhooks(this.opened);
  }

  private policyFile(file: string): PolicyFile {
    const { vocabulary, logger } = this.parts;
    return new PolicyFile(file, vocabulary, (text) => logger.warn(`--${POLICY_OPTION}: ${text}`));
  }

  /** Nothing changes before the whole new configuration is usable. */
  private async reload(): Promise<void> {
    const next = await this.openPlan(await this.readPlan());
    try {
      const { state } = this;
      if (state !== undefined) {
        const node = needsNodes(next) ? await state.node() : undefined;
        this.current = this.chain(next, state, node);
      }
    } catch (error) {
      closeWebhooks(next);
      throw error;
    }
    closeWebhooks(this.opened);
    this.opened = next;
    this.inForce(next);
    if (this.closed) closeWebhooks(next);
  }

  private inForce({ plan, text }: OpenedPlan): void {
    this.warnOfOpenDoor(plan);
    if (text === undefined) return;
    noteConfiguration(this.parts.metrics, "apiserver_authorization_config_controller_last_config_info", text);
  }

  /** Warns when every accepted client on the network has full access. */
  private warnOfOpenDoor({ authorizers }: AuthorizationPlan): void {
    const { config, logger } = this.parts;
    const address = config["bind-address"];
    if (isLoopback(address) || !authorizers.some(({ type }) => type === "AlwaysAllow")) return;
    logger.warn(
      `--authorization-mode=AlwaysAllow lets every authenticated client read and change everything, including Secrets, and --bind-address=${address} accepts connections from other machines: use --authorization-mode=RBAC, or --bind-address=127.0.0.1`,
    );
  }

  private async readPlan(): Promise<ReadPlan> {
    const { config, vocabulary, release } = this.parts;
    const file = config["authorization-config"];
    if (file === "") return { plan: planOfOptions(config) };
    const text = await readConfigurationFile(file, CONFIGURATION_MAX_BYTES);
    const plan = await readConfiguration(text, { vocabulary, release, withSelectors: this.withSelectors });
    const abac = plan.authorizers.findIndex(({ type }) => type === "ABAC");
    if (abac >= 0 && config[POLICY_OPTION] === "")
      throw new ConfigurationError([`authorizers[${abac}].type: ABAC requires --${POLICY_OPTION}`]);
    return { plan, text };
  }

  private async openPlan(read: ReadPlan): Promise<OpenedPlan> {
    const webhooks = new Map<string, OpenWebhook>();
    try {
      for (const webhook of read.plan.webhooks) webhooks.set(webhook.name, await openWebhook(webhook, this.parts));
    } catch (error) {
      for (const webhook of webhooks.values()) webhook.close();
      throw error;
    }
    return { ...read, webhooks };
  }

  private chain(
    { plan, webhooks }: OpenedPlan,
    { rbac }: AuthorizationState,
    node: NodeAuthorizerDeps | undefined,
  ): Authorizer {
    const { policies } = this;
    const decisions = this.parts.metrics.counter("apiserver_authorization_decisions_total");
    return authorizerFor(plan.authorizers, {
      rbac,
      ...(node === undefined ? {} : { node }),
      ...(policies === undefined ? {} : { policies: () => policies.current }),
      webhook: (name) => (webhooks.get(name) as OpenWebhook).authorizer,
      observed(authorizer, of) {
        const allowed = decisions.labels({ ...of, decision: "allowed" });
        const denied = decisions.labels({ ...of, decision: "denied" });
        return counted(authorizer, (isAllowed) => (isAllowed ? allowed : denied).inc());
      },
    });
  }
}

function withoutSelectors(attributes: Attributes): Attributes {
  const selects = attributes.kind === "resource" && attributes.selectors !== undefined;
  return selects ? { ...attributes, selectors: undefined } : attributes;
}

const needsNodes = (opened: OpenedPlan | undefined): boolean =>
  opened?.plan.authorizers.some(({ type }) => type === "Node") ?? false;

function closeWebhooks(opened: OpenedPlan | undefined): void {
  for (const webhook of opened?.webhooks.values() ?? []) webhook.close();
}

/** Counts the decisions of an authorizer, without those of no opinion. */
function counted(authorizer: Authorizer, count: (isAllowed: boolean) => void): Authorizer {
  const told = (decision: Decision): Decision => {
    if (decision.kind !== "noOpinion") count(decision.kind === "allow");
    return decision;
  };
  return {
    authorize(attributes) {
      const decision = authorizer.authorize(attributes);
      return decision instanceof Promise ? decision.then(told) : told(decision);
    },
    rulesFor: (user, namespace) => rulesFor(authorizer, user, namespace),
    namespacesOf: (user, scopes) => namespacesOf(authorizer, user, scopes),
    explain: (attributes, decision, scope) => authorizer.explain?.(attributes, decision, scope),
  };
}
