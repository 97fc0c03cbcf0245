import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeClientPackage } from './client-module.ts';

/** What `npm ci` and `npm pack` run: `dist/client` for those who import `parley/client`, and its types. */
const root = path.join(import.meta.dirname, '../..');
await writeClientPackage(path.join(root, 'dist/client/index.js'));
// Installations for running only are without the compiler; nobody writes programs there.
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
if (existsSync(compiler)) {
  execFileSync(process.execPath, [compiler, '-p', path.join(root, 'src/client')], { stdio: 'inherit' });
}
