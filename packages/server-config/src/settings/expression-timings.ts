// Metrics of the expressions in CEL that a server compiles and evaluates. Source:
// staging/src/k8s.io/apiserver/pkg/cel/metrics/metrics.go.
import { timeExpressions } from "@orch/machinery";
import type { NamedMetrics } from "@orch/platform";

const COMPILATION = "apiserver_cel_compilation_duration_seconds";
const EVALUATION = "apiserver_cel_evaluation_duration_seconds";

type ExpressionMetrics = NamedMetrics<never, never, typeof COMPILATION | typeof EVALUATION> & {
  /** Whether the release has the metric. */
  serves(name: typeof EVALUATION): boolean;
};

/** Measures expressions in the releases that have the metrics. @returns a function that ends it */
export function measureExpressions(metrics: ExpressionMetrics): () => void {
  if (!metrics.serves(EVALUATION)) return () => {};
  const compilation = metrics.histogram(COMPILATION).labels({});
  const evaluation = metrics.histogram(EVALUATION).labels({});
  return timeExpressions({
    compiled: (seconds) => compilation.observe(seconds),
    evaluated: (seconds) => evaluation.observe(seconds),
  });
}
