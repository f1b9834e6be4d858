// Man page of the command `orch`, from the table of its commands.
import { createRequire } from "node:module";
import { join } from "node:path";

/** @param root folder of the repository, with a current build @returns the page in the form of man(7) */
export async function manPage(root, { version, date }) {
  const load = createRequire(join(root, "packages/cli/"));
  const { Command } = load("commander");
  const { COMMANDS } = load("./dist/program/every-command.js");
  const { COMMAND_GROUPS } = load("./dist/program/command.js");
  const { globalOptions } = load("./dist/process/global-options.js");
  const sections = [];
  for (const group of COMMAND_GROUPS)
    for (const entry of COMMANDS.filter((each) => each.group === group)) {
      const command = new Command(entry.name).helpCommand(false).description(entry.summary);
      (await entry.load()).define(command, {});
      sections.push(commandText(command, entry));
    }
  return `.\\" Made from the table of the commands.
.TH ORCH 1 ${date.slice(0, 10)} "orch ${version}" "User Commands"
.SH NAME
orch \\- runs API servers, and shows, changes and moves their objects
.SH SYNOPSIS
.B orch
.I COMMAND
[\\fIarguments\\fR] [\\fIoptions\\fR]
.SH DESCRIPTION
.B orch
runs the API server, the controller manager and both in one process, and is a client of them. The programs of servers are
.BR "orch apiserver" ,
.B orch controller-manager
and
.BR "orch standalone" ;
each lists its flags with \\-\\-help.
.SH COMMANDS
${sections.join("")}.SH OPTIONS OF ALL COMMANDS
${globalOptions().map(optionText).join("")}.SH FILES
.TP
.I /etc/orch/orch.yaml
flags of the server, which its unit reads with \\-\\-config
.TP
.I ~/.orch/config
contexts of the client
.TP
.I /usr/share/doc/orch
documents
.SH SEE ALSO
.BR kubectl (1),
.BR etcd (1)
`;
}

function commandText(command, { name, aliases = [], summary }) {
  const names = [name, ...aliases].map((each) => `orch ${each}`).join(", ");
  const own = command.options.filter(({ hidden }) => !hidden).map(optionText);
  const below = command.commands.map((each) => {
    const options = each.options.filter(({ hidden }) => !hidden).map(optionText);
    const nested = options.length === 0 ? "" : `.RS\n${options.join("")}.RE\n`;
    return `.TP\n.B ${plain(`${name} ${each.name()}`)}\n${plain(each.description())}\n${nested}`;
  });
  return `.SS ${plain(names)}\n${plain(summary)}\n${own.join("")}${below.join("")}`;
}

const optionText = ({ flags, description }) => `.TP\n.B ${plain(flags)}\n${plain(description)}\n`;

/** Escapes what troff would read as a request, as a hyphen that may be broken, or as an escape sequence. */
const plain = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll('"', "\\(dq")
    .replace(/^([.'])/, "\\&$1");
