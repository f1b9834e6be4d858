// Controller that approves client certificates of nodes for users whom the authorizer allows to request them. Source:
// pkg/controller/certificates/approver/sarapprove.go.
import { builtInTypes, type Client, type QueueMetrics, type ResourceClient } from "@orch/client";
import { vocabularyOf } from "@orch/schema";
import type { SharedViews } from "../../framework/shared-views";
import { type CertificateRequest, conditionOf, followRequests, withCondition } from "../../framework/signing-requests";
import { type Recognizer, recognizersOf } from "./recognizers";

export interface ApproveRequestsOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly views: SharedViews;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Runs the controller until the signal is aborted. */
export async function approveRequests(options: ApproveRequestsOptions, signal: AbortSignal): Promise<void> {
  const { client, release } = options;
  const vocabulary = vocabularyOf(client.vocabulary);
  const reviews = client.resource(builtInTypes(client.vocabulary).subjectAccessReviews);

  async function seeTo(request: CertificateRequest, requests: ResourceClient<CertificateRequest>): Promise<void> {
    if (conditionOf(request, "Approved") !== undefined || conditionOf(request, "Denied") !== undefined) return;
    const recognizers = recognizersOf(request, vocabulary);
    for (const recognizer of recognizers) {
      if (!(await isAllowed(request, recognizer))) continue;
      const { message } = recognizer;
      const approved = withCondition(
        request,
        { type: "Approved", reason: "AutoApproved", message },
        client.clock.now(),
      );
      await requests.updateSubresource(request.metadata?.name ?? "", "approval", {
        apiVersion: `${requests.type.group}/${requests.type.version}`,
        kind: requests.type.kind,
        ...approved,
      });
      return;
    }
    if (recognizers.length > 0) throw new Error("the requester is not allowed to approve it"); // a retry may succeed
  }

  async function isAllowed({ spec }: CertificateRequest, { subresource }: Recognizer): Promise<boolean> {
    const { username, uid, groups, extra } = spec;
    const review = await reviews.create({
      spec: {
        ...(username !== undefined && { user: username }),
        ...(uid !== undefined && { uid }),
        ...(groups !== undefined && { groups }),
        ...(extra !== undefined && { extra }),
        resourceAttributes: {
          group: vocabulary.groups.certificates,
          resource: "certificatesigningrequests",
          verb: "create",
          subresource,
        },
      },
    });
    return review.status?.allowed === true;
  }

  await followRequests({ ...options, queue: "certificate_approval", release, seeTo }, signal);
}
