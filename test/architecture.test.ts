// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const src = path.resolve(import.meta.dirname, '../src');
const files = globSync('**/*.{ts,tsx}', { cwd: src }).sort();
const texts = new Map(files.map((file) => [file, readFileSync(path.join(src, file), 'utf8')]));

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Every import of one of our files by another, as paths in src. */
const imports: Import[] = files.flatMap((from) => {
  const statements = (texts.get(from) ?? '').matchAll(
    /^(import|export)( type)?\s[^;'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
  );
  return [...statements].map(([statement, , type, ...paths]) => {
    const to = path.join(path.dirname(from), paths.find(Boolean) ?? '');
    return { from, to, typeOnly: type !== undefined || isTypeOnly(statement) };
  });
});

/** `import { type A, type B }` brings nothing at run time either. */
function isTypeOnly(statement: string): boolean {
  const names = /\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(',')
    .map((name) => name.trim());
  return names !== undefined && !/^import \w/.test(statement) && names.every((name) => !name || /^type /.test(name));
}

/** The features in the order in which they are built: each uses those before it alone. */
const features = [...(texts.get('node/modules.ts') ?? '').matchAll(/ = (\w+)Module\(/g)].map(
  ([, name = '']) => `features/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
);

/** The floors of the house, the highest first: a folder imports nothing but what stands below it (ARCHITECTURE.md). */
const floors = [
  ...['main.ts', 'cli.ts', 'cli', 'node', 'web', 'client', ...features.reverse(), 'features/documents', 'features'],
  ...[
    'gateway',
    'rest',
    'jobs',
    'delivery',
    'access',
    'cluster',
    'database',
    'infrastructure',
    'settings',
    'languages',
    'contract',
  ],
];

/** The floor on which a file stands: its folder, and below `features` that of its feature. */
function floorOf(file: string): string {
  const [top = '', feature, ...rest] = file.split('/');
  return top === 'features' && rest.length > 0 ? `${top}/${feature}` : top;
}

/** The highest folder of a file. */
const folder = (file: string): string => file.split('/')[0] ?? '';
const isFeature = (file: string): boolean => folder(file) === 'features';
const isEndpoint = (file: string): boolean => /\.(routes|gateway)\.ts$/.test(file);
const isModule = (file: string): boolean => /^features\/(module|.*\.module)\.ts$/.test(file);
/** What puts a node together may import anything. */
const isTop = (file: string): boolean => ['main.ts', 'cli.ts', 'cli', 'node'].includes(folder(file));

const shown = (found: Import[]): string[] => found.map(({ from, to }) => `${from} → ${to}`);

describe('the architecture', () => {
  it('has imports to look at', () => {
    expect(imports.length).to.be.greaterThan(files.length);
    for (const { from, to } of imports)
      expect(texts.has(to) || /\.(json|css)$/.test(to), `${from} → ${to}`).to.equal(true);
  });

  it('has floors, and each folder stands on one of them', () => {
    expect(files.map(floorOf).filter((floor) => !floors.includes(floor))).to.deep.equal([]);
    expect(floors.filter((floor) => !files.some((file) => floorOf(file) === floor))).to.deep.equal([]);
  });

  it('builds every feature in one module', () => {
    const built = files.filter((file) => /^features\/[\w-]+\/[\w-]+\.module\.ts$/.test(file));
    const expected = [...features, 'features/documents'].map((folder) => {
      const [, name] = folder.split('/');
      return `${folder}/${name}.module.ts`;
    });
    expect(built.sort()).to.deep.equal(expected.sort());
  });

  it('has no import that points up, not even of a type', () => {
    const up = imports.filter(
      ({ from, to }) => texts.has(to) && floors.indexOf(floorOf(from)) > floors.indexOf(floorOf(to)),
    );
    expect(shown(up)).to.deep.equal([]);
  });

  it('lets the contract know nobody', () => {
    expect(
      shown(imports.filter(({ from, to }) => folder(from) === 'contract' && folder(to) !== 'contract')),
    ).to.deep.equal([]);
  });

  it('lets the clients know the contract and the texts, and nothing of the server', () => {
    const isClient = (file: string) => /^(client|web\/app)\//.test(file);
    const isShared = (file: string) => ['contract', 'languages'].includes(folder(file));
    const server = imports.filter(({ from, to }) => isClient(from) && !isClient(to) && !isShared(to));
    expect(shown(server)).to.deep.equal([]);
  });

  it('lets only the endpoints and the module of a feature import rest and gateway', () => {
    const builders = imports.filter(({ from, to }) => isFeature(from) && ['rest', 'gateway'].includes(folder(to)));
    expect(shown(builders.filter(({ from }) => !isEndpoint(from) && !isModule(from)))).to.deep.equal([]);
  });

  it('lets only modules and the top layer import the endpoints of a feature', () => {
    const endpoints = imports.filter(
      ({ from, to }) => isEndpoint(to) && !isTop(from) && !isEndpoint(from) && !isModule(from),
    );
    expect(shown(endpoints)).to.deep.equal([]);
  });

  it('has no import cycles', () => {
    expect(cycles(imports.filter(({ typeOnly }) => !typeOnly))).to.deep.equal([]);
  });

  it('has no file of more than 300 lines', () => {
    const long = files.filter((file) => (texts.get(file) ?? '').split('\n').length > 301);
    expect(long).to.deep.equal([]);
  });

  it('keeps SQL in tables, delivery and database', () => {
    const keeps = (file: string) => /\.table\.ts$/.test(file) || ['delivery', 'database'].includes(folder(file));
    const words =
      /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN|WHERE|(ORDER|GROUP) BY|IS (NOT )?NULL|ON CONFLICT)\b/;
    const tags = /\b(sql|raw)\b[^;]*from '(kysely|@mikro-orm\/\w+)'/;
    const code = (file: string) => (texts.get(file) ?? '').replace(/(^|\s)\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
    const outside = files.filter((file) => !keeps(file) && (words.test(code(file)) || tags.test(code(file))));
    expect(outside).to.deep.equal([]);
  });

  it('reads what it locks as it is then: an entity may have been read before', () => {
    const writes = /LockMode\.PESSIMISTIC_WRITE/;
    expect(files.filter((file) => writes.test(texts.get(file) ?? ''))).to.deep.equal(['database/queries.ts']);
  });

  it('has no utils, helpers or common', () => {
    expect(files.filter((file) => /(^|[/.-])(utils?|helpers?|common|misc)([/.-]|$)/.test(file))).to.deep.equal([]);
  });

  it('emits a durable event nowhere but through the log', () => {
    const emits = /\bio\.(to|in|emit|of\([^)]*\)\.emit)\b/;
    const outside = files.filter((file) => folder(file) !== 'gateway' && emits.test(texts.get(file) ?? ''));
    expect(outside).to.deep.equal([]);
  });

  it('measures how long something takes by a clock that nobody sets', () => {
    // What is compared with a time that is told or kept is called `now`.
    const kept = /(const|let) (?!now\b)\w+ = (Date|clock)\.now\(\)|\bat: (Date|clock)\.now\(\)/;
    expect(files.filter((file) => kept.test(texts.get(file) ?? ''))).to.deep.equal([]);
  });

  it('takes the time from the clock that all nodes share', () => {
    // The clients run elsewhere. The others compare what they read with nothing but their own.
    const own = ['infrastructure/clock.ts', 'cluster/invalidation-watch.ts', 'node/workers/socket-folder.ts'];
    const others = files.filter((file) => !/^(web|client)\//.test(file) && !own.includes(file));
    const asks = /\bDate\.now\b|\bnew Date\(\)/;
    expect(others.filter((file) => asks.test(texts.get(file) ?? ''))).to.deep.equal([]);
  });

  it('silences neither compiler nor linter', () => {
    const silenced = /@ts-(ignore|expect-error|nocheck)|biome-ignore/;
    expect(files.filter((file) => silenced.test(texts.get(file) ?? ''))).to.deep.equal([]);
  });
});

/** Every import that closes a cycle, with the path that leads back to it. */
function cycles(edges: Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, way: string[]) => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file) || way.includes(file)) return;
    for (const next of targets.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return found;
}
