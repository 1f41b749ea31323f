// Approvals as the TypeScript SDK's clients meet them, decided by the client's user
// or by the operator's command line in another process.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { config, server, workspace, write } from "./bailey.mjs";

const rules = `
[[security.policy.rules]]
name = "ask"
action = "supervised"
paths = ["**/ask*"]
`;
const flags = (name, wait, elicitation) =>
  config(name, `[approval]\nmcp_wait = "${wait}"\nelicitation = ${elicitation}\n${rules}`);

const info = { name: "test", version: "1" };
const forms = { capabilities: { elicitation: {} } };
const clients = {
  "SDK 1": {
    make: (options) => [new ClientV1(info, options), StdioV1],
    answer: (client, f) => client.setRequestHandler(ElicitRequestSchema, f),
    call: (client, args, options) => client.callTool({ name: "file_write", arguments: args }, undefined, options),
  },
  "SDK 2, initialize": {
    make: (options) => [new ClientV2(info, options), StdioV2],
    answer: (client, f) => client.setRequestHandler("elicitation/create", f),
    call: (client, args, options) => client.callTool({ name: "file_write", arguments: args }, options),
  },
};
clients["SDK 2, 2026-07-28"] = {
  ...clients["SDK 2, initialize"],
  make: (options) => [new ClientV2(info, { ...options, versionNegotiation: { mode: { pin: "2026-07-28" } } }), StdioV2],
};

const content = (name) => (existsSync(join(workspace, name)) ? readFileSync(join(workspace, name), "utf8") : null);

async function waiting(bailey, n = 1) {
  for (let tries = 0; tries < 400; tries++) {
    const list = JSON.parse(await bailey.run("approvals", "list", "--json"));
    if (list.length === n) return list;
    await sleep(50);
  }
  assert.fail(`not ${n} requests that wait`);
}

async function connect(t, kind, bailey, options, answer) {
  const [client, Transport] = kind.make(options);
  if (answer) kind.answer(client, answer);
  const transport = new Transport({ command: bailey.command, args: bailey.args, stderr: "inherit" });
  await client.connect(transport);
  t.after(() => client.close()); // also of a test that fails
  return { client, transport };
}

