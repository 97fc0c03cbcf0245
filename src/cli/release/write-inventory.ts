import path from 'node:path';
import { root } from '../configuration.ts';
import { writeInventory } from './inventory.ts';

/** `npm run release:inventory`: writes dist/sbom.cdx.json and dist/licences.txt. */
await writeInventory(path.join(root, 'dist'));
