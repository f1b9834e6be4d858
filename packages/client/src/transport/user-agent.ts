// Builds the User-Agent. The server uses the text before the first slash as field manager.

/**
 * Returns a text such as `controller/0.1.0 (linux/x64) orch/leader-election`.
 * @param program its name, without slashes
 * @param product the vocabulary's product name, including the slash
 */
export function userAgent(of: {
  readonly program: string;
  readonly version: string;
  readonly product: string;
  readonly component?: string;
}): string {
  const { program, version, product, component } = of;
  const platform = `(${process.platform}/${process.arch})`;
  return `${program}/${version} ${platform} ${product}${component ?? "client"}`;
}
