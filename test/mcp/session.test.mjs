// Sessions of the TypeScript SDK's clients: the one of today in both eras of the
// protocol, and the one that most hosts still have.
import assert from "node:assert/strict";
import { linkSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { server, workspace, write } from "./bailey.mjs";

write("a.txt", "inside\n");
write("p.png", Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049454e44ae426082", "hex"));
for (let i = 0; i < 600; i++) write(`many/${i}.txt`, "x\n");
// A search through this takes seconds, however quick the machine is: 10 GiB of text
// that is one file.
write("long/0.txt", "nothing to be found here\n".repeat(1 << 16));
for (let i = 1; i < 6000; i++) linkSync(`${workspace}/long/0.txt`, `${workspace}/long/${i}.txt`);

const info = { name: "test", version: "1" };
const clients = {
  "SDK 1": () => [new ClientV1(info), StdioV1],
  "SDK 2, initialize": () => [new ClientV2(info), StdioV2],
  "SDK 2, 2026-07-28": () => [new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), StdioV2],
};

for (const [name, make] of Object.entries(clients)) {
  test(name, async (t) => {
    const bailey = server(name.replaceAll(/\W+/g, "-"));
    const [client, Transport] = make();
    const unexpected = [];
    // A progress notification that comes in one piece with the answer is too late for
    // the SDK; that is its own affair.
    client.onerror = (error) => /progress notification/.test(error) || unexpected.push(error);
    await client.connect(new Transport({ command: bailey.command, args: bailey.args, stderr: "inherit" }));
    // The clients' ways to name the result's schema differ: requests go by the
    // methods that both have.
    const call = (tool, args, options) => client.callTool({ name: tool, arguments: args }, ...(name === "SDK 1" ? [undefined, options] : [options]));

    await t.test("tells what it is", () => {
      assert.match(client.getInstructions(), /Workspace: /);
      assert.equal(client.getServerVersion().name, "bailey");
    });

    await t.test("lists and calls", async () => {
      const { tools } = await client.listTools(); // from now on the client checks structured content
      assert.ok(tools.length >= 13);
      const result = await call("file_read", { path: "a.txt" });
      assert.equal(result.content[0].text, "inside\n");
      assert.equal(result.structuredContent.output, "inside\n");
    });

    await t.test("shows a picture", async () => {
      const { content } = await call("file_read", { path: "p.png", encoding: "base64" });
      assert.equal(content[0].type, "image");
      assert.equal(content[0].mimeType, "image/png");
      assert.equal(Buffer.from(content[0].data, "base64").subarray(1, 4).toString(), "PNG");
    });

    await t.test("answers a failure as a result", async () => {
      const result = await call("file_read", { path: "../secret" });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /^path_escape: /);
      assert.equal(result.structuredContent.error_kind, "path_escape");
      const unknown = await call("no_such_tool", {});
      assert.equal(unknown.structuredContent.error_kind, "invalid_argument");
    });

    await t.test("answers what it does not know with an error", async () => {
      await assert.rejects(client.readResource({ uri: "file:///etc/passwd" }), /path_escape/);
      await assert.rejects(client.readResource({ uri: `file://${workspace}/nothing` }), /not_found/);
    });

    await t.test("offers files as resources", async () => {
      const uris = [];
      let cursor;
      do {
        const page = await client.listResources({ cursor });
        uris.push(...page.resources.map((r) => r.uri));
        cursor = page.nextCursor;
      } while (cursor);
      assert.ok(uris.length > 6000);
      const { contents } = await client.readResource({ uri: uris.find((uri) => uri.endsWith("/a.txt")) });
      assert.equal(contents[0].text, "inside\n");
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.equal(resourceTemplates[0].uriTemplate, "file:///{+path}");
    });

    await t.test("reports progress and stops when it is cancelled", async () => {
      const seen = [];
      const stop = new AbortController();
      const slow = call("file_grep", { pattern: "no such thing", path: "long" }, {
        signal: stop.signal,
        timeout: 60_000,
        onprogress: (p) => seen.push(p.progress) === 2 && stop.abort("enough"),
      });
      await assert.rejects(slow, /enough/);
      assert.ok(seen[0] > 0 && seen[1] > seen[0], `progress ${seen}`);
      const cancelled = () => bailey.records().some((r) => r.tool === "file_grep" && r.error_kind === "cancelled");
      for (let tries = 0; !cancelled(); tries++) {
        assert.ok(tries < 200, "the search is not recorded as cancelled");
        await sleep(50);
      }
    });

    await t.test("answers calls that overlap", async () => {
      const results = await Promise.all(Array.from({ length: 50 }, () => call("file_read", { path: "a.txt" })));
      assert.ok(results.every((r) => r.structuredContent.output === "inside\n"));
    });

    await client.close();
    assert.deepEqual(unexpected, []);
    const kinds = bailey.records().map((r) => r.error_kind ?? "");
    assert.equal(kinds.filter((k) => k === "path_escape").length, 2);
    assert.equal(kinds.filter((k) => k === "").length > 50, true);
  });
}