describe("approvals", { concurrency: 4 }, () => {
  for (const [name, kind] of Object.entries(clients)) {
    const id = name.replaceAll(/\W+/g, "-");

    test(`${name}: the client's user answers`, async (t) => {
      const bailey = server("forms-" + id, ...flags("forms-" + id, "50s", true));
      const asked = [];
      let next;
      const { client } = await connect(t, kind, bailey, forms, async (request, extra) => {
        asked.push(request.params);
        return next(request, extra);
      });
      const file = (n) => `ask-${id}-${n}.txt`;
      const call = (n) => kind.call(client, { path: file(n), content: "new\n" });

      next = () => ({ action: "accept", content: { decision: "approve once" } });
      const accepted = await call(1);
      assert.equal(accepted.structuredContent.success, true, JSON.stringify(accepted));
      assert.equal(content(file(1)), "new\n");
      assert.match(asked[0].message, /\+new/);
      assert.match(asked[0].message, /rule ask/);

      next = () => ({ action: "accept", content: { decision: "deny", reason: "on mondays" } });
      const denied = await call(2);
      assert.equal(denied.structuredContent.error_kind, "approval_denied");
      assert.match(denied.content[0].text, /on mondays/);

      next = () => ({ action: "decline" });
      assert.equal((await call(3)).structuredContent.error_kind, "approval_denied");

      // Whoever closes the form leaves the decision to others.
      next = () => ({ action: "cancel" });
      const closed = call(4);
      await bailey.run("approvals", "approve", (await waiting(bailey))[0].id);
      assert.equal((await closed).structuredContent.success, true);

      // An open form does not keep others from deciding.
      let release;
      const open = new Promise((resolve) => (release = resolve));
      next = async (_, extra) => {
        await Promise.race([open, new Promise((r) => (extra.signal ?? extra.mcpReq?.signal)?.addEventListener("abort", r))]);
        return { action: "cancel" };
      };
      const overtaken = call(5);
      await bailey.run("approvals", "approve", (await waiting(bailey))[0].id);
      if (name.includes("2026")) release(); // no server can close a form there
      assert.equal((await overtaken).structuredContent.success, true);
      release();

      assert.equal(asked.length, 5);
      for (const n of [2, 3]) assert.equal(content(file(n)), null);
      for (const n of [4, 5]) assert.equal(content(file(n)), "new\n");
      await client.close();
      const results = bailey.records().filter((r) => r.tool === "file_write" && r.phase === "result" && r.error_kind !== "approval_pending");
      assert.deepEqual(results.map((r) => r.error_kind ?? ""), ["", "approval_denied", "approval_denied", "", ""]);
      assert.ok(results.filter((r) => !r.error_kind).every((r) => r.approval));
    });

    test(`${name}: nobody answers in time`, async (t) => {
      const bailey = server("pending-" + id, ...flags("pending-" + id, "50ms", true));
      const { client } = await connect(t, kind, bailey, {}); // it has no forms
      const args = { path: `ask-pending-${id}.txt`, content: "new\n" };
      const first = (await kind.call(client, args)).structuredContent;
      assert.equal(first.error_kind, "approval_pending");
      const again = (await kind.call(client, args)).structuredContent;
      assert.equal(again.data.approval.id, first.data.approval.id);
      await bailey.run("approvals", "approve", first.data.approval.id);
      assert.equal((await kind.call(client, args)).structuredContent.success, true);
      assert.equal(content(args.path), "new\n");
      await client.close();
    });

    test(`${name}: progress keeps the client alive`, async (t) => {
      const bailey = server("progress-" + id, ...flags("progress-" + id, "50s", false));
      const { client } = await connect(t, kind, bailey, {});
      const seen = [];
      const call = (n, options) => kind.call(client, { path: `ask-progress-${id}-${n}.txt`, content: "new\n" }, options);
      // The operator takes longer than the client would wait, and less than it waits
      // with a sign of life.
      const slow = call(1, { timeout: 6000, resetTimeoutOnProgress: true, onprogress: (p) => seen.push(p) });
      const impatient = assert.rejects(call(2, { timeout: 6000, onprogress: () => {} }), /time/i);
      const [one] = (await waiting(bailey, 2)).filter((r) => r.paths[0].includes("-1.txt"));
      await sleep(7000);
      await impatient;
      await bailey.run("approvals", "approve", one.id);
      assert.equal((await slow).structuredContent.success, true);
      assert.ok(seen.length >= 2 && seen[0].message.includes(one.id), JSON.stringify(seen));
      assert.equal((await waiting(bailey)).length, 1, "the call that the client gave up still waits");
      await client.close();
    });

    test(`${name}: the server is killed`, async (t) => {
      const bailey = server("killed-" + id, ...flags("killed-" + id, "50s", false));
      const args = { path: `ask-killed-${id}.txt`, content: "new\n" };
      const { client, transport } = await connect(t, kind, bailey, {});
      const lost = kind.call(client, args).then(() => "answered", () => "lost");
      const [request] = await waiting(bailey);
      process.kill(transport.pid, "SIGKILL");
      assert.equal(await lost, "lost");
      await client.close();
      await bailey.run("approvals", "approve", request.id);
      assert.equal(content(args.path), null);
      const second = await connect(t, kind, bailey, {});
      assert.equal((await kind.call(second.client, args)).structuredContent.success, true);
      assert.equal(content(args.path), "new\n");
      // Good once: the same call is a new request.
      const third = kind.call(second.client, args).then((r) => r.structuredContent.error_kind, () => "lost");
      assert.notEqual((await waiting(bailey))[0].id, request.id);
      await second.client.close();
      assert.match(await third, /^(lost|cancelled)$/);
    });
  }
});

test("under the reference server's names", async (t) => {
  const kind = clients["SDK 1"];
  const bailey = server("compat", ...flags("compat", "2s", true), "--compat", "filesystem");
  write("ask-compat-old.txt", "old\n");
  let answer;
  const { client } = await connect(t, kind, bailey, forms, () => answer);
  const call = (name, args) => client.callTool({ name, arguments: args });

  answer = { action: "accept", content: { decision: "approve once" } };
  const edited = await call("edit_file", { path: `${workspace}/ask-compat-old.txt`, edits: [{ oldText: "old", newText: "newer" }] });
  assert.ok(!edited.isError, JSON.stringify(edited));
  assert.equal(content("ask-compat-old.txt"), "newer\n");

  answer = { action: "cancel" };
  const args = { path: `${workspace}/ask-compat-new.txt`, content: "new\n" };
  const pending = await call("write_file", args);
  assert.match(pending.content[0].text, /^approval_pending: .*make the very same call again/);
  const [request] = await waiting(bailey);
  assert.ok(pending.content[0].text.includes(request.id));
  await bailey.run("approvals", "approve", request.id);
  assert.ok(!(await call("write_file", args)).isError);
  assert.equal(content("ask-compat-new.txt"), "new\n");
  await client.close();
});
