// A workspace for one test file, and how bailey is started on it. BAILEY names the
// binary.
import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, writeFileSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";

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

// config writes a configuration and returns the flags that name it.
export function config(name, text) {
  const path = join(base, name + ".toml");
  writeFileSync(path, text);
  return ["--config", path];
}

const run = promisify(execFile);

// server returns the command of a server with a state directory, and so an audit
// log and approvals, of its own. run is the operator's command line beside it.
export function server(name, ...flags) {
  const state = join(base, "state-" + name);
  return {
    command: bailey,
    args: ["mcp", "--workspace", workspace, "--state", state, "--task", "agent", ...flags],
    run: async (...args) => (await run(bailey, [...args, "--state", state, ...flags.slice(0, 2)])).stdout,
    records: () => readFileSync(join(state, "audit.log"), "utf8").trim().split("\n").map((line) => JSON.parse(line)),
  };
}
