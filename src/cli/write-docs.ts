import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { documents, renewed, root } from './configuration.ts';

/** `npm run docs`: makes the tables of settings in the documents anew. */
for (const name of documents) {
  const file = path.join(root, name);
  writeFileSync(file, renewed(readFileSync(file, 'utf8')));
}
