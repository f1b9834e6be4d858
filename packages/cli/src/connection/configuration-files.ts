// The files of the client configuration, and the one in which each part is changed. Source: Kubernetes documentation,
// "Organizing Cluster Access Using kubeconfig Files", and client-go/tools/clientcmd/config.go.
import { existsSync } from "node:fs";
import {
  type ClientConfiguration,
  changeConfiguration,
  type EditedConfiguration,
  loadConfiguration,
  parseConfiguration,
} from "@orch/client";
import type { GlobalOptions } from "../process/global-options";
import type { Io } from "../process/io";
import type { EntryList } from "./configuration-entries";
import { configurationOf, configurationPlace } from "./connection";

interface Source {
  readonly options: GlobalOptions;
  readonly io: Io;
}

export class ConfigurationFiles {
  readonly paths: readonly string[];

  constructor(private readonly source: Source) {
    this.paths = configurationPlace(source.options, source.io.environment).paths;
  }

  /** File for new parts: the first that exists, else the last one. */
  get defaultPath(): string {
    return this.paths.find((path) => existsSync(path)) ?? this.paths.at(-1) ?? "";
  }

  /** Loads all files. A named file that does not exist is empty. */
  load(): ClientConfiguration {
    const { options, io } = this.source;
    const { kubeconfig } = options;
    if (kubeconfig !== undefined && !existsSync(kubeconfig)) return parseConfiguration("", kubeconfig);
    return configurationOf(options, io.environment);
  }

  /** Returns the file that has an entry; the default one when none has. */
  pathOf(list: EntryList, name: string): string {
    return this.paths.find((path) => this.read(path)?.[list].has(name) === true) ?? this.defaultPath;
  }

  /** Returns the file whose current context counts. */
  pathOfCurrentContext(): string {
    return this.paths.find((path) => (this.read(path)?.currentContext ?? "") !== "") ?? this.defaultPath;
  }

  /** Changes an entry in its file. */
  changeEntry(list: EntryList, name: string, change: (file: EditedConfiguration) => void): Promise<void> {
    return changeConfiguration(this.pathOf(list, name), change);
  }

  /** @param name "": none */
  setCurrentContext(name: string): Promise<void> {
    return changeConfiguration(this.pathOfCurrentContext(), (file) =>
      file.setCurrentContext(name === "" ? undefined : name),
    );
  }

  private read(path: string): ClientConfiguration | undefined {
    return existsSync(path) ? loadConfiguration({ path }) : undefined;
  }
}
