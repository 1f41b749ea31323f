// A workspace for one test file, and how bailey is started on it. BAILEY names the
// binary.
import { mkdtempSync, mkdirSync, writeFileSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";

export const bailey = process.env.BAILEY;
if (!bailey) throw new Error("BAILEY must name the binary");

const base = realpathSync(mkdtempSync(join(tmpdir(), "bailey-clients-")));
after(() => rmSync(base, { recursive: true, force: true }));

export const workspace = join(base, "ws");
mkdirSync(workspace);

export function write(name, content) {
  const path = join(workspace, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

// server returns the command of a server with a state directory, and so an audit
// log, of its own.
export function server(name, ...flags) {
  const state = join(base, "state-" + name);
  return {
    command: bailey,
    args: ["mcp", "--workspace", workspace, "--state", state, "--task", "agent", ...flags],
    records: () => readFileSync(join(state, "audit.log"), "utf8").trim().split("\n").map((line) => JSON.parse(line)),
  };
}
