import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeClientPackage } from './client-module.ts';

/** Run by `npm ci` and `npm pack`: writes `dist/client`, for programs that import `parley/client`, and its types. */
const root = path.join(import.meta.dirname, '../..');
await writeClientPackage(path.join(root, 'dist/client'));
// Production installations have no compiler, and need no types.
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
if (existsSync(compiler)) {
  execFileSync(process.execPath, [compiler, '-p', path.join(root, 'src/client')], { stdio: 'inherit' });
}
