// Starts the two servers that the tests compare.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

// BAILEY names the binary; by default it is the one that `make build` leaves.
const bailey = process.env.BAILEY || join(here, "../../bin/bailey");
const reference = join(here, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

// scratch makes a directory that is gone after the test. It does not lie below
// /tmp, which belongs to sessions.
export function scratch(t) {
  const dir = realpathSync(mkdtempSync(join(process.env.COMPAT_TMP || "/var/tmp", "compat-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export const servers = {
  reference: (dirs) => [process.execPath, reference, ...dirs],
  bailey: (dirs) => [bailey, "mcp", "--compat", "filesystem", ...dirs],
};

// start connects a client to a server over stdio. home is where Bailey keeps its
// state, and what ~ stands for.
export async function start(t, [command, ...args], home = tmpdir()) {
  const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config"), TZ: "UTC" };
  const transport = new StdioClientTransport({ command, args, env, stderr: "ignore" });
  const client = new Client({ name: "compat-test", version: "1" }, { capabilities: {} });
  await client.connect(transport);
  t.after(() => client.close());
  await client.listTools(); // from here on the client checks structured content against the schemas
  return client;
}
