// What the reference server's own test over the wire expects, written anew: the
// structured content of each tool matches its output schema (the SDK's client
// checks that for each call), and is the same as the content.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { scratch, servers, start } from "./server.mjs";

async function session(t) {
  const base = scratch(t);
  const dir = join(base, "ws");
  mkdirSync(join(dir, "subdir"), { recursive: true });
  writeFileSync(join(dir, "test.txt"), "test content");
  writeFileSync(join(dir, "subdir/nested.txt"), "nested content");
  const client = await start(t, servers.bailey([dir]), base);
  return { dir, client, call: (name, args) => client.callTool({ name, arguments: args }) };
}

test("text tools answer a string, twice", async (t) => {
  const { dir, call } = await session(t);
  for (const [name, args, part] of [
    ["directory_tree", { path: dir }, '"nested.txt"'],
    ["list_directory_with_sizes", { path: dir }, "[FILE]"],
    ["move_file", { source: join(dir, "test.txt"), destination: join(dir, "moved.txt") }, "Successfully moved"],
    ["list_directory", { path: dir }, "[DIR] subdir"],
    ["search_files", { path: dir, pattern: "*.txt" }, join(dir, "moved.txt")],
  ]) {
    const r = await call(name, args);
    assert.equal(typeof r.structuredContent?.content, "string", name);
    assert.ok(r.structuredContent.content.includes(part), `${name}: ${r.structuredContent.content}`);
    assert.equal(r.content[0].text, r.structuredContent.content);
  }
  const tree = await call("directory_tree", { path: dir });
  assert.ok(Array.isArray(JSON.parse(tree.structuredContent.content)));
});

test("media files come as blocks that the protocol knows", async (t) => {
  const { dir, client, call } = await session(t);
  for (const [name, bytes, type, mimeType] of [
    ["pixel.png", [0x89, 0x50, 0x4e, 0x47], "image", "image/png"],
    ["clip.mp3", [0x49, 0x44, 0x33, 0x04], "audio", "audio/mpeg"],
    ["data.bin", [0, 1, 2, 3, 0xff, 0xfe], "resource", "application/octet-stream"],
    ["my café.bin", [0x10, 0x20, 0x30], "resource", "application/octet-stream"],
  ]) {
    const path = join(dir, name);
    writeFileSync(path, Buffer.from(bytes));
    const r = await call("read_media_file", { path });
    assert.equal(r.content.length, 1);
    const block = r.content[0];
    assert.equal(block.type, type);
    assert.equal(block.mimeType ?? block.resource.mimeType, mimeType);
    assert.deepEqual([...Buffer.from(block.data ?? block.resource.blob, "base64")], bytes);
    assert.deepEqual(r.structuredContent, { content: r.content });
    if (type !== "resource") continue;
    assert.match(block.resource.uri, /^file:\/\/\/[\x21-\x7e]+$/);
    assert.equal(fileURLToPath(block.resource.uri), path);
  }
  const { tools } = await client.listTools();
  const schema = JSON.stringify(tools.find((tool) => tool.name === "read_media_file").outputSchema);
  for (const arm of ["image", "audio", "resource"]) assert.ok(schema.includes(`"${arm}"`), arm);
});

test("several directories, some of them missing", async (t) => {
  const base = scratch(t);
  const [one, two] = [join(base, "one"), join(base, "two")];
  for (const dir of [one, two]) mkdirSync(dir);
  writeFileSync(join(base, "file"), "");
  const client = await start(t, servers.bailey([join(base, "missing"), join(base, "file"), one, two]), join(base, "home"));
  const call = (name, args) => client.callTool({ name, arguments: args });
  assert.equal((await call("list_allowed_directories", {})).content[0].text, `Allowed directories:\n${one}\n${two}`);
  for (const dir of [one, two]) {
    const r = await call("write_file", { path: join(dir, "x"), content: "x" });
    assert.ok(!r.isError, r.content[0].text);
  }
  assert.ok((await call("write_file", { path: join(base, "x"), content: "x" })).isError);
});

test("no directory that can be reached: every call says so", async (t) => {
  const base = scratch(t);
  const client = await start(t, servers.bailey([join(base, "a"), join(base, "b")]), base);
  const r = await client.callTool({ name: "list_allowed_directories", arguments: {} });
  assert.ok(r.isError && r.content[0].text.startsWith("config: "), r.content[0].text);
});
