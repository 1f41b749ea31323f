// The tree that every comparison starts from.
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const lines = (n) => Array.from({ length: n }, (_, i) => `line ${i + 1} ${"é".repeat(i % 7)}`);

// Content by path; a string that starts with "-> " is a link.
const files = {
  "a.txt": "one\ntwo\nthree\n",
  "b.md": "# Title\n\nText with `code`.\n",
  "open-end.txt": "x\ny\nz",
  "empty.txt": "",
  "newlines.txt": "\n\n\n",
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "bom.txt": "\ufeffwith a mark\n",
  "latin1.txt": Buffer.from("caf\xe9\n", "latin1"),
  "utf16.txt": Buffer.from("\ufeffwide\n", "utf16le"),
  "twice.txt": "same\nother\nsame\n",
  "indented.txt": "if x:\n    one()\n    two()\n",
  "fence.txt": "```\ncode\n```\nend\n",
  "long.txt": lines(3000).join("\n") + "\n",
  "pixel.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255]),
  "clip.MP3": Buffer.from([0x49, 0x44, 0x33, 4, 0, 255]),
  "drawing.svg": "<svg/>\n",
  "data.bin": Buffer.from([0, 1, 2, 3, 255, 254]),
  "odd name é #100% [x].bin": Buffer.from([16, 32, 48]),
  "a-name-that-is-longer-than-thirty-characters.txt": "long\n",
  "日本語.txt": "ja\n",
  "size-1152.dat": Buffer.alloc(1152, "x"),
  "size-2MB.dat": Buffer.alloc(2 * 1024 * 1024 + 12345, "y"),
  ".hidden": "hidden\n",
  ".gitignore": "*.log\nbuilt/\n",
  "ignored.log": "ignored\n",
  "built/out.js": "out\n",
  "sub/nested.txt": "nested\n",
  "sub/deep/deeper.md": "deeper\n",
  "sub/deep/.dot/x.txt": "x\n",
  "node_modules/pkg/index.js": "index\n",
  "sub/node_modules/pkg/index.js": "index\n",
  "link-in": "-> a.txt",
  "link-dir": "-> sub",
  "link-out": "-> ../outside/secret.txt",
  "link-gone": "-> nothing",
};

// build makes the tree at root, and beside it what no call may reach.
export function build(root) {
  rmSync(root, { recursive: true, force: true });
  const outside = join(root, "../outside");
  rmSync(outside, { recursive: true, force: true });
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "secret.txt"), "TOPSECRET\n");
  mkdirSync(join(root, "sub/none"), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(join(path, ".."), { recursive: true });
    if (typeof content === "string" && content.startsWith("-> ")) symlinkSync(content.slice(3), path);
    else {
      writeFileSync(path, content);
      utimesSync(path, 1_700_000_000, 1_600_000_000);
    }
  }
  chmodSync(join(root, "b.md"), 0o750);
  for (const dir of [".", "sub", "sub/deep"]) utimesSync(join(root, dir), 1_700_000_000, 1_600_000_000);
}

export const fifo = (path) => execFileSync("mkfifo", [path]);

// snapshot is all that lies below root, in a form that compares.
export function snapshot(root, dir = "", seen = {}) {
  for (const name of readdirSync(join(root, dir)).sort()) {
    const rel = join(dir, name);
    const at = join(root, rel);
    const st = lstatSync(at);
    const mode = (st.mode & 0o777).toString(8);
    if (st.isSymbolicLink()) seen[rel] = `-> ${readlinkSync(at)}`;
    else if (st.isDirectory()) {
      seen[rel] = `dir ${mode}`;
      snapshot(root, rel, seen);
    } else seen[rel] = `${mode} ${readFileSync(at).toString("base64").slice(0, 4096)}`;
  }
  return seen;
}
