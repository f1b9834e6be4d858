// Those who watch over the server are answered whatever else goes on: they wait for nobody, and take nobody's place.

export function isProbe(path: string): boolean {
  return /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}
