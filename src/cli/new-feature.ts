import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm run new:feature <name>`: writes a small working feature with its test, and adds it to the lists of features and
 * calls. Replace its behaviour with your own.
 */

const root = process.cwd();
const [name = ''] = process.argv.slice(2);

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
  fail('Name the feature in lower case: npm run new:feature saved-items');

const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = camel[0]?.toUpperCase() + camel.slice(1);
const words = name.replaceAll('-', ' ');
const title = words[0]?.toUpperCase() + words.slice(1);

/** The templates in the folder new-feature, and the files made from them. */
const files: Record<string, string> = {
  contract: `src/contract/${name}.ts`,
  service: `src/features/${name}/${name}.service.ts`,
  routes: `src/features/${name}/${name}.routes.ts`,
  module: `src/features/${name}/${name}.module.ts`,
  test: `test/${name}/${name}.test.ts`,
};

const taken = Object.values(files).find((file) => existsSync(path.join(root, file)));
if (taken) fail(`There is ${taken} already; choose another name.`);
for (const [template, file] of Object.entries(files)) {
  const text = readFileSync(path.join(import.meta.dirname, 'new-feature', `${template}.txt`), 'utf8');
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(root, file), filled(text));
}
change('src/contract/calls.ts', [
  [/^/, `import { ${camel}Calls } from './${name}.ts';\n`],
  [/const sharedCalls = \{\n/, `$&  ...${camel}Calls,\n`],
]);
// The area of personal tokens that it is in.
change('src/contract/scopes.ts', [[/const areaOfGroup = \{\n/, `$&  '${title}': 'account',\n`]]);
// The highest feature: it may use every other, and none uses it yet.
change('src/node/modules.ts', [
  [/^/, `import { ${camel}Module } from '../features/${name}/${name}.module.ts';\n`],
  [/\n {2}const list: /, `\n  const ${camel} = ${camel}Module(talk);$&`],
  [/\n {4}\.\.\.\{ notifications/, `$&, ${camel}`],
]);
const changed = [...Object.values(files), 'src/contract/calls.ts', 'src/contract/scopes.ts', 'src/node/modules.ts'];
execFileSync(path.join(root, 'node_modules/.bin/biome'), ['check', '--write', ...changed], {
  cwd: root,
  stdio: 'ignore',
});
process.stdout.write(`Written, and listed in calls.ts and scopes.ts of src/contract, and in src/node/modules.ts:\n`);
for (const file of Object.values(files)) process.stdout.write(`  ${file}\n`);
process.stdout.write(`Try it: npm test -- test/${name}/${name}.test.ts\n`);

function filled(text: string): string {
  const values: Record<string, string> = { name, camel, Pascal: pascal, words, Words: title };
  return text.replace(/\{(name|camel|Pascal|words|Words)\}/g, (_, key: string) => values[key] ?? '');
}

function change(file: string, replacements: [RegExp, string][]): void {
  const before = readFileSync(path.join(root, file), 'utf8');
  const after = replacements.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text))
      fail(`${file} has no place like ${pattern} any more; src/cli/new-feature.ts has to follow it.`);
    return text.replace(pattern, replacement);
  }, before);
  writeFileSync(path.join(root, file), after);
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
