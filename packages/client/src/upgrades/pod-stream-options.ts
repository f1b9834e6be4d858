// Options of exec, attach, port-forward and logs. Source: Kubernetes API reference, PodExecOptions, PodAttachOptions,
// PodLogOptions.

export interface PodReference {
  readonly namespace: string;
  readonly name: string;
}

export interface AttachOptions extends PodReference {
  /** Default: that of the annotation `default-container`, or the only one. */
  readonly container?: string | undefined;
  /** Default: false. */
  readonly stdin?: boolean;
  /** Default: true. */
  readonly stdout?: boolean;
  /** Default: true. With a terminal, the standard error output is a part of the standard output. */
  readonly stderr?: boolean;
  /** Default: false. */
  readonly tty?: boolean;
  /** Closes the connection. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout until the connection is open. Default: that of the client. */
  readonly timeoutMs?: number | undefined;
}

export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

export interface PodLogOptions extends PodReference {
  readonly container?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly previous?: boolean | undefined;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339. */
  readonly sinceTime?: string | undefined;
  readonly timestamps?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  /** `All`, `Stdout` or `Stderr`. */
  readonly stream?: string | undefined;
  readonly insecureSkipTLSVerifyBackend?: boolean | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Timeout until the log begins. Default: that of the client. */
  readonly timeoutMs?: number;
}
