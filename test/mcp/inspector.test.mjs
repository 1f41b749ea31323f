// The official inspector's command line lists and calls every tool, in both eras of
// the protocol.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { server, write } from "./bailey.mjs";

const inspector = fileURLToPath(new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url));
const run = promisify(execFile);

async function inspect(era, bailey, ...args) {
  const { stdout } = await run(process.execPath, [
    inspector, "--cli", "--quiet", "--format", "json", "--protocol-era", era, ...args, "--", bailey.command, ...bailey.args,
  ]);
  return JSON.parse(stdout).result;
}

// What each tool is called with, and what its text has to show.
const calls = (dir) => ({
  file_read: [{ path: "a.txt" }, /^inside\n$/],
  file_read_many: [{ paths: ["a.txt", "b.txt"] }, /inside[^]*second/],
  file_write: [{ path: `${dir}/new.txt`, content: "new\n" }, /^File written: /],
  file_edit: [{ path: `${dir}/edit.txt`, edits: [{ old_text: "before", new_text: "after" }] }, /\+after/],
  file_list: [{}, /a\.txt\n/],
  file_tree: [{ depth: 1 }, /a\.txt/],
  file_find: [{ pattern: "*.txt" }, /a\.txt\n/],
  file_grep: [{ pattern: "ins.de" }, /a\.txt:1:inside/],
  file_info: [{ path: "a.txt" }, /size: 7/],
  file_copy: [{ source: "a.txt", destination: `${dir}/copy.txt` }, /copy\.txt/],
  file_move: [{ source: `${dir}/old.txt`, destination: `${dir}/moved.txt` }, /moved\.txt/],
  dir_create: [{ path: `${dir}/made` }, /made/],
  file_delete: [{ path: `${dir}/gone.txt` }, /gone\.txt/],
});

write("a.txt", "inside\n");
write("b.txt", "second\n");

for (const era of ["legacy", "modern"]) {
  test(`the inspector, ${era}`, { concurrency: 2 }, async (t) => {
    for (const name of ["edit", "old", "gone"]) write(`${era}/${name}.txt`, "before\n");
    const bailey = server(era);
    const { tools } = await inspect(era, bailey, "--strict", "--method", "tools/list");
    const known = calls(era);
    const rest = tools.map((tool) => tool.name).filter((name) => !(name in known));
    // Tools that files do not need are called by tests of their own.
    assert.deepEqual(rest.filter((name) => name.startsWith("file_") || name.startsWith("dir_")), []);
    await Promise.all(Object.entries(known).map(([name, [args, want]]) =>
      t.test(name, async () => {
        const described = tools.find((tool) => tool.name === name);
        assert.ok(described?.title && described.inputSchema && described.outputSchema && described.annotations, "it is described in full");
        const result = await inspect(era, bailey, "--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args));
        assert.ok(!result.isError, JSON.stringify(result));
        assert.match(result.content[0].text, want);
        assert.equal(result.structuredContent.output, result.content[0].text);
      }),
    ));
    const results = bailey.records().filter((r) => r.phase === "result");
    assert.deepEqual(results.map((r) => r.tool).sort(), Object.keys(known).sort());
  });
}
