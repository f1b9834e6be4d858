// Parts of the expressions of all dashboards.

/** Selects the chosen API servers. */
export const SERVERS = 'job="orch-apiserver",instance=~"$instance"';
export const MANAGERS = 'job="orch-controller-manager"';
export const ETCD = 'job="etcd"';

const selected = (labels) => `${SERVERS}${labels === "" ? "" : `,${labels}`}`;

/** Rate per second of a counter of the API servers. */
export const rate = (by, counter, labels = "") =>
  `sum by (${by}) (rate(${counter}{${selected(labels)}}[$__rate_interval]))`;

/** Quantile of a histogram of the API servers. */
export const quantile = (q, by, histogram, labels = "") =>
  `histogram_quantile(${q}, sum by (${by === "" ? "" : `${by}, `}le) (rate(${histogram}_bucket{${selected(labels)}}[$__rate_interval])))`;

/** Sum of a gauge of the API servers. */
export const sum = (by, gauge, labels = "") => `sum by (${by}) (${gauge}{${selected(labels)}})`;

export const max = (by, gauge, labels = "") => `max by (${by}) (${gauge}{${selected(labels)}})`;

/** An expression that has series only after a fault, shown as 0 before. */
export const orZero = (expression) => `${expression} or vector(0)`;
