// Plays the same calls to the reference server and to Bailey, on the same tree at
// the same place, and compares what goes over the wire. The differences must be
// those that docs/compat-filesystem.md lists: no other, and each of them real.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cases, changes } from "./cases.mjs";
import { scratch, servers, start } from "./server.mjs";
import { build, fifo, snapshot } from "./tree.mjs";

// outcome is what a client sees of a call. The text of a failure is each
// server's own; that it is one, and that it has no structured content, is shared.
async function outcome(client, { tool, args }, root) {
  const filled = JSON.parse(JSON.stringify(args).replaceAll("%/", root + "/").replaceAll('"%"', JSON.stringify(root)));
  const r = await client.callTool({ name: tool, arguments: filled });
  const first = r.content[0];
  return {
    failed: r.isError === true,
    blocks: r.content.map((c) => c.type),
    text: r.content.length === 1 && first.type === "text" ? first.text : JSON.stringify(r.content),
    structured: r.structuredContent,
    mirrors: r.structuredContent === undefined || first.type !== "text" || r.structuredContent.content === first.text,
  };
}

function comparable(r, as) {
  if (r.failed) return { failed: true, blocks: r.blocks, structured: r.structured };
  const shown = as ? as(r) : r;
  return { failed: false, blocks: r.blocks, text: shown.text, mirrors: r.mirrors, structured: typeof r.structured?.content };
}

async function play(t, kind, root, home) {
  build(root);
  const client = await start(t, servers[kind]([root]), home);
  const outcomes = [];
  const trees = [snapshot(root)];
  for (const c of cases) {
    outcomes.push(await outcome(client, c, root));
    trees.push(changes(c) ? snapshot(root) : null);
  }
  return { outcomes, trees, secret: readFileSync(join(root, "../outside/secret.txt"), "utf8"), tools: (await client.listTools()).tools };
}

const documented = new Set(
  [...readFileSync(new URL("../../docs/compat-filesystem.md", import.meta.url), "utf8").matchAll(/^### `([a-z-]+)`/gm)].map((m) => m[1]),
);

test("transcripts", async (t) => {
  const base = scratch(t);
  const root = join(base, "ws");
  const home = join(base, "home");
  mkdirSync(home);
  writeFileSync(join(home, "home.txt"), "home\n");
  const theirs = await play(t, "reference", root, home);
  const ours = await play(t, "bailey", root, home);

  await t.test("tools", () => {
    // Descriptions are our own words; what else the reference declares, we do.
    const declared = (s) => {
      if (Array.isArray(s)) return s.map(declared);
      if (s === null || typeof s !== "object") return s;
      const { description, $schema, execution, ...rest } = s;
      return Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, declared(v)]));
    };
    const byName = (tools) => tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    // An absent idempotentHint means false, says the protocol.
    const properties = (tools) =>
      byName(tools).map((tool) => ({
        ...declared(tool),
        annotations: { idempotentHint: false, ...tool.annotations },
        said: tool.description.length > 20,
      }));
    assert.deepEqual(properties(ours.tools), properties(theirs.tools));
    for (const tool of ours.tools) assert.ok(theirs.tools.every((their) => their.description !== tool.description));
  });

  const real = new Set();
  for (const [i, c] of cases.entries()) {
    await t.test(`${i} ${c.tool} ${JSON.stringify(c.args).slice(0, 100)}`, () => {
      const [their, our] = [theirs.outcomes[i], ours.outcomes[i]];
      const [a, b] = [comparable(their, c.as), comparable(our, c.as)];
      if (!c.differs) {
        assert.deepEqual(b, a, `they: ${their.text}\nwe: ${our.text}`);
        return;
      }
      assert.ok(documented.has(c.differs), `${c.differs} is not in docs/compat-filesystem.md`);
      assert.ok(c.ours(our), `we: ${JSON.stringify(our.text).slice(0, 500)}`);
      assert.ok(our.mirrors && (our.structured === undefined) === our.failed);
      // A real difference shows in the answer or in what is on disk.
      const same = JSON.stringify([a, theirs.trees[i + 1]]) === JSON.stringify([b, ours.trees[i + 1]]);
      assert.ok(!same, "this is documented as a difference, and is none");
      real.add(c.differs);
    });
  }

  await t.test("what was written", () => {
    // Up to the first documented difference each change must leave the same tree.
    const end = cases.findIndex((c) => changes(c) && c.differs);
    assert.ok(end > cases.length - 40 && end > 0);
    for (let i = 0; i < end; i++) assert.deepEqual(ours.trees[i + 1], theirs.trees[i + 1], JSON.stringify(cases[i]));
    assert.equal(ours.secret, "TOPSECRET\n");
  });

  await t.test("a FIFO is answered", async (t) => {
    build(root);
    fifo(join(root, "pipe"));
    const deadline = { timeout: 1500 };
    const reference = await start(t, servers.reference([root]), home);
    await assert.rejects(reference.callTool({ name: "read_text_file", arguments: { path: "pipe" } }, undefined, deadline), "the reference hangs");
    const bailey = await start(t, servers.bailey([root]), home);
    const r = await bailey.callTool({ name: "read_text_file", arguments: { path: "pipe" } });
    assert.ok(r.isError && r.content[0].text.startsWith("special_path: "), r.content[0].text);
    real.add("special-files");
    writeFileSync(join(root, "pipe2"), "");
  });

  await t.test("sensitive and protected files", async (t) => {
    build(root);
    writeFileSync(join(root, ".env"), "KEY=1\n");
    const reference = await start(t, servers.reference([root]), home);
    const bailey = await start(t, servers.bailey([root]), home);
    for (const [name, args] of [["read_text_file", { path: ".env" }], ["write_file", { path: ".git/hooks/pre-commit", content: "" }], ["create_directory", { path: ".vscode" }]]) {
      const r = await bailey.callTool({ name, arguments: args });
      assert.ok(r.isError, `${name} ${JSON.stringify(args)}`);
    }
    assert.ok(!(await reference.callTool({ name: "read_text_file", arguments: { path: ".env" } })).isError);
    const list = async (client) => (await client.callTool({ name: "list_directory", arguments: { path: "." } })).content[0].text.split("\n");
    const [they, we] = [await list(reference), await list(bailey)];
    assert.deepEqual(they.filter((l) => !we.includes(l)), ["[FILE] .env"]);
    real.add("policy");
  });

  await t.test("every documented difference was seen", () => {
    // What no call on one tree can show stands in the document under another heading.
    assert.deepEqual([...documented].sort(), [...real].sort());
  });
});
