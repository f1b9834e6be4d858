// How a program introduces itself; the server takes the text before the first slash for the field manager.

/**
 * `controller/0.1.0 (linux/x64) orch/leader-election`
 * @param program its name, without slashes
 * @param product the vocabulary's word for the product, slash included
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
