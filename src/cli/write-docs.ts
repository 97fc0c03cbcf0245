import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { documents, renewed, root } from './configuration.ts';

/** `npm run docs`: regenerates the tables of settings in the documents. */
for (const name of documents) {
  const file = path.join(root, name);
  writeFileSync(file, renewed(readFileSync(file, 'utf8')));
}
