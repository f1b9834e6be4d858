// Selector of a job's pods, which the server generates from the name and the uid of the job. Source:
// pkg/registry/batch/job/strategy.go.

import { areLabelsOfPods } from "@orch/apis-core";
import { type Features, fieldAt, objectAt, type Report, type Rule, type RuleContext } from "@orch/apis-model";
import { type batchV1, isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { selects } from "../apps/replicated-pods";

/** Labels of pods without a prefix, which all releases have. */
const UID = "controller-uid";
const NAME = "job-name";

interface Keys {
  readonly names: readonly string[];
  readonly uids: readonly string[];
  /** Label that the selector has. */
  readonly selected: string;
}

/** Returns the labels of a release. Since 1.27, labels with a prefix are added, and one of them is selected. */
function keysOf({ labels }: Vocabulary, features: Features): Keys {
  if (!features.since("1.27")) return { names: [NAME], uids: [UID], selected: UID };
  return {
    names: [NAME, labels.batchJobName],
    uids: [UID, labels.batchControllerUid],
    selected: labels.batchControllerUid,
  };
}

/** Sets the selector and labels unless `manualSelector` is set. Values set by the client are left to validation. */
export function selectOwnPods(job: JsonObject, { vocabulary, features }: RuleContext): void {
  const spec = objectAt(job, "spec");
  if (spec["manualSelector"] === true) return;
  const { name = "", uid = "" } = objectAt(job, "metadata");
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  const { names, uids, selected } = keysOf(vocabulary, features);
  for (const key of uids) labels[key] ??= uid;
  for (const key of names) labels[key] ??= name;
  const selector = objectAt(objectAt(spec, "selector"), "matchLabels");
  selector[selected] ??= labels[selected] ?? uid;
  // Labels that were copied from the template follow it.
  const isCopy = features.since("1.26") && areLabelsOfPods(fieldAt(job, ["metadata", "labels"]));
  if (isCopy || !hasLabels(job)) objectAt(job, "metadata")["labels"] = { ...labels };
}

function hasLabels(job: JsonObject): boolean {
  const labels = fieldAt(job, ["metadata", "labels"]);
  return isObject(labels) && Object.keys(labels).length > 0;
}

/** Returns whether the job is new or has all labels with a prefix: a job of an older release lacks them. */
function storesPrefixedLabels({ stored, vocabulary }: Report): boolean {
  if (stored === undefined) return true;
  const labels = fieldAt(stored, ["spec", "template", "metadata", "labels"]);
  const { batchJobName, batchControllerUid } = vocabulary.labels;
  return isObject(labels) && labels[batchJobName] !== undefined && labels[batchControllerUid] !== undefined;
}

/** Requires the generated selector unless `manualSelector` is set. A stored job may have fewer labels. */
export const generatedSelector: Rule<batchV1.Job> = ({ metadata = {}, spec }, at, report) => {
  if (spec === undefined || spec.manualSelector === true || spec.selector === undefined) return;
  const { uid = "", name = "" } = metadata;
  if (uid === "") report.required(at.field("metadata").field("uid"));
  const { labels: known } = report.vocabulary;
  const expected = new Map([
    [UID, uid],
    [NAME, name],
  ]);
  const labels = spec.template.metadata?.labels ?? {};
  const place = at.field("spec").field("template").field("metadata").field("labels");
  for (const [key, value] of expected) {
    if (labels[key] === undefined) report.required(place.key(key), `must be '${value}'`);
    else if (labels[key] !== value) report.invalid(place.key(key), labels[key], `must be '${value}'`);
  }
  const prefixed: readonly (readonly [string, string])[] = [
    [known.batchControllerUid, uid],
    [known.batchJobName, name],
  ];
  const isPrefixed = report.features.since("1.27") && storesPrefixedLabels(report);
  if (isPrefixed) {
    for (const [key, value] of prefixed) {
      if (labels[key] === undefined) report.required(place.key(key), `must be '${value}'`);
      else if (labels[key] !== value) report.invalid(place.key(key), labels[key], `must be '${value}'`);
    }
  }
  const all = Object.fromEntries([...expected, ...prefixed.filter(([key]) => isPrefixed || labels[key] !== undefined)]);
  if (!selects(spec.selector, all)) {
    report.invalid(at.field("spec").field("selector"), spec.selector, "`selector` not auto-generated");
  }
};
