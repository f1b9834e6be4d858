// `orch api-versions`: the versions of the API that the server has.
import type { Command } from "commander";
import { columnText, visible } from "../../output/columns";
import type { Session } from "../../session/session";

export function define(command: Command, session: Session): void {
  command.action(async () => {
    const resources = await (await session.catalog()).all({ isFresh: true });
    const versions = new Set(resources.map(({ group, version }) => (group === "" ? version : `${group}/${version}`)));
    session.write(columnText([...versions].sort().map((version) => [visible(version)])));
  });
}
