// Paths of health probes. They are answered under any load, without waiting and without a place in flight.

export function isProbe(path: string): boolean {
  return /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}
